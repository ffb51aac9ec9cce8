/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring with a reference model beside it.
 *
 * The model is a list of the events that writers committed, in the order of
 * their places in the ring.  Whatever the reader gets is looked up in it and
 * compared: place, size, bytes, time, and how many events were lost before.
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
 * struct written - an event that the ring made room for
 * @place: sub-buffers since the first one, and offset, of its header
 * @clock: what the clock said
 * @clock_max: the largest that it had ever said by then
 * @size: bytes of payload
 * @seed: of the payload's pattern
 * @state: how far it got
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
 * struct rig - the ring that is being tested
 * @clock: reads the time; NULL: 1 more each time
 * @clock_alone: the model notes nothing of it: any thread may read it
 * @clock_steps_back: the time may be clamped instead of exact
 * @clock_said: the last time that each depth got
 * @depth: writers that are nested now
 * @log: the model
 * @nr_log: entries of it
 * @attempts: events that somebody wanted to write
 * @discarded: of them, taken back
 * @read: events that came out
 * @lost_events: told as lost because overwritten
 * @lost_drops: told as lost because dropped
 * @last_place: where the last event read was
 * @last_time: when it was
 * @held: bytes that were read of the reader's sub-buffer, as @copy has them
 * @held_seq: where it was taken
 * @around: called before and after each call of the ring that tests interrupt
 * @closed: calls of ops.closed
 * @on_closed: called by it
 */
struct rig {
	struct rbmap_ring	*ring;
	struct rbmap_ring_config config;

	u64			(*clock)(void);
	bool			clock_alone;
	bool			clock_steps_back;
	u64			clock_said[RIG_MAX_DEPTH + 1];
	u64			clock_max;
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
 * struct decoded - an event as found in a sub-buffer
 * @offset: of its header word
 * @data: payload
 * @size: bytes of it, rounded up as the writer had to
 * @time: absolute
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
/* As rig_open() with the same memory, for tests that do it very often. */
void rig_again(enum rbmap_mode mode, u64 first_seq);
/* The log has room for this many events; what is beyond fails the test. */
void rig_open_log(u32 events);

u64 rig_random(void);
static inline u32 rig_below(u32 n)
{
	return (rig_random() >> 16) % n;
}

/* Stop the test; printf arguments. */
void rig_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
#define rig_check(condition)						\
	do {								\
		if (!(condition))					\
			rig_fail("%s:%d: %s", __FILE__, __LINE__,	\
				 #condition);				\
	} while (0)
/* What to do instead of failing the cmocka test from where we are. */
extern void (*rig_on_failure)(const char *message);

/* As module/buffer/write.c has them, compiled on their own: ring_calls.c. */
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
 * Take, check and consume: one step.  rig_read_bytes() consumes at most that
 * many bytes (whole events) of what was taken.
 */
enum rbmap_get rig_read(void);
enum rbmap_get rig_read_bytes(u32 max);
/* Take and check until nothing is left; events read. */
u64 rig_drain(void);
/* What rbmap_ring_skip() leaves behind counts as read. */
void rig_skip(void);
/* Other memory for the reader's sub-buffer, if it has done with that one. */
bool rig_exchange(void);
/* Told drops that no sub-buffer tells. */
void rig_tell_drops(void);
/*
 * So many random steps of writers that nest, commit and discard, and of a
 * reader; `each` is called before each step, or NULL.
 */
void rig_play(u32 steps, void (*each)(void));
/* Nobody is in the ring: all that was written can be read. */
void rig_check_published(void);
/*
 * What observers see now is what was committed; an interrupt or another CPU
 * may ask at any time.
 */
void rig_observe(void);
/* Nobody writes: all that was emitted is accounted for; every id is once. */
void rig_check_accounts(void);
void rig_check_ids(void);
/* Anything that went wrong shows in what follows, or in the accounts. */
void rig_finish(void);

/* Events the model has committed and nobody has read. */
u64 rig_committed(void);

/*
 * Decode events of bytes [0, size) of a sub-buffer, by linux/rbmap.h and by
 * libtraceevent, which must agree.  Returns events, at most max.
 */
u32 rig_decode(const struct rbmap_subbuf_header *header, u32 size,
	       struct decoded *events, u32 max);
/* The same by linux/rbmap.h alone, for little endian, without a copy. */
u32 rig_decode_in_place(const struct rbmap_subbuf_header *header, u32 size,
			struct decoded *events, u32 max);
/* Can a payload of that many bytes have come from that many? */
bool rig_size_is_right(u32 written, u32 decoded);

u8 rig_pattern(u32 seed, u32 i);

#endif /* RING_FIXTURE_H */
