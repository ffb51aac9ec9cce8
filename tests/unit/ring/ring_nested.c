// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of nested contexts and of a reader on another CPU, at each place where they can
 * run: ring_points.h calls ring_point() before each access to shared memory.
 */
#include <ucontext.h>

#include "ring_fixture.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static void (*at_point)(void);

void ring_point(void)
{
	void (*there)(void) = at_point;

	if (!there)
		return;
	/* The observer has no points of its own. */
	at_point = NULL;
	rig_observe();
	at_point = there;
	there();
}

/* Acts that may run at a point. */
enum act {
	WRITE_SMALL,
	WRITE_LARGE,		/* usually opens another sub-buffer */
	DISCARD,
	DISCARD_INSIDE,		/* with an event behind it */
	LAP,			/* write more than the ring holds */
	CLOSE,
	TAKE,			/* the reader gets a sub-buffer */
	NR_ACTS
};

/*
 * Long tests run one in `part` of their cases; with RBMAP_TEST_ALL=1 all of them, and with
 * RBMAP_TEST_SHORT=1 an eighth of these.
 */
#ifdef __SANITIZE_ADDRESS__
static u32 part = 10;
#else
static u32 part = 4;
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
 * Acts at chosen points.  A later act may interrupt an earlier one, because acts pass
 * points, too.
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
static u32 ticks;	/* bits that determine the next steps of the clock */

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
	now += (s64)(ticks & 7) - 3;
	return now;
}

static u64 (*const clocks[])(void) = { clock_fine, clock_coarse, clock_back };

/* The acts that are interrupted. */
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
	case 5:
		rig_write(TINY);	/* dropped: too large */
		break;
	default:
		rig_read();
		break;
	}
}
#define NR_OUTER	7

/* Bring the ring into a state. */
static void prepare(u32 state)
{
	switch (state) {
	case 0:			/* at the start of the first sub-buffer */
		break;
	case 1:			/* inside a sub-buffer that the reader holds */
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
	reading = outer == NR_OUTER - 1;
	at_point = follow_plan;
	outer_act(outer);
	at_point = NULL;
	reading = false;
	rig_check_published();
	rig_finish();
}

/* Each pair of acts at each pair of points, or some of them. */
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
		bool fell = false;	/* the first act ran */

		for (b = 0; b < NR_ACTS; b++)
		for (second = first + 1;;
		     second += 1 + rig_below(2 * part - 1)) {
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

/* Three or four acts at random points. */
static void test_random_plans(void **state)
{
	u32 runs, i, k;

	(void)state;
	rig_open(3, TINY, RBMAP_MODE_OVERWRITE, 0);
	rig_on_failure = say_where;
	for (runs = 0; runs < 400000 / part; runs++) {
		u32 at = 0;

		plan.length = 3 + rig_below(2);
		for (i = 0; i < plan.length; i++) {
			/* Short distances make acts interrupt each other. */
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

/*
 * A context that discards an event raises the floor of time in steps.  Between two
 * steps another context writes an event, and between the next two some later ones.
 * Then the clock steps back.
 */
static void test_time_between_steps(void **state)
{
	static const enum act acts[] = { DISCARD, WRITE_SMALL, DISCARD_INSIDE };
	u32 first, second, third, i, runs = 0;

	(void)state;
	rig_open(2, TINY, RBMAP_MODE_OVERWRITE, 0);
	rig_on_failure = say_where;
	plan.length = ARRAY_SIZE(acts);
	memcpy(plan.act, acts, sizeof(acts));
	for (first = 1; first < 16; first++)
	for (second = first + 1; second < first + 40; second++)
	for (third = second + 1; third < second + 50; third++)
	for (i = 0; i < (20 + part - 1) / part; i++, runs++) {
		plan.at[0] = first;
		plan.at[1] = second;
		plan.at[2] = third;
		ticks = rig_random() >> 32;
		run(1, 0, 2, RBMAP_MODE_OVERWRITE);
	}
	rig_on_failure = NULL;
	rig_close();
	print_message("# %u runs\n", runs);
}

/*
 * Chosen nesting depths: the ring reads the clock, and each reading of the clock nests
 * another writer, which reads the clock in turn.
 */
static struct {
	int	depth;		/* deepest nesting level */
	void	(*innermost)(void);	/* called at that level */
	bool	after;		/* nest after reading the time, not before */
} dive;

static u64 clock_dives(void)
{
	u64 time = 0;

	if (dive.after)
		time = ++now;
	if (rig.depth < dive.depth)
		rig_write(4);
	else if (rig.depth == dive.depth && dive.innermost) {
		void (*innermost)(void) = dive.innermost;

		dive.innermost = NULL;
		innermost();
	}
	if (!dive.after)
		time = ++now;
	return time;
}

static void fill_some(void)
{
	rig_write_subbufs(3, LARGE);
}

static void lap(void)
{
	rig_write_subbufs(2 * rig.config.nr_slots + 3, LARGE);
}

static void discard_some(void)
{
	struct rig_event event;
	int i;

	for (i = 0; i < 5; i++) {
		if (!rig_begin(&event, 4 * i))
			continue;
		if (i & 1)
			rig_write(12);
		rig_discard(&event);
	}
}

static void close_open_one(void)
{
	rig_ring_close();
}

static void test_dives(void **state)
{
	void (*const innermost[])(void) = {
		NULL, fill_some, lap, discard_some, close_open_one,
	};
	u32 i, k, n, mode, after;
	int depth;

	(void)state;
	for (n = 2; n < 6; n++)
	for (mode = 0; mode < 2; mode++)
	for (after = 0; after < 2; after++)
	for (depth = 1; depth <= RBMAP_MAX_NEST + 1; depth++)
	for (i = 0; i < ARRAY_SIZE(innermost); i++) {
		rig_open(n, TINY, mode, 0);
		rig_open_log(1 << 12);
		now = 1;
		dive.depth = depth;
		dive.after = after;
		for (k = 0; k < 12; k++) {
			rig.clock = clock_dives;
			dive.innermost = innermost[i];
			rig_write(k);
			rig.clock = clock_fine;
			/* All events are published once the outermost writer ends. */
			rig_check_published();
			if (k % 3)
				rig_read();
		}
		if (depth > RBMAP_MAX_NEST)
			rig_check(local_read(&rig.ring->dropped[
					     RBMAP_DROP_NESTED]) > 0);
		else if (depth + 2 <= RBMAP_MAX_NEST)
			rig_check(local_read(&rig.ring->dropped[
					     RBMAP_DROP_NESTED]) == 0);
		rig_finish();
		rig_close();
	}
}

/* The ring calls closed() from outside: a writer there is not nested. */
static int closed_depth;

static void write_in_closed(void)
{
	if (closed_depth == 4)
		return;
	closed_depth++;
	rig_check(rig.ring->nest == 0);
	if (closed_depth == 2)
		lap();
	else
		rig_write(LARGE);
	discard_some();
	closed_depth--;
}

static void test_writers_in_closed(void **state)
{
	u32 i, mode;

	(void)state;
	for (mode = 0; mode < 2; mode++) {
		rig_open(3, TINY, mode, 0);
		rig.on_closed = write_in_closed;
		for (i = 0; i < 200; i++) {
			rig_write(rig_below(30));
			if (!rig_below(3))
				rig_read();
		}
		rig.on_closed = NULL;
		rig_finish();
		rig_close();
	}
}

/* Writers that nest between reserve and commit or discard. */
static void test_between_reserve_and_commit(void **state)
{
	struct rig_event event[RBMAP_MAX_NEST];
	u32 bits, mode, inner;
	int depth, i;

	(void)state;
	rig_open(3, TINY, 0, 0);
	for (mode = 0; mode < 2; mode++)
	for (inner = 0; inner < 5; inner++)
	for (depth = 1; depth <= RBMAP_MAX_NEST; depth++)
	for (bits = 0; bits < 1u << (2 * depth); bits++) {
		int in = 0;

		rig_again(mode, 0);
		rig_write(12);
		rig_write(4);
		rig_read();
		for (i = 0; i < depth; i++)
			if (rig_begin(&event[in], 4 * (bits >> (depth + i) & 1)))
				in++;
		if (in < RBMAP_MAX_NEST) {
			if (inner == 1)
				fill_some();
			else if (inner == 2)
				lap();
			else if (inner == 3)
				discard_some();
			else if (inner == 4)
				close_open_one();
		}
		while (in--) {
			if (bits >> in & 1)
				rig_discard(&event[in]);
			else
				rig_commit(&event[in]);
			/* More writers nest in the remaining ones. */
			if (inner == 3)
				rig_write(4);
		}
		rig_finish();
	}
	rig_close();
}

/* A writer that laps the reader at each point: the reader gives up. */
static u32 laps_left;

static void lap_at_point(void)
{
	if (rig.depth || !laps_left)
		return;
	laps_left--;
	rig_write_subbufs(3, LARGE);
}

static void test_busy(void **state)
{
	(void)state;
	rig_open(2, TINY, RBMAP_MODE_OVERWRITE, 0);
	rig_write_subbufs(3, LARGE);
	laps_left = 100000;
	at_point = lap_at_point;
	rig_check(rig_read() == RBMAP_GET_BUSY);
	at_point = NULL;
	/* The reader gave up after some tries, and succeeds without the writer. */
	rig_check(laps_left > 98000);
	rig_check(rig_read() == RBMAP_GET_NEXT);
	rig_finish();
	rig_close();
}

/*
 * A reader on another CPU is a coroutine.  Writer and reader switch to each other at
 * any point.
 */
static ucontext_t writer_context, reader_context;
static const char *reader_failure;
static bool reader_stops;
static u32 nest_one_in, switch_one_in, round_number;

static void fail_in_reader(const char *message)
{
	at_point = NULL;
	if (!reading)
		fail_msg("%s", message);
	reader_failure = message;
	swapcontext(&reader_context, &writer_context);
}

static void reader_main(void)
{
	for (;;) {
		switch (rig_below(20)) {
		case 0:
			rig_read_bytes(rig_below(40));
			break;
		case 1:
			rbmap_ring_has_event(rig.ring);
			rbmap_ring_closed_unread(rig.ring);
			rbmap_ring_has_closed(rig.ring);
			rig_report_drops();
			break;
		case 2: case 3:
			rig_exchange();
			break;
		default:
			rig_read();
		}
		if (!rig_below(4) || reader_stops)
			swapcontext(&reader_context, &writer_context);
	}
}

static void read_on(void)
{
	reading = true;
	swapcontext(&writer_context, &reader_context);
	reading = false;
	if (reader_failure) {
		rig_on_failure = NULL;
		fail_msg("round %u, reader: %s", round_number, reader_failure);
	}
}

static void random_writer(void)
{
	struct rig_event event;
	u32 size = rig_below(5) ? rig_below(20) : rig_below(LARGE + 1);

	switch (rig_below(8)) {
	case 0:
		if (rig_begin(&event, size)) {
			ring_point();
			rig_discard(&event);
		}
		break;
	case 1:
		rig_write_subbufs(1 + rig_below(3), size);
		break;
	case 2:
		if (!rig_below(4))
			rig_ring_close();
		break;
	default:
		if (rig_begin(&event, size)) {
			ring_point();
			rig_commit(&event);
		}
	}
}

static void any_point(void)
{
	if (reading) {
		if (!rig_below(switch_one_in))
			swapcontext(&reader_context, &writer_context);
		return;
	}
	if (!rig_below(switch_one_in))
		read_on();
	if (rig.depth <= RBMAP_MAX_NEST && !rig_below(nest_one_in))
		random_writer();
}

static void test_random_with_reader(void **state)
{
	static char stack[256 << 10];
	u32 round, i;

	(void)state;
	for (round = 0; round < 400 / part; round++) {
		u64 random = round + 1;
		u32 n = 2 + round % 4;

		round_number = round;
		rig_open(n, round % 7 ? TINY : 128, round & 1,
			 round & 2 ? 0 : rbmap_seq_modulus(n) - 50);
		rig.random += random << 32;
		rig.clock = clocks[round % 3];
		rig.clock_steps_back = round % 3 == 2;
		now = 1 << 20;
		nest_one_in = 15 + rig_below(100);
		switch_one_in = 2 + rig_below(60);

		getcontext(&reader_context);
		reader_context.uc_stack.ss_sp = stack;
		reader_context.uc_stack.ss_size = sizeof(stack);
		makecontext(&reader_context, reader_main, 0);
		reader_failure = NULL;
		reader_stops = false;
		reading = false;
		rig_on_failure = fail_in_reader;

		at_point = any_point;
		for (i = 0; i < 600; i++) {
			ticks = rig_random() >> 32;
			random_writer();
		}
		at_point = NULL;
		/* Let the reader finish its operation. */
		reader_stops = true;
		read_on();
		rig_on_failure = NULL;
		rig_finish();
		rig_close();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dives),
		cmocka_unit_test(test_writers_in_closed),
		cmocka_unit_test(test_between_reserve_and_commit),
		cmocka_unit_test(test_pairs_overwrite),
		cmocka_unit_test(test_pairs_discard),
		cmocka_unit_test(test_random_plans),
		cmocka_unit_test(test_time_between_steps),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_random_with_reader),
	};

	if (getenv("RBMAP_TEST_ALL"))
		part = 1;
	else if (getenv("RBMAP_TEST_SHORT"))
		part *= 8;
	return cmocka_run_group_tests_name("ring_nested", tests, NULL, NULL);
}
