// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nested contexts, and a reader on another CPU, at each place where they can
 * come: ring_points.h stops the ring before each access to what it shares.
 */
#include <ucontext.h>

#include "ring_fixture.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static void (*at_point)(void);

void ring_point(void)
{
	if (at_point)
		at_point();
}

/* What may come between. */
enum act {
	WRITE_SMALL,
	WRITE_LARGE,		/* needs another sub-buffer, as a rule */
	DISCARD,
	DISCARD_INSIDE,		/* with an event behind it */
	LAP,			/* more than the ring holds */
	CLOSE,
	TAKE,			/* by the reader */
	NR_ACTS
};

/* What takes long under a sanitizer is done in part. */
#ifdef __SANITIZE_ADDRESS__
#define PART	10
#else
#define PART	1
#endif

#define TINY	64
#define LARGE	(TINY - 16 - 8)

static bool reading;

static void act(enum act what)
{
	struct rig_event event;

	switch (what) {
	case WRITE_SMALL:
		rig_write(4);
		break;
	case WRITE_LARGE:
		rig_write(LARGE);
		break;
	case DISCARD:
		if (rig_begin(&event, 8))
			rig_discard(&event);
		break;
	case DISCARD_INSIDE:
		if (!rig_begin(&event, 8))
			break;
		rig_write(1);
		rig_discard(&event);
		break;
	case LAP:
		rig_write_subbufs(rig.config.nr_slots + 1, LARGE);
		break;
	case CLOSE:
		rig_ring_close();
		break;
	case TAKE:
		if (reading)
			break;	/* readers take turns */
		reading = true;
		rig_read();
		reading = false;
		break;
	default:
		abort();
	}
}

/*
 * Acts at chosen points.  A later one may well fall into an earlier one, as
 * these pass points too.
 */
#define MAX_PLAN	4

static struct {
	u32	at[MAX_PLAN];
	enum act act[MAX_PLAN];
	u32	length;
	u32	next;
	u32	points;
} plan;

static void follow_plan(void)
{
	plan.points++;
	if (plan.next < plan.length && plan.points == plan.at[plan.next])
		act(plan.act[plan.next++]);
}

/* Clocks */

static u64 now;
static u32 ticks;	/* a bit per reading: does it move? */

static u64 clock_fine(void)
{
	return ++now;
}

static u64 clock_coarse(void)
{
	now += ticks & 1;
	ticks = ticks >> 1 | ticks << 31;
	return now;
}

static u64 clock_back(void)
{
	ticks = ticks >> 3 | ticks << 29;
	now += (ticks & 7) - 3;
	return now;
}

static u64 (*const clocks[])(void) = { clock_fine, clock_coarse, clock_back };

/* What is interrupted. */
static void outer_act(u32 what)
{
	struct rig_event event;

	switch (what) {
	case 0:
		rig_write(4);
		break;
	case 1:
		rig_write(LARGE);
		break;
	case 2:
		if (rig_begin(&event, 8))
			rig_discard(&event);
		break;
	case 3:
		rig_ring_close();
		break;
	case 4:
		rig_write(4);
		rig_write(12);
		break;
	default:
		rig_read();
		break;
	}
}
#define NR_OUTER	6

/* Where the ring stands then. */
static void prepare(u32 state)
{
	switch (state) {
	case 0:			/* at the start of the first */
		break;
	case 1:			/* inside one, the reader in it */
		rig_write(4);
		rig_read();
		rig_write(4);
		break;
	case 2:			/* 8 bytes left, lapped */
		rig_write_subbufs(4, LARGE);
		rig_ring_close();
		rig_write(36);
		break;
	case 3:			/* full, the reader a lap behind */
		rig_write(4);
		rig_read();
		rig_write_subbufs(3, LARGE);
		break;
	}
}
#define NR_STATES	4

/* Anything that went wrong shows in what follows, or in the accounts. */
static void finish(void)
{
	rig_write(4);
	rig_write(8);
	rig_drain();
	rig_write(4);
	rig_ring_close();
	rig_drain();
	rig_tell_drops();
	rig_check_accounts();
}

static const char *scenario(void)
{
	static char text[200];
	u32 i, n = 0;

	for (i = 0; i < plan.length; i++)
		n += snprintf(text + n, sizeof(text) - n, " act %u at point %u",
			      plan.act[i], plan.at[i]);
	return text;
}

static char where[100];

static void say_where(const char *message)
{
	at_point = NULL;
	rig_on_failure = NULL;
	fail_msg("%s;%s: %s", where, scenario(), message);
}

static void run(u32 state, u32 outer, u32 clock, enum rbmap_mode mode)
{
	u64 modulus = rbmap_seq_modulus(rig.config.nr_slots);

	snprintf(where, sizeof(where), "state %u, outer %u, clock %u, mode %u, ticks %x",
		 state, outer, clock, mode, ticks);
	rig_again(mode, modulus - 3);
	now = 1000;
	rig.clock = clocks[clock];
	rig.clock_steps_back = clock == 2;
	reading = false;
	prepare(state);
	plan.points = 0;
	plan.next = 0;
	reading = outer == 5;
	at_point = follow_plan;
	outer_act(outer);
	at_point = NULL;
	reading = false;
	finish();
}

/* Each pair of acts at each pair of points. */
static void all_pairs(enum rbmap_mode mode)
{
	u32 state, outer, first, second, a, b;
	u64 runs = 0;

	rig_open(2, TINY, mode, 0);
	rig_on_failure = say_where;
	for (state = 0; state < NR_STATES; state++)
	for (outer = 0; outer < NR_OUTER; outer++)
	for (a = 0; a < NR_ACTS; a++)
	for (first = 1;; first++) {
		bool fell = false;

		for (b = 0; b < NR_ACTS; b++)
		for (second = first + 1;;
		     second += 1 + rig_below(2 * PART - 1)) {
			plan.length = 2;
			plan.at[0] = first;
			plan.at[1] = second;
			plan.act[0] = a;
			plan.act[1] = b;
			ticks = rig_random() >> 32;
			run(state, outer, runs++ % ARRAY_SIZE(clocks), mode);
			fell |= plan.next > 0;
			if (plan.next < 2)
				break;	/* beyond the last point */
		}
		if (!fell)
			break;
	}
	rig_on_failure = NULL;
	rig_close();
	print_message("# %llu runs\n", (unsigned long long)runs);
}

static void test_pairs_overwrite(void **state)
{
	(void)state;
	all_pairs(RBMAP_MODE_OVERWRITE);
}

static void test_pairs_discard(void **state)
{
	(void)state;
	all_pairs(RBMAP_MODE_DISCARD);
}

/* Three or four acts, anywhere. */
static void test_random_plans(void **state)
{
	u32 runs, i, k;

	(void)state;
	rig_open(3, TINY, RBMAP_MODE_OVERWRITE, 0);
	rig_on_failure = say_where;
	for (runs = 0; runs < 400000 / PART; runs++) {
		u32 at = 0;

		plan.length = 3 + rig_below(2);
		for (i = 0; i < plan.length; i++) {
			/* Short ways are the ones that fall into each other. */
			k = rig_below(3);
			at += 1 + rig_below(k == 0 ? 4 : k == 1 ? 16 : 60);
			plan.at[i] = at;
			plan.act[i] = rig_below(NR_ACTS);
		}
		ticks = rig_random() >> 32;
		run(rig_below(NR_STATES), rig_below(NR_OUTER),
		    rig_below(ARRAY_SIZE(clocks)), rig_below(2));
	}
	rig_on_failure = NULL;
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs_overwrite),
		cmocka_unit_test(test_pairs_discard),
		cmocka_unit_test(test_random_plans),
	};

	return cmocka_run_group_tests_name("ring_nested", tests, NULL, NULL);
}
