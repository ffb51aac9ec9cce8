// SPDX-License-Identifier: GPL-2.0-only
/*
 * echo N >/sys/module/emit/parameters/fetch hits the tracepoint emit_fetch N
 * times, with the values that tests/vm/dynamic/dynamic.sh expects.
 */
#include <linux/build_bug.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "internal.h"

#define CREATE_TRACE_POINTS
#include "fetch_event.h"

/* The test has these offsets as numbers. */
struct emit_fetched {
	s8				s8;
	u8				u8;
	s16				s16;
	s32				s32;
	s64				s64;
	u32				bits;
	u16				array[4];
	s32				negative[2];
	const struct emit_fetched	*next;
	const char			*text;
	char				inside[16];
	const void			*nowhere;
};

static const struct emit_fetched emit_fetched_2 = {
	.s8	= 2,
	.s32	= 222222,
	.text	= "the second text",
};

static const struct emit_fetched emit_fetched_1 = {
	.s8		= -1,
	.u8		= 201,
	.s16		= -1002,
	.s32		= -1000000003,
	.s64		= -5000000000000000004,
	.bits		= 0xb5c0ffee,
	.array		= { 1, 22, 333, 65535 },
	.negative	= { -1, 2147483647 },
	.next		= &emit_fetched_2,
	.text		= "the first text",
	.inside		= "inside",
};

static_assert(offsetof(struct emit_fetched, s32) == 4);
static_assert(offsetof(struct emit_fetched, s64) == 8);
static_assert(offsetof(struct emit_fetched, bits) == 16);
static_assert(offsetof(struct emit_fetched, array) == 20);
static_assert(offsetof(struct emit_fetched, negative) == 28);
static_assert(offsetof(struct emit_fetched, next) == 40);
static_assert(offsetof(struct emit_fetched, text) == 48);
static_assert(offsetof(struct emit_fetched, inside) == 56);
static_assert(offsetof(struct emit_fetched, nowhere) == 72);

/* A page with an unmapped page behind it. */
static char *emit_page;

/*
 * An address at the end of the kernel's half that does not belong to the
 * kernel: the vsyscall page, or nothing.
 */
#ifdef CONFIG_X86_64
#define EMIT_NOT_THE_KERNELS	0xffffffffff600000
#else
#define EMIT_NOT_THE_KERNELS	0xffffffffffe00000
#endif

/* None of these addresses can be read. */
static const void *emit_bad(u64 number)
{
	const unsigned long bad[] = {
		0, 8, 0x400000, 0x7fffffffffff, 0x800000000000,
		0x8000000000000000, 0xdead000000000100, 0xfeffffffffffffff,
		EMIT_NOT_THE_KERNELS, EMIT_NOT_THE_KERNELS - 4,
		0xffffffffffffffff, 0xfffffffffffffff8,
		(unsigned long)emit_page + PAGE_SIZE,
		/* the second half is on the unmapped page */
		(unsigned long)emit_page + PAGE_SIZE - 4,
		/* A mapped address of user space, which the kernel must not read. */
		current->mm ? current->mm->start_stack : 0,
	};

	return (const void *)bad[number % ARRAY_SIZE(bad)];
}

static int emit_fetch(const char *text, const struct kernel_param *param)
{
	u64 number = 0, count;
	int err;

	if (!emit_ready)
		return -EBUSY;
	err = kstrtou64(text, 0, &count);
	for (; !err && number < count; number++) {
		trace_emit_fetch(200, -300, 4000000000U, number,
				 "an argument's text", &emit_fetched_1, -7,
				 0x123456789abcdef0, true, 65000,
				 emit_bad(number), -12);
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops emit_fetch_ops = { .set = emit_fetch };
module_param_cb(fetch, &emit_fetch_ops, NULL, 0200);

int emit_fetch_init(void)
{
	emit_page = vmalloc(PAGE_SIZE);
	if (!emit_page)
		return -ENOMEM;
	memset(emit_page, 'x', PAGE_SIZE);
	return 0;
}

void emit_fetch_exit(void)
{
	vfree(emit_page);
}
