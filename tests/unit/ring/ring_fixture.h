/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring with a reference model beside it.
 *
 * The model is a list of the events that writers committed, in the order of
 * their places in the ring.  Each event that the reader gets is looked up in the model
 * and compared: place, size, bytes, time, and the number of events lost before it.
 */
#ifndef RING_FIXTURE_H
#define RING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <rbmap/ring/reserve.h>

#include <cmocka.h>
#include <traceevent/kbuffer.h>

#define RIG_MAX_DEPTH	8

enum written_state {
	WRITING,
	COMMITTED,
	READ,
};

/**
 * struct written - an event that was reserved in the ring
 * @place: place of its header: sub-buffers since the first one, and offset
 * @clock: time that the clock returned for it
 * @clock_max: largest time that the clock had returned by then
 * @size: bytes of payload
 * @seed: seed of the payload's pattern
 * @state: writing, committed or read
 */
struct written {
	u64			place;
	u64			clock;
	u64			clock_max;
	u32			size;
	u32			seed;
	enum written_state	state;
};

/**
 * struct rig - the ring under test
 * @clock: returns the time; NULL: the time increases by 1 with each call
 * @clock_alone: the model does not note the time, so any thread may read it
 * @clock_steps_back: the time of an event may be clamped instead of exact
 * @clock_said: last time that each nesting depth got
 * @clock_id: the clock that was read last
 * @clock_early: writers read the clock before they look at the ring
 * @depth: number of nested writers
 * @log: entries of the model
 * @nr_log: number of entries
 * @attempts: number of attempts to write an event
 * @discarded: number of discarded events
 * @read: number of events read
 * @lost_events: number of events reported lost because they were overwritten
 * @lost_drops: number of events reported lost because they were dropped
 * @last_place: place of the last event read
 * @last_time: time of the last event read
 * @held: bytes that were read from the reader's sub-buffer; @copy has them
 * @held_seq: seq of that sub-buffer
 * @around: called before and after each call of the ring that tests interrupt
 * @closed: number of calls of ops.closed
 * @on_closed: called by ops.closed
 */
struct rig {
	struct rbmap_ring	*ring;
	struct rbmap_ring_config config;

	u64			(*clock)(void);
	bool			clock_alone;
	bool			clock_steps_back;
	u64			clock_said[RIG_MAX_DEPTH + 1];
	u64			clock_max;
	u32			clock_id;
	bool			clock_early;
	int			depth;

	struct written		*log;
	u32			nr_log;
	u32			max_log;
	u64			attempts;
	u64			discarded;

	struct kbuffer		*kbuf;
	u8			*copy;
	u64			read;
	u64			lost_events;
	u64			lost_drops;
	u64			last_place;
	u64			last_time;
	u64			takes;
	u32			held;
	u64			held_seq;

	void			(*around)(bool enter);
	u64			closed;
	void			(*on_closed)(void);

	u64			random;
	u32			next_seed;
};

extern struct rig rig;

/* An event between rig_begin() and rig_commit() or rig_discard(). */
struct rig_event {
	struct rbmap_reservation room;
	u64			place;
	u32			seed;
	u32			size;
};

/**
 * struct decoded - an event decoded from a sub-buffer
 * @offset: offset of its header word
 * @data: payload
 * @size: bytes of payload, rounded up as the format requires
 * @time: absolute time
 */
struct decoded {
	u32		offset;
	const u8	*data;
	u32		size;
	u64		time;
};

void rig_open(u32 nr_slots, u32 subbuf_size, enum rbmap_mode mode,
	      u64 first_seq);
void rig_close(void);
/* The same as rig_open(), but with the same memory: for very many calls. */
void rig_again(enum rbmap_mode mode, u64 first_seq);
/* Make room for this many events in the log; one more fails the test. */
void rig_open_log(u32 events);

u64 rig_random(void);
static inline u32 rig_below(u32 n)
{
	return (rig_random() >> 16) % n;
}

/* Stop the test with a message in printf() format. */
void rig_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
#define rig_check(condition)						\
	do {								\
		if (!(condition))					\
			rig_fail("%s:%d: %s", __FILE__, __LINE__,	\
				 #condition);				\
	} while (0)
/* Called instead of failing the cmocka test in the current context. */
extern void (*rig_on_failure)(const char *message);

/* Calls of the ring as in module/buffer/write.c; ring_calls.c defines them. */
void *ring_call_reserve_known(struct rbmap_ring *ring, u32 size,
			      struct rbmap_reservation *room, enum rbmap_drop *drop);
void *ring_call_reserve(struct rbmap_ring *ring, u32 size,
			struct rbmap_reservation *room, enum rbmap_drop *drop);
void ring_call_commit(struct rbmap_ring *ring,
		      const struct rbmap_reservation *room);
void ring_call_discard(struct rbmap_ring *ring,
		       const struct rbmap_reservation *room);

bool rig_begin(struct rig_event *event, u32 size);
void rig_commit(struct rig_event *event);
void rig_discard(struct rig_event *event);
bool rig_write(u32 size);
/* Fill the open sub-buffer: the next event of any size goes to another one. */
void rig_fill(void);
/* Write until the writer has left this many sub-buffers. */
void rig_write_subbufs(u32 n, u32 size);
void rig_ring_close(void);

/*
 * Get a sub-buffer, check its events and consume them.  rig_read_bytes() consumes whole
 * events, at most max bytes.
 */
enum rbmap_get rig_read(void);
enum rbmap_get rig_read_bytes(u32 max);
/* Read until the ring is empty.  Return: number of events read. */
u64 rig_drain(void);
/* Call rbmap_ring_skip(); the skipped events count as read. */
void rig_skip(void);
/* Replace the memory of the reader's sub-buffer if all of it is consumed. */
bool rig_exchange(void);
/* Report drops that no sub-buffer reports. */
void rig_report_drops(void);
/*
 * Run random steps of writers that nest, commit and discard, and of a reader.  Call
 * `each` before each step unless it is NULL.
 */
void rig_play(u32 steps, void (*each)(void));
/* Check that all written events are published; no writer may be in the ring. */
void rig_check_published(void);
/*
 * Check that observers see only committed events.  May be called at any time, as by an
 * interrupt or another CPU.
 */
void rig_observe(void);
/* Check that each event is accounted for, and that each id is in one place. */
void rig_check_accounts(void);
void rig_check_ids(void);
/* Write, read and check once more: earlier faults show here at the latest. */
void rig_finish(void);

/* Number of events that are committed and not read, by the model. */
u64 rig_committed(void);

/*
 * Decode the events in bytes [0, size) of a sub-buffer by linux/rbmap.h and by
 * libtraceevent, which must agree.
 *
 * Return: number of events, at most max.
 */
u32 rig_decode(const struct rbmap_subbuf_header *header, u32 size,
	       struct decoded *events, u32 max);
/* The same by linux/rbmap.h alone, without a copy; little endian only. */
u32 rig_decode_in_place(const struct rbmap_subbuf_header *header, u32 size,
			struct decoded *events, u32 max);
/* Whether a payload of `written` bytes decodes to `decoded` bytes. */
bool rig_size_is_right(u32 written, u32 decoded);

u8 rig_pattern(u32 seed, u32 i);

#endif /* RING_FIXTURE_H */
