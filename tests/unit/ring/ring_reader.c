// SPDX-License-Identifier: GPL-2.0-only
/* Tests of readers: the order of events, losses, and how losses are reported. */
#include "ring_fixture.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static void open_ring(u32 nr_slots, u32 subbuf_size, enum rbmap_mode mode)
{
	rig_open(nr_slots, subbuf_size, mode, 0);
}

static void close_ring(void)
{
	rig_drain();
	rig_report_drops();
	rig_check_accounts();
	rig_close();
}

static const struct rbmap_reader *reader(void)
{
	return &rig.ring->reader;
}

static u64 overrun(void)
{
	return local_read(&rig.ring->overrun);
}

static u64 dropped(enum rbmap_drop why)
{
	return local_read(&rig.ring->dropped[why]);
}

static u64 writer_seq(void)
{
	return rbmap_commit_seq(rig.ring->commit);
}

/* On a new ring the reader swaps id 0 for 1; a second read finds no event. */
static void test_first(void **state)
{
	u32 i;

	(void)state;
	open_ring(8, 4096, RBMAP_MODE_OVERWRITE);
	assert_int_equal(reader()->id, 0);
	assert_false(rbmap_ring_has_event(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
	assert_int_equal(reader()->id, 0);
	for (i = 0; i < 16; i++)
		rig_write(8);
	assert_true(rbmap_ring_has_event(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->id, 1);
	assert_int_equal(reader()->lost, 0);
	assert_int_equal(reader()->read, 16);
	assert_int_equal(rbmap_ring_entries(rig.ring), 16);
	assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
	assert_int_equal(reader()->id, 1);
	assert_int_equal(reader()->read, 16);
	assert_int_equal(overrun(), 0);
	close_ring();
}

/* The writer continues in the reader's sub-buffer and claims the spare a lap later. */
static void test_reader_at_writer(void **state)
{
	u32 spare, i;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_OVERWRITE);
	rig_write(4);
	assert_false(rbmap_ring_reader_at_writer(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_true(rbmap_ring_reader_at_writer(rig.ring));
	/* 48 bytes: five more events of 8. */
	for (i = 0; i < 5; i++) {
		assert_int_equal(rbmap_ring_unread(rig.ring), 0);
		rig_write(4);
		assert_int_equal(rbmap_ring_unread(rig.ring), 8);
		assert_true(rbmap_ring_has_event(rig.ring));
		assert_int_equal(rig_read(), RBMAP_GET_MORE);
		assert_int_equal(reader()->id, 1);
		assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
		assert_int_equal(reader()->id, 1);
	}
	rig_check(rbmap_slot_free(rig.ring->slot[0]));
	spare = rbmap_slot_id(rig.ring->slot[0]);
	assert_int_equal(spare, 0);

	/* The sub-buffer is full: the writer leaves it. */
	rig_write(4);
	assert_false(rbmap_ring_reader_at_writer(rig.ring));
	assert_int_equal(rbmap_tail_id(rig.ring->tail), 2);
	rig_write_subbufs(1, 4);
	/* A lap later the writer is in the spare, and nothing was lost. */
	assert_int_equal(rbmap_tail_id(rig.ring->tail), spare);
	rig_check(!rbmap_slot_free(rig.ring->slot[0]));
	assert_int_equal(overrun(), 0);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->id, 2);
	close_ring();
}

/* The reader gets events written between its last read and the writer's leaving. */
static void test_rest_of_a_left_subbuf(void **state)
{
	(void)state;
	open_ring(4, 64, RBMAP_MODE_OVERWRITE);
	rig_write(4);
	rig_read();
	rig_write(4);
	rig_write_subbufs(1, 4);
	assert_false(rbmap_ring_reader_at_writer(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_MORE);
	assert_int_equal(reader()->id, 1);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	close_ring();
}

/*
 * n slots keep n sub-buffers of events, besides the reader's.  However many events were
 * written, the ring keeps exactly the newest ones in overwrite mode and exactly the
 * oldest ones in discard mode.
 */
static void fill(u32 nr_slots, u32 subbuf_size, enum rbmap_mode mode,
		 u32 subbufs)
{
	/* Four events fill a sub-buffer, each with 8 bytes of header. */
	u32 size = (subbuf_size - 16) / 4 / 8 * 8 - 8;
	u32 per, kept;
	u64 lost;

	open_ring(nr_slots, subbuf_size, mode);
	rig_open_log(nr_slots * 20 + 1000);
	if (size <= 112)
		size += 4;
	rig_write_subbufs(1, size);
	per = rig.attempts - 1;
	while (rig.attempts < (u64)subbufs * per)
		rig_write(size);
	kept = subbufs < nr_slots ? subbufs : nr_slots;
	lost = (u64)(subbufs - kept) * per;
	if (mode == RBMAP_MODE_OVERWRITE) {
		rig_check(overrun() == lost);
		rig_check(local_read(&rig.ring->overwritten) == subbufs - kept);
	} else {
		rig_check(dropped(RBMAP_DROP_FULL) == lost);
	}
	rig_check(rbmap_ring_closed_unread(rig.ring) >= kept - 1);

	rig_check(rig_read() == RBMAP_GET_NEXT);
	rig_check(rig.lost_events == (mode == RBMAP_MODE_OVERWRITE ? lost : 0));
	rig_check(rig.lost_drops == 0);
	rig_drain();
	rig_check(rig.read == (u64)kept * per);
	rig_check(rig.takes == kept);
	rig_report_drops();
	rig_check_accounts();

	/* Once more, with the reader somewhere in the middle. */
	while (rig.attempts < (subbufs + nr_slots / 2ULL) * per)
		rig_write(size);
	rig_read_bytes(subbuf_size / 3);
	while (rig.attempts < (subbufs + nr_slots * 2ULL + 1) * per)
		rig_write(size);
	close_ring();
}

static void test_fill(void **state)
{
	static const u32 slots[] = { 2, 3, 5, 8 };
	static const u32 sizes[] = { 64, 128, 4096, 65536 };
	u32 i, k, mode, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(slots); i++)
	for (k = 0; k < ARRAY_SIZE(sizes); k++)
	for (mode = 0; mode < 2; mode++)
	for (n = 2; n < 3 * slots[i]; n++)
		fill(slots[i], sizes[k], mode, n);
}

static void test_fill_largest(void **state)
{
	u32 mode;

	(void)state;
	for (mode = 0; mode < 2; mode++) {
		/* With RBMAP_TEST_SHORT=1 only more than the ring holds */
		if (!getenv("RBMAP_TEST_SHORT"))
			fill(RBMAP_MAX_SLOTS, 64, mode, RBMAP_MAX_SLOTS - 1);
		fill(RBMAP_MAX_SLOTS, 64, mode, RBMAP_MAX_SLOTS + 3);
		fill(2, 4 << 20, mode, 3);
		fill(5, 1 << 20, mode, 7);
	}
}

/*
 * Let n be the number of the last event before a loss, and l the reported loss.  Then
 * the next event has the number n + 1 + l, wherever the reader was.
 */
static void test_place_of_loss(void **state)
{
	u32 i, losses = 0;

	(void)state;
	open_ring(3, 256, RBMAP_MODE_OVERWRITE);
	rig_open_log(1 << 18);
	for (i = 0; i < 3000; i++) {
		u64 lost = rig.lost_events;
		u32 n = rig_below(60);

		while (n--)
			rig_write(rig_below(40));
		for (n = rig_below(5); n; n--)
			rig_read_bytes(rig_below(300));	/* checks the place */
		losses += rig.lost_events > lost;
	}
	assert_true(losses > 500);
	close_ring();
}

/*
 * Drops are reported before later events.  All events have one size: a small event
 * would fit where a larger one was dropped.
 */
static void test_place_of_drops(void **state)
{
	u32 i, n;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_DISCARD);
	for (i = 0; i < 500; i++) {
		u64 reported = rig.lost_drops;
		u64 before = rbmap_ring_dropped(rig.ring);

		assert_int_equal(reported, before);
		for (n = rig_below(40); n; n--)
			rig_write(4);
		/* No event was written after a drop. */
		rig_drain();
		assert_int_equal(rig.lost_drops, reported);
		/* The first event of the next sub-buffer comes after the drops. */
		before = rbmap_ring_dropped(rig.ring);
		rig_write_subbufs(1, 4);
		rig_drain();
		assert_int_equal(rig.lost_drops, before);
	}
	assert_true(dropped(RBMAP_DROP_FULL) > 1000);
	close_ring();
}

/* A reader that is lapped keeps the unread rest of its sub-buffer. */
static void test_lapped_reader(void **state)
{
	u32 i;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_OVERWRITE);
	for (i = 0; i < 6; i++)
		rig_write(4);
	assert_int_equal(rig_read_bytes(8), RBMAP_GET_NEXT);
	assert_int_equal(reader()->read, 1);
	rig_write_subbufs(9, 4);
	/* 9 sub-buffers were closed or opened; 2 slots hold 2 of them. */
	assert_int_equal(overrun(), 7 * 6);
	assert_int_equal(rig_read_bytes(16), RBMAP_GET_MORE);
	assert_int_equal(reader()->read, 3);
	assert_int_equal(rig_read(), RBMAP_GET_MORE);
	assert_int_equal(reader()->read, 6);
	assert_int_equal(reader()->lost, 0);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 42);
	close_ring();
}

/*
 * After a lap the reader may see a new slot and then an older commit on a weakly ordered
 * CPU.  It must not get a sub-buffer then.
 */
static void test_commit_behind(void **state)
{
	u64 commit;

	(void)state;
	open_ring(3, 64, RBMAP_MODE_OVERWRITE);
	rig_write_subbufs(5, 4);
	rig_read();
	commit = rig.ring->commit;
	rig.ring->commit = rbmap_commit_word(
		rbmap_seq_sub(reader()->next, 1, rig.ring->modulus), 16);
	rig.ring->reader.holds = false;
	assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
	rig.ring->commit = commit;
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 0);
	close_ring();
}

/* A context with a stale tail opens no sub-buffer. */
static void test_stale_tail(void **state)
{
	u64 stale, tail, slots[3];
	u32 laps;

	(void)state;
	for (laps = 1; laps < 10; laps++) {
		open_ring(3, 64, RBMAP_MODE_OVERWRITE);
		rig_write_subbufs(4, 4);
		stale = rig.ring->tail;
		rig_write_subbufs(laps, 4);
		tail = rig.ring->tail;
		memcpy(slots, rig.ring->slot, sizeof(slots));
		rbmap_ring_enter(rig.ring);
		assert_int_equal(rbmap_ring_open_next(rig.ring, stale),
				 RBMAP_DROP_NONE);
		rbmap_ring_publish(rig.ring);
		rig_check(rig.ring->tail == tail);
		assert_memory_equal(slots, rig.ring->slot, sizeof(slots));
		close_ring();
	}
}

/* Causes of a drop */

static void test_drop_full(void **state)
{
	u64 tail;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_DISCARD);
	rig_write_subbufs(2, 4);
	assert_int_equal(rig.attempts, 13);
	assert_int_equal(dropped(RBMAP_DROP_FULL), 1);
	tail = rig.ring->tail;
	assert_false(rig_write(4));
	assert_false(rig_write(0));
	assert_int_equal(dropped(RBMAP_DROP_FULL), 3);
	rig_check(rig.ring->tail == tail);
	assert_int_equal(rbmap_ring_dropped(rig.ring), 3);

	/* A consumed slot has room for one sub-buffer. */
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 0);
	assert_true(rig_write(4));
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 0);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 3);
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 0);
	close_ring();
}

/* Nested events are dropped when they reach the interrupted, uncommitted event. */
static void test_drop_lapped(void **state)
{
	struct rig_event event;
	u32 n;

	(void)state;
	for (n = 2; n < 6; n++) {
		open_ring(n, 64, RBMAP_MODE_OVERWRITE);
		rig_write_subbufs(3 * n, 4);
		assert_true(rig_begin(&event, 4));
		rig_write_subbufs(n - 1, 4);
		assert_int_equal(dropped(RBMAP_DROP_LAPPED), 0);
		rig_fill();
		assert_false(rig_write(4));
		assert_int_equal(dropped(RBMAP_DROP_LAPPED), 1);
		rig_commit(&event);
		assert_true(rig_write(4));
		assert_int_equal(dropped(RBMAP_DROP_LAPPED), 1);
		close_ring();
	}
}

/* If that slot holds the spare, nested events can fill one more sub-buffer. */
static void test_lap_into_the_spare(void **state)
{
	struct rig_event event;
	u32 mode, n;

	(void)state;
	for (mode = 0; mode < 2; mode++)
	for (n = 2; n < 6; n++) {
		open_ring(n, 64, mode);
		rig_write(4);
		rig_read();
		assert_true(rig_begin(&event, 4));
		rig_write_subbufs(n, 4);
		assert_int_equal(rbmap_ring_dropped(rig.ring), 0);
		/* tail is n ahead of commit, in the slot that commit is in */
		assert_int_equal(rbmap_tail_seq(rig.ring->tail), n);
		assert_int_equal(writer_seq(), 0);
		assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
		rig_fill();
		assert_false(rig_write(4));
		rig_check_ids();
		rig_commit(&event);
		assert_int_equal(writer_seq(), n);
		close_ring();
	}
}

static void test_drop_nested(void **state)
{
	struct rig_event event[RBMAP_MAX_NEST];
	int i;

	(void)state;
	open_ring(4, 4096, RBMAP_MODE_OVERWRITE);
	for (i = 0; i < RBMAP_MAX_NEST; i++)
		assert_true(rig_begin(&event[i], i));
	assert_false(rig_write(4));
	assert_false(rig_write(4));
	/* Closing needs one more nesting level, too. */
	rig_ring_close();
	assert_int_equal(dropped(RBMAP_DROP_NESTED), 2);
	assert_int_equal(rig.ring->nest, RBMAP_MAX_NEST);
	assert_int_equal(writer_seq(), 0);
	while (i--) {
		assert_false(rbmap_ring_has_event(rig.ring));
		rig_commit(&event[i]);
		assert_int_equal(rig.ring->nest, i);
	}
	assert_int_equal(rig_drain(), RBMAP_MAX_NEST);
	close_ring();
}

/*
 * A nested writer may overwrite published events before they are read.  Its own events
 * are published only when the interrupted writer commits.
 */
static void test_overwritten_before_taken(void **state)
{
	struct rig_event event;
	u32 lost;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_OVERWRITE);
	while (writer_seq() == 0) {
		assert_true(rig_begin(&event, 4));
		if (rbmap_tail_seq(rig.ring->tail) == 0)
			rig_commit(&event);
		else
			rig_discard(&event);
	}
	assert_int_equal(rbmap_commit_offset(rig.ring->commit), 0);
	lost = rbmap_ring_entries(rig.ring);
	assert_true(rig_begin(&event, 40));
	assert_true(rbmap_ring_has_event(rig.ring));
	assert_true(rig_write(4));
	assert_int_equal(overrun(), lost);
	/* Only a hint: it was true before. */
	assert_true(rbmap_ring_has_event(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
	rig_commit(&event);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, lost);
	assert_int_equal(rig_drain(), 1);
	close_ring();
}

static void test_drop_too_large(void **state)
{
	(void)state;
	open_ring(4, 4096, RBMAP_MODE_OVERWRITE);
	assert_false(rig_write(4096 - 24 + 1));
	assert_false(rig_write(1 << 30));
	assert_false(rig_write(~0u));
	assert_int_equal(dropped(RBMAP_DROP_TOO_LARGE), 3);
	assert_int_equal(rig.ring->nest, 0);
	rig_check(rig.ring->tail == rbmap_tail(0, 1, 0));
	assert_true(rig_write(4096 - 24));
	close_ring();
}

/* Drops from before the ring existed are reported before its first event. */
static void test_begin_late(void **state)
{
	(void)state;
	open_ring(4, 256, RBMAP_MODE_OVERWRITE);
	rbmap_ring_begin_late(rig.ring, 7, 3);
	rig.attempts += 7;
	assert_int_equal(dropped(RBMAP_DROP_NO_RING), 7);
	assert_int_equal(local_read(&rig.ring->disabled), 3);
	assert_int_equal(rbmap_ring_table_slot(rig.ring, 0)->events, 7);
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 7);
	assert_true(rig_write(4));
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 7);
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 0);
	close_ring();
}

/* Abandoned events count neither as read nor as reported. */
static void test_abandon(void **state)
{
	u64 unreported, read, events;
	u32 i;

	(void)state;
	open_ring(4, 256, RBMAP_MODE_OVERWRITE);
	for (i = 0; i < 200; i++)
		assert_true(rig_write(4));
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_true(reader()->reported);
	for (i = 0; i < 200; i++)
		assert_true(rig_write(4));
	rbmap_ring_seal(rig.ring);
	read = reader()->read;
	events = rbmap_ring_abandon(rig.ring, &unreported);
	assert_true(events);
	assert_int_equal(reader()->read, read);
	assert_int_equal(reader()->reported + unreported,
			 local_read(&rig.ring->overrun));
	assert_int_equal(read + events + reader()->reported + unreported, 400);
	assert_false(rbmap_ring_has_event(rig.ring));
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 0);
	rig_close();
}

/* A loss before a sub-buffer that the reader has got, and has not read, is abandoned with it. */
static void test_abandon_found_loss(void **state)
{
	u64 unreported, events;
	u32 i;

	(void)state;
	open_ring(4, 256, RBMAP_MODE_OVERWRITE);
	for (i = 0; i < 400; i++)
		assert_true(rig_write(4));
	assert_int_equal(rbmap_ring_get(rig.ring), RBMAP_GET_NEXT);
	assert_true(reader()->lost);
	assert_int_equal(reader()->reported, reader()->lost);
	rbmap_ring_seal(rig.ring);
	events = rbmap_ring_abandon(rig.ring, &unreported);
	assert_int_equal(reader()->reported, 0);
	assert_int_equal(unreported, local_read(&rig.ring->overrun));
	assert_int_equal(events + unreported, 400);
	rig_close();
}

/* Losses carried from another ring are reported with the next sub-buffer, or alone. */
static void test_carry(void **state)
{
	(void)state;
	open_ring(4, 256, RBMAP_MODE_OVERWRITE);
	rig_write_subbufs(1, 4);
	rbmap_ring_carry(rig.ring, 5);
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 5);
	/* The rig does not model another ring: call the ring directly. */
	assert_int_equal(rbmap_ring_get(rig.ring), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 5);
	assert_int_equal(reader()->reported, 5);
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 0);
	rbmap_ring_carry(rig.ring, 3);
	assert_int_equal(rbmap_ring_report_drops(rig.ring), 3);
	assert_int_equal(rbmap_ring_report_drops(rig.ring), 0);
	assert_int_equal(reader()->reported, 8);
	rig_close();
}

/* rbmap_ring_empty_reader(): the reader continues with the next sub-buffer. */
static void test_empty_reader(void **state)
{
	(void)state;
	open_ring(4, 256, RBMAP_MODE_OVERWRITE);
	assert_true(rig_write(4));
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	rbmap_ring_empty_reader(rig.ring);
	assert_true(reader()->holds);
	rig_ring_close();
	assert_true(rig_write(4));
	rbmap_ring_empty_reader(rig.ring);
	assert_false(reader()->holds);
	assert_int_equal(reader()->offset, 0);
	assert_int_equal(rig.ring->subbuf[reader()->id].header->commit, 0);
	assert_true(rbmap_ring_has_event(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 0);
	assert_int_equal(reader()->read, 2);
	close_ring();
}

/* A dropped event publishes the events that nested in it. */
static u64 clock_that_nests(void)
{
	static bool inside;

	if (!inside) {
		inside = true;
		rig_write(4);
		inside = false;
	}
	return rig.clock_max + 1;
}

static void test_drop_publishes(void **state)
{
	(void)state;
	open_ring(2, 64, RBMAP_MODE_DISCARD);
	rig_write_subbufs(1, 4);
	rig.clock = clock_that_nests;
	while (rig_write(12))
		;
	rig.clock = NULL;
	rig_check_published();
	close_ring();
}

/* Drops after the last event: the caller must ask for them ... */
static void test_trailing_drops_told(void **state)
{
	(void)state;
	open_ring(2, 64, RBMAP_MODE_DISCARD);
	rig_write_subbufs(2, 4);
	rig_write(4);
	rig_drain();
	assert_int_equal(rig.lost_drops, 0);
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 2);
	assert_int_equal(rbmap_ring_report_drops(rig.ring), 2);
	rig.lost_drops = 2;
	assert_int_equal(rbmap_ring_report_drops(rig.ring), 0);
	assert_int_equal(rbmap_ring_unreported_drops(rig.ring), 0);
	assert_int_equal(reader()->reported, 2);
	/* The next sub-buffer does not report them again. */
	rig_write(4);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(reader()->lost, 0);
	close_ring();
}

/* ... or gets them with an empty sub-buffer, made by closing twice. */
static void test_trailing_drops_in_a_subbuf(void **state)
{
	u64 last, time_stamp;
	u32 n, closes;

	(void)state;
	for (n = 2; n < 5; n++) {
		open_ring(n, 64, RBMAP_MODE_DISCARD);
		rig_write_subbufs(n, 4);
		rig_write(4);
		rig_drain();
		last = rig.ring->after;
		assert_int_equal(rig.lost_drops, 0);
		for (closes = 0; rbmap_ring_unreported_drops(rig.ring); closes++) {
			assert_true(closes < 2);
			rig_ring_close();
			if (rig_read() == RBMAP_GET_NEXT)
				assert_int_equal(rbmap_ring_unread(rig.ring), 0);
		}
		assert_int_equal(closes, 2);
		assert_int_equal(reader()->lost, 2);
		assert_int_equal(reader()->reported, 2);
		assert_true(rbmap_ring_mark_lost(rig.ring));
		kbuffer_load_subbuffer(rig.kbuf,
				       rig.ring->subbuf[reader()->id].header);
		assert_int_equal(kbuffer_missed_events(rig.kbuf), 2);
		assert_int_equal(kbuffer_subbuffer_size(rig.kbuf), 0);
		/* Its time is that of the loss, not one of the lap before. */
		time_stamp = rig.ring->subbuf[reader()->id].header->time_stamp;
		assert_true(time_stamp >= last && time_stamp <= rb_clock(0));
		assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
		rig_write(4);
		assert_int_equal(rig_read(), RBMAP_GET_NEXT);
		assert_int_equal(reader()->lost, 0);
		close_ring();
	}
}

/* A sub-buffer that a reader gets. */
struct step {
	u32	id;
	u32	from;
	u32	size;
	u64	lost;
};

static bool clone_step(struct rbmap_ring *clone, struct step *step)
{
	enum rbmap_get result = rbmap_ring_get(clone);

	step->id = clone->reader.id;
	step->from = clone->reader.offset;
	step->size = step->from + rbmap_ring_unread(clone);
	step->lost = clone->reader.lost;
	if (result != RBMAP_GET_NEXT && result != RBMAP_GET_MORE)
		return false;
	rbmap_ring_consume(clone, step->size);
	return true;
}

/*
 * A sealed ring and each of its clones can be read, each completely. RBMAP_TEST_SHORT=1: a
 * quarter of the rings.
 */
static void test_clone_of_a_sealed_ring(void **state)
{
	const u32 rings = getenv("RBMAP_TEST_SHORT") ? 1000 : 4000;
	u32 i, n, nr, more = 0, lost = 0, empty = 0, trailing = 0;
	struct rbmap_ring_subbuf subbuf[8];
	struct step step, list[16];
	struct rbmap_ring clone;
	u64 slot[7];

	(void)state;
	for (i = 0; i < rings; i++) {
		open_ring(2 + i % 5, 64 << i % 2, i / 2 % 2 ?
			  RBMAP_MODE_DISCARD : RBMAP_MODE_OVERWRITE);
		rig.random += i * 0x9e3779b97f4a7c15ULL;
		rig_play(rig_below(200), NULL);
		/* Make room; close the open sub-buffer and an empty one. */
		if (i % 3 == 0) {
			rig_read();
			rig_read();
			rig_ring_close();
			rig_ring_close();
		}
		rbmap_ring_seal(rig.ring);
		assert_false(rbmap_ring_reader_at_writer(rig.ring));
		assert_int_equal(rbmap_ring_has_closed(rig.ring),
				 rbmap_ring_has_event(rig.ring));

		rbmap_ring_clone(&clone, rig.ring, subbuf, slot);
		for (nr = 0; clone_step(&clone, &step); nr++) {
			assert_true(nr < ARRAY_SIZE(list));
			list[nr] = step;
			more += step.from != 0;
			lost += step.lost != 0;
			empty += step.lost && !step.size;
		}
		assert_false(rbmap_ring_has_event(&clone));
		assert_true(rbmap_ring_has_event(rig.ring) || !nr ||
			    !list[nr - 1].size);
		for (n = 0; n < nr; n++) {
			enum rbmap_get result = rig_read();

			assert_true(result == RBMAP_GET_NEXT ||
				    result == RBMAP_GET_MORE);
			assert_int_equal(reader()->id, list[n].id);
			assert_int_equal(reader()->offset, list[n].size);
			assert_int_equal(reader()->lost, list[n].lost);
		}
		assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
		assert_int_equal(reader()->read, clone.reader.read);
		assert_int_equal(reader()->reported, clone.reader.reported);
		assert_int_equal(rbmap_ring_unreported_drops(rig.ring),
				 rbmap_ring_unreported_drops(&clone));
		trailing += rbmap_ring_unreported_drops(rig.ring) != 0;
		close_ring();
	}
	/* All cases have occurred. */
	assert_true(more && lost && empty && trailing);
}

/* Drops before and after the events of one publication are reported once. */
static void test_drops_reported_once(void **state)
{
	u32 i;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_DISCARD);
	for (i = 0; i < 2000; i++) {
		switch (rig_below(5)) {
		case 0:
			rig_report_drops();
			break;
		case 1:
			rig_ring_close();
			break;
		case 2:
			rig_read();
			break;
		default:
			rig_write(rig_below(50));
		}
	}
	close_ring();
}

/* closed() */

static u64 seq_when_closed;

static void take_what_was_closed(void)
{
	assert_int_equal(rig.ring->nest, 0);
	assert_true(rbmap_ring_closed_unread(rig.ring) > 0);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_false(rbmap_ring_reader_at_writer(rig.ring));
	assert_true(rbmap_ring_unread(rig.ring) == 0);
	seq_when_closed = writer_seq();
}

static void test_closed(void **state)
{
	struct rig_event event;
	u32 i;

	(void)state;
	open_ring(4, 64, RBMAP_MODE_OVERWRITE);
	rig.on_closed = take_what_was_closed;
	for (i = 1; i < 10; i++) {
		rig_write_subbufs(1, 4);
		assert_int_equal(rig.closed, i);
		assert_int_equal(seq_when_closed, i);
	}
	rig_ring_close();
	assert_int_equal(rig.closed, 10);
	assert_int_equal(rig.ring->touched, 10);
	rig.on_closed = NULL;

	/* One call for all sub-buffers of a publication; none by nested writers. */
	assert_true(rig_begin(&event, 4));
	rig_write_subbufs(3, 4);
	assert_int_equal(rig.closed, 10);
	rig_commit(&event);
	assert_int_equal(rig.closed, 11);
	assert_int_equal(rig.ring->touched, 13);
	close_ring();
}

static void write_once(void)
{
	rig.on_closed = NULL;
	rig_write(4);
}

static void test_closed_writes(void **state)
{
	u32 i;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_OVERWRITE);
	for (i = 0; i < 20; i++) {
		rig.on_closed = write_once;
		rig_write_subbufs(1, 40);
		rig_check(!rig.on_closed);
		rig_check_published();
	}
	close_ring();
}

/* rbmap_ring_close() */

static void test_ring_close(void **state)
{
	struct rig_event event;
	u64 seq, tail;

	(void)state;
	open_ring(3, 64, RBMAP_MODE_OVERWRITE);
	rig_write(4);
	rig_read();
	rig_write(4);
	seq = writer_seq();

	/* Closing an earlier or a later sub-buffer does nothing. */
	tail = rig.ring->tail;
	rbmap_ring_close(rig.ring, rbmap_seq_sub(seq, 1, rig.ring->modulus));
	rbmap_ring_close(rig.ring, seq + 1);
	rig_check(rig.ring->tail == tail);

	rbmap_ring_close(rig.ring, seq);
	assert_int_equal(writer_seq(), seq + 1);
	assert_int_equal(rbmap_tail_offset(rig.ring->tail), 0);
	rbmap_ring_close(rig.ring, seq);
	assert_int_equal(writer_seq(), seq + 1);
	assert_int_equal(rig_read(), RBMAP_GET_MORE);
	assert_false(rbmap_ring_has_event(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_EMPTY);

	/* An empty sub-buffer can be closed. */
	rbmap_ring_close(rig.ring, seq + 1);
	assert_int_equal(writer_seq(), seq + 2);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_int_equal(rbmap_ring_unread(rig.ring), 0);
	assert_int_equal(rig_read(), RBMAP_GET_EMPTY);

	/* Nested in an event, whose commit then publishes ... */
	rig_write(4);
	assert_true(rig_begin(&event, 4));
	rbmap_ring_close(rig.ring, seq + 2);
	assert_int_equal(writer_seq(), seq + 2);
	assert_int_equal(rbmap_tail_seq(rig.ring->tail), seq + 3);
	rig_commit(&event);
	assert_int_equal(writer_seq(), seq + 3);

	/* ... or whose discard does. */
	rig_write(4);
	assert_true(rig_begin(&event, 4));
	rbmap_ring_close(rig.ring, seq + 3);
	rig_discard(&event);
	assert_int_equal(writer_seq(), seq + 4);
	close_ring();
}

static void test_ring_close_full(void **state)
{
	u64 seq;

	(void)state;
	open_ring(2, 64, RBMAP_MODE_DISCARD);
	rig_write_subbufs(1, 4);
	seq = writer_seq();
	rbmap_ring_close(rig.ring, seq);
	assert_int_equal(writer_seq(), seq);
	assert_int_equal(rig.ring->nest, 0);
	assert_int_equal(rbmap_ring_dropped(rig.ring), 0);
	rig_read();
	rbmap_ring_close(rig.ring, seq);
	assert_int_equal(writer_seq(), seq + 1);
	close_ring();
}

/* rbmap_ring_skip() */

static void test_skip(void **state)
{
	u32 mode, i;

	(void)state;
	for (mode = 0; mode < 2; mode++) {
		open_ring(4, 64, mode);
		rig_skip();
		assert_int_equal(reader()->read, 0);
		for (i = 0; i < 40; i++) {
			u32 n = rig_below(50);

			while (n--)
				rig_write(rig_below(20));
			if (rig_below(2))
				rig_read_bytes(rig_below(64));
			rig_skip();
			rig_check(rig.read + overrun() ==
				  rbmap_ring_entries(rig.ring));
			assert_false(rbmap_ring_has_event(rig.ring));
			assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
			rig_write(4);
			assert_true(rig_read() != RBMAP_GET_EMPTY);
		}
		close_ring();
	}
}

/* A reader lapped many times finds the oldest sub-buffer at once, and skips all. */
static void test_skip_after_many_laps(void **state)
{
	u32 n, ahead;

	(void)state;
	for (n = 100; n < 400; n += 99)
	for (ahead = 0; ahead < 2 * n; ahead += 33) {
		open_ring(n, 64, RBMAP_MODE_OVERWRITE);
		rig_write_subbufs(n + ahead, 40);
		assert_int_equal(rig_read(), RBMAP_GET_NEXT);
		rig_write_subbufs(n + ahead, 40);
		rig_skip();
		assert_false(rbmap_ring_has_event(rig.ring));
		close_ring();
	}
}

/* Hints */

static void test_hints(void **state)
{
	u32 n, i;

	(void)state;
	for (n = 2; n < 9; n++) {
		open_ring(n, 64, RBMAP_MODE_OVERWRITE);
		assert_int_equal(rbmap_ring_closed_unread(rig.ring), 0);
		rig_write(4);
		assert_false(rbmap_ring_has_closed(rig.ring));
		for (i = 1; i < 3 * n; i++) {
			rig_write_subbufs(1, 4);
			assert_true(rbmap_ring_has_closed(rig.ring));
			assert_int_equal(rbmap_ring_closed_unread(rig.ring),
					 i < n ? i : n);
			assert_true(rbmap_ring_has_event(rig.ring));
		}
		/* The open sub-buffer is the last of n. */
		for (i = n - 1; i > 0; i--) {
			rig_read();
			assert_int_equal(rbmap_ring_closed_unread(rig.ring),
					 i - 1);
			assert_int_equal(rbmap_ring_has_closed(rig.ring),
					 i > 1);
		}
		assert_true(rbmap_ring_has_event(rig.ring));
		rig_read();
		assert_true(rbmap_ring_reader_at_writer(rig.ring));
		assert_int_equal(rbmap_ring_closed_unread(rig.ring), 0);
		assert_false(rbmap_ring_has_event(rig.ring));
		rig_ring_close();
		assert_false(rbmap_ring_has_event(rig.ring));
		assert_int_equal(rbmap_ring_closed_unread(rig.ring), 0);
		rig_write(4);
		assert_true(rbmap_ring_has_event(rig.ring));
		close_ring();
	}
}

/* Hints include the unread rest of a sub-buffer that the writer has left. */
static void test_hints_of_the_rest(void **state)
{
	(void)state;
	open_ring(3, 64, RBMAP_MODE_OVERWRITE);
	rig_write(4);
	assert_int_equal(rig_read(), RBMAP_GET_NEXT);
	assert_false(rbmap_ring_has_event(rig.ring));
	rig_write(4);
	rig_write(4);
	assert_true(rbmap_ring_has_event(rig.ring));
	assert_false(rbmap_ring_has_closed(rig.ring));
	/* The writer is at the start of the next sub-buffer. */
	rig_ring_close();
	assert_true(rbmap_ring_has_event(rig.ring));
	assert_true(rbmap_ring_has_closed(rig.ring));
	assert_int_equal(rig_read_bytes(1), RBMAP_GET_MORE);
	assert_true(rbmap_ring_has_event(rig.ring));
	assert_true(rbmap_ring_has_closed(rig.ring));
	assert_int_equal(rig_read(), RBMAP_GET_MORE);
	assert_false(rbmap_ring_has_event(rig.ring));
	assert_false(rbmap_ring_has_closed(rig.ring));
	close_ring();
}

/* The ring works on after the memory of a consumed sub-buffer was replaced. */
static void test_exchange(void **state)
{
	u32 mode, n, i, exchanged = 0;
	u64 oldest;

	(void)state;
	for (mode = 0; mode < 2; mode++)
	for (n = 2; n < 6; n++) {
		open_ring(n, 64, mode);
		assert_false(rig_exchange());
		rig_write(4);
		rig_read();
		/* The writer is still in the sub-buffer. */
		assert_false(rig_exchange());
		rig_ring_close();
		assert_true(rig_exchange());
		assert_false(reader()->holds);
		assert_int_equal(reader()->offset, 0);
		assert_false(rbmap_ring_has_event(rig.ring));
		assert_int_equal(rbmap_ring_unread_bytes(rig.ring, &oldest), 0);
		assert_int_equal(rig_read(), RBMAP_GET_EMPTY);
		/* Not twice: the sub-buffer is the spare now. */
		assert_false(rig_exchange());
		for (i = 0; i < 200; i++) {
			rig_write(rig_below(30));
			if (rig_below(3))
				continue;
			rig_read_bytes(rig_below(64));
			exchanged += rig_exchange();
		}
		close_ring();
	}
	assert_true(exchanged > 100);
}

/*
 * Each read lowers the number of unread bytes by exactly the bytes read.  The time of
 * the oldest unread sub-buffer is right.
 */
static void test_unread_bytes(void **state)
{
	u64 last;
	u32 n, i;

	(void)state;
	for (n = 2; n < 9; n++) {
		open_ring(n, 64, RBMAP_MODE_OVERWRITE);
		for (i = 0; i < 400; i++) {
			u64 before, bytes, oldest, later;
			u32 offset;

			if (rig_below(3)) {
				rig_write(rig_below(30));
				continue;
			}
			before = rbmap_ring_unread_bytes(rig.ring, &oldest);
			offset = reader()->offset;
			switch (rig_read()) {
			case RBMAP_GET_NEXT:
				bytes = reader()->offset;
				break;
			case RBMAP_GET_MORE:
				bytes = reader()->offset - offset;
				break;
			default:
				bytes = 0;
				assert_int_equal(before, 0);
			}
			assert_int_equal(oldest, bytes ? rig.ring->subbuf[
					 reader()->id].header->time_stamp : 0);
			assert_int_equal(rbmap_ring_unread_bytes(rig.ring,
								 &later),
					 before - bytes);
			assert_true(!later || later >= oldest);
		}
		rig_drain();
		assert_int_equal(rbmap_ring_unread_bytes(rig.ring, &last), 0);
		assert_int_equal(last, 0);
		close_ring();
	}
}

/* The mode may change at any time. */
static void test_mode_changes(void **state)
{
	u32 i;

	(void)state;
	open_ring(3, 64, RBMAP_MODE_DISCARD);
	for (i = 0; i < 3000; i++) {
		if (!rig_below(10))
			rig.ring->mode ^= 1;
		if (!rig_below(5))
			rig_read_bytes(rig_below(60));
		rig_write(rig_below(40));
	}
	assert_true(overrun() > 100);
	assert_true(dropped(RBMAP_DROP_FULL) > 100);
	close_ring();
}

/* Consuming in parts counts the same events as consuming whole sub-buffers. */
static void test_read_in_parts(void **state)
{
	u32 part, i;

	(void)state;
	for (part = 1; part < 300; part += 7) {
		open_ring(3, 256, RBMAP_MODE_OVERWRITE);
		for (i = 0; i < 200; i++) {
			struct rig_event event;

			if (rig_below(3)) {
				rig_write(rig_below(150));
			} else {
				rig_begin(&event, 5);
				rig_write(rig_below(20));
				rig_discard(&event);
			}
			if (i % 3)
				rig_read_bytes(part);
		}
		while (rig_read_bytes(part) != RBMAP_GET_EMPTY)
			;
		close_ring();
	}
}

static void test_random(void **state)
{
	static const u32 sizes[] = { 64, 72, 128, 4096 };
	u32 i;

	(void)state;
	for (i = 0; i < 60; i++) {
		u64 random = i + 1;

		open_ring(2 + i % 7, sizes[i % 4], i % 2);
		rig.random += random << 32;
		rig_play(3000, rig_check_ids);
		close_ring();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_reader_at_writer),
		cmocka_unit_test(test_rest_of_a_left_subbuf),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_fill_largest),
		cmocka_unit_test(test_place_of_loss),
		cmocka_unit_test(test_place_of_drops),
		cmocka_unit_test(test_lapped_reader),
		cmocka_unit_test(test_commit_behind),
		cmocka_unit_test(test_stale_tail),
		cmocka_unit_test(test_drop_full),
		cmocka_unit_test(test_drop_lapped),
		cmocka_unit_test(test_lap_into_the_spare),
		cmocka_unit_test(test_drop_nested),
		cmocka_unit_test(test_overwritten_before_taken),
		cmocka_unit_test(test_drop_too_large),
		cmocka_unit_test(test_begin_late),
		cmocka_unit_test(test_abandon),
		cmocka_unit_test(test_abandon_found_loss),
		cmocka_unit_test(test_carry),
		cmocka_unit_test(test_empty_reader),
		cmocka_unit_test(test_drop_publishes),
		cmocka_unit_test(test_trailing_drops_told),
		cmocka_unit_test(test_trailing_drops_in_a_subbuf),
		cmocka_unit_test(test_clone_of_a_sealed_ring),
		cmocka_unit_test(test_drops_reported_once),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_closed_writes),
		cmocka_unit_test(test_ring_close),
		cmocka_unit_test(test_ring_close_full),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_skip_after_many_laps),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_hints_of_the_rest),
		cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_unread_bytes),
		cmocka_unit_test(test_mode_changes),
		cmocka_unit_test(test_read_in_parts),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("ring_reader", tests, NULL, NULL);
}
