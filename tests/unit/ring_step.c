// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nested contexts at each instruction of the ring as it is compiled, by
 * single steps of the processor: what ring_nested tries at each access of the
 * source, without its calls in between, which keep the compiler in order.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "ring_fixture.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define TRAP_FLAG	0x100
#define TINY		64
#define LARGE		(TINY - 16 - 8)

static u64 now;

/* One instruction, or a nested writer would see time go back. */
static u64 clock_count(void)
{
	return __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED);
}

static u64 clock_coarse(void)
{
	return __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED) >> 2;
}

static volatile long steps, target;
static void (*volatile nested)(void);

static void single_steps(bool on)
{
	unsigned long flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG :
					    flags & ~TRAP_FLAG);
}

static void step(int signal, siginfo_t *info, void *context)
{
	ucontext_t *ucontext = context;

	(void)signal;
	(void)info;
	if (++steps != target)
		return;
	ucontext->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	nested();
}

/* Only the ring of the outermost: the model may not be interrupted. */
static void around_ring(bool enter)
{
	if (rig.depth <= 1 && steps < target)
		single_steps(enter);
}

static void nest_small(void)
{
	rig_write(4);
}

static void nest_two(void)
{
	rig_write(4);
	rig_write(LARGE);
}

static void nest_discards(void)
{
	struct rig_event event;

	if (rig_begin(&event, 8))
		rig_discard(&event);
	if (rig_begin(&event, 8)) {
		rig_write(1);
		rig_discard(&event);
	}
}

static void nest_lap(void)
{
	rig_write_subbufs(4, LARGE);
}

static void nest_reader(void)
{
	rig_read();
}

static void outer_small(void)
{
	rig_write(4);
}

static void outer_large(void)
{
	rig_write(LARGE);
}

static void outer_discard(void)
{
	struct rig_event event;

	if (rig_begin(&event, 8))
		rig_discard(&event);
}

static void (*const outers[])(void) = {
	outer_small, outer_large, outer_discard, rig_ring_close,
};

static void (*const inners[])(void) = {
	nest_small, nest_two, nest_discards, nest_lap, nest_reader,
};

/* Is it over before step n? */
static bool run(u32 mode, void (*outer)(void), void (*inner)(void), long n,
		u64 (*clock)(void))
{
	rig_again(mode, rbmap_seq_modulus(2) - 2);
	now = 4000;
	rig.clock = clock;
	rig_write(4);
	rig_read();
	rig_write_subbufs(1 + n % 3, 12);
	rig_write(4);

	nested = inner;
	steps = 0;
	target = n;
	rig.around = around_ring;
	outer();
	rig.around = NULL;
	rig_check_published();

	rig_write(4);
	rig_drain();
	rig_write(4);
	rig_ring_close();
	rig_drain();
	rig_tell_drops();
	rig_check_accounts();
	return steps < n;
}

/* Steps cost a signal each: some of them, others with another seed. */
static void test_steps(void **state)
{
	const struct sigaction action = {
		.sa_sigaction = step,
		.sa_flags = SA_SIGINFO,
	};
	u32 o, i, mode, runs = 0;
	long n;

	(void)state;
	sigaction(SIGTRAP, &action, NULL);
	steps = 0;
	target = 3;
	nested = nest_reader;
	rig_open(2, TINY, 0, 0);
	single_steps(true);
	single_steps(false);
	if (!steps) {
		print_message("# no single steps here\n");
		skip();
	}

	for (o = 0; o < ARRAY_SIZE(outers); o++)
	for (i = 0; i < ARRAY_SIZE(inners); i++)
	for (mode = 0; mode < 2; mode++)
	for (n = 1 + rig_below(6);; n += 1 + rig_below(11)) {
		runs++;
		if (run(mode, outers[o], inners[i], n,
			n & 1 ? clock_count : clock_coarse))
			break;
	}
	rig_close();
	print_message("# %u runs\n", runs);
}

#else

static void test_steps(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
	};

	return cmocka_run_group_tests_name("ring_step", tests, NULL, NULL);
}
