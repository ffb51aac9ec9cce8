/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A lockless ring of sub-buffers.  One CPU writes; its contexts (task, softirq, irq,
 * NMI) nest strictly.  One reader at a time, on any CPU, gets whole sub-buffers.
 *
 * There is one sub-buffer more than slots: the reader's.  Each sub-buffer, named by its
 * id, is in one slot or with the reader.  The writer opens the slots in turn.  The
 * reader gets the sub-buffer of a slot and puts its own sub-buffer there.
 *
 * Writers of each member:
 *	any context of the CPU	tail, tail_header, before, after, nest, drops, and what
 *				it reserved
 *	the publisher (the outermost context, on its way out)
 *				commit, published, header.commit and counters
 *	writer and reader, by cmpxchg
 *				slots
 *	the reader		struct rbmap_reader
 *	any context that opens a sub-buffer, and the publisher
 *				the slot table, for observers
 */
#ifndef RBMAP_RING_RING_H
#define RBMAP_RING_RING_H

#include <rbmap/ring/position.h>
#include <rbmap/ring/reservation.h>
#include <rbmap/ring/subbuf.h>

/* task, softirq, irq, NMI, and one more for machine checks and the like */
#define RBMAP_MAX_NEST	5

enum rbmap_drop {
	RBMAP_DROP_FULL,
	RBMAP_DROP_LAPPED,
	RBMAP_DROP_NESTED,
	RBMAP_DROP_TOO_LARGE,
	RBMAP_DROP_NO_RING,	/* before this ring existed */
	RBMAP_NR_DROPS,
	RBMAP_DROP_NONE = RBMAP_NR_DROPS,
};

/**
 * struct rbmap_ring_subbuf - state of a sub-buffer, by id
 * @header: its memory; written by the reader, for its own sub-buffer
 * @events: events committed since it was opened, without rbmap_ring.own_events;
 *	written by any context
 * @end: bytes of events when the tail left it; written by the context that moved the
 *	tail
 * @closed_events: value of @events when it was closed; written by the publisher
 * @first_event: number of events in the ring before its first one; written by the
 *	publisher
 * @drops_before: number of drops of the ring when it was opened; written by the
 *	publisher
 */
struct rbmap_ring_subbuf {
	struct rbmap_subbuf_header	*header;
	local_t				events;
	u32				end;
	u64				closed_events;
	u64				first_event;
	u64				drops_before;
} ____cacheline_aligned;

/**
 * struct rbmap_reader - state of the one reader; the caller holds the reader's lock
 * @id: id of the reader's sub-buffer
 * @holds: the sub-buffer is number @seq and may have unread events; else it is the
 *	spare for the next slot
 * @seq: number of the sub-buffer
 * @next: number of the next sub-buffer to get; after @seq while @holds is set
 * @offset: bytes read of the sub-buffer
 * @events: events read of the sub-buffer
 * @expected: number of the next event if no event is lost
 * @read: events read in all
 * @lost: events lost just before the sub-buffer
 * @carried: losses of an earlier ring that this ring must report
 * @reported_drops: drops reported
 * @reported: losses reported in all
 */
struct rbmap_reader {
	u32	id;
	bool	holds;
	u64	seq;
	u64	next;
	u32	offset;
	u64	events;
	u64	expected;
	u64	read;
	u64	lost;
	u64	carried;
	u64	reported_drops;
	u64	reported;
};

struct rbmap_ring;

/**
 * struct rbmap_ring_ops - callbacks of a ring
 * @closed: called after a sub-buffer was closed; any context of the ring's CPU,
 *	including NMI
 */
struct rbmap_ring_ops {
	void	(*closed)(struct rbmap_ring *ring);
};

/**
 * struct rbmap_slow_resv - result of a reservation on the slow path
 * @resv: the reservation
 * @payload: payload of the event
 *
 * One entry per nesting level.  On the caller's stack it would add a stack protector to
 * every probe.
 */
struct rbmap_slow_resv {
	struct rbmap_reservation	resv;
	void				*payload;
};

struct rbmap_ring {
	/* Written for each event. */
	u64			tail;
	u64			before;
	u64			after;
	u64			commit;
	u64			published;	/* the tail that was published last */
	/*
	 * Memory of the tail's sub-buffer.  Between the move of the tail and the store
	 * of this, the context is in the ring: rbmap_ring_reserve_fast() uses it only
	 * if no other context is.
	 */
	struct rbmap_subbuf_header	*tail_header;
	/*
	 * Read for each event: words of a sub-buffer that rbmap_ring_reserve_fast()
	 * may fill.  0: the ring is off, or its clock is not RBMAP_CLOCK_LOCAL.
	 */
	u32			try_words;
	u32			tsc_words;	/* try_words of RBMAP_CLOCK_X86_TSC */
	/* Events of the sub-buffer at commit that were published alone, by their writers */
	u32			own_events;
	u8			nest;
	bool			off;
	bool			notify_event;	/* a reader waits for any event */
	bool			sealed;		/* never written again */

	/* Written for each sub-buffer, or less often. */
	u64			closed_events ____cacheline_aligned;
	u32			commit_id;
	u32			clock;		/* enum rbmap_clock */
	u32			capacity;	/* bytes of events */
	u64			epoch;		/* top bits of the sub-buffer's time */
	/* At least the time of each event whose stamps were cleared. */
	u64			floor;
	local_t			overrun;
	local_t			dropped[RBMAP_NR_DROPS];
	local_t			disabled;
	u64			touched;	/* sub-buffers opened */
	local_t			overwritten;	/* sub-buffers, unread */

	/* Read for each sub-buffer, and for events that are not alone. */
	struct rbmap_ring_subbuf	*subbuf;	/* nr_slots + 1 of them, by id */
	u64			*slot;		/* nr_slots words */
	struct rbmap_slot_table	*slot_table;	/* for observers; never read here */
	u64			modulus;
	u32			nr_slots;
	u32			mode;		/* enum rbmap_mode */
	const struct rbmap_ring_ops *ops;

	struct rbmap_slow_resv	slow[RBMAP_MAX_NEST];

	struct rbmap_reader	reader ____cacheline_aligned;
};

/**
 * struct rbmap_ring_config - settings and memory of a ring
 * @nr_slots: number of slots, RBMAP_MIN_SLOTS to RBMAP_MAX_SLOTS
 * @subbuf_size: bytes of a sub-buffer, with its header; a power of two, 4 KiB to 4 MiB
 *	(tests may use less; a multiple of 8)
 * @mode: mode of a full ring
 * @clock: clock of the events
 * @subbuf: nr_slots + 1 zeroed entries; @header points to @subbuf_size bytes of zeroed
 *	memory
 * @slot: nr_slots words
 * @slot_table: rbmap_slot_table_size() bytes of zeroed memory, for observers
 * @ops: callbacks
 * @first_seq: first seq; tests choose one near the wrap
 */
struct rbmap_ring_config {
	u32			nr_slots;
	u32			subbuf_size;
	enum rbmap_mode		mode;
	enum rbmap_clock	clock;
	struct rbmap_ring_subbuf	*subbuf;
	u64			*slot;
	struct rbmap_slot_table	*slot_table;
	const struct rbmap_ring_ops *ops;
	u64			first_seq;
};

static inline size_t rbmap_slot_table_size(u32 nr_slots)
{
	return sizeof(struct rbmap_slot_table) +
	       nr_slots * sizeof(struct rbmap_table_slot);
}

static inline struct rbmap_table_slot *
rbmap_ring_table_slot(const struct rbmap_ring *ring, u64 seq)
{
	return &ring->slot_table->slot[rbmap_seq_index(seq, ring->nr_slots)];
}

void rbmap_ring_init(struct rbmap_ring *ring,
		     const struct rbmap_ring_config *config);
void rbmap_ring_follow(struct rbmap_ring *ring, struct rbmap_ring *old);
void rbmap_ring_begin_late(struct rbmap_ring *ring, u64 lost, u64 disabled);
void rbmap_ring_seal(struct rbmap_ring *ring);
void rbmap_ring_clone(struct rbmap_ring *clone, const struct rbmap_ring *ring,
		      struct rbmap_ring_subbuf *subbuf, u64 *slot);

/* writer.c: slow paths of reserve.h; called on the ring's CPU */
enum rbmap_drop rbmap_ring_open_next(struct rbmap_ring *ring, u64 tail);
u64 rbmap_ring_close_subbufs(struct rbmap_ring *ring, u64 commit, u64 tail);
void rbmap_ring_close(struct rbmap_ring *ring, u64 seq);
u64 rbmap_ring_other_clock(const struct rbmap_ring *ring);
void rbmap_ring_set_off(struct rbmap_ring *ring, bool off);
struct rbmap_ring *rbmap_ring_publish_slow(struct rbmap_ring *ring);
struct rbmap_ring *rbmap_ring_commit_slow(struct rbmap_ring *ring, u64 next);
void rbmap_ring_forget_stamps(struct rbmap_ring *ring);

/**
 * struct rbmap_stamp - time stamp of an event
 * @ts: time of the event, corrected if the clock stepped back
 * @type: type of the record before the event; 0: none
 * @fits: false: the event must go into the next sub-buffer
 *
 * It is returned by value, in registers: the address of no variable leaves the fast
 * path, which needs no stack protector then.
 */
struct rbmap_stamp {
	u64	ts;
	u32	type;
	bool	fits;
};

struct rbmap_stamp rbmap_ring_stamp(struct rbmap_ring *ring, u32 offset,
				    u64 before, u64 after, u64 ts);

/* reader.c: called on any CPU, one caller at a time */

/**
 * enum rbmap_get - result of rbmap_ring_get()
 * @RBMAP_GET_EMPTY: no unread event
 * @RBMAP_GET_MORE: the reader's sub-buffer has more events
 * @RBMAP_GET_NEXT: another sub-buffer; reader.lost events were lost before it
 * @RBMAP_GET_BUSY: the writer lapped the reader too often: call again
 */
enum rbmap_get {
	RBMAP_GET_EMPTY,
	RBMAP_GET_MORE,
	RBMAP_GET_NEXT,
	RBMAP_GET_BUSY,
};

enum rbmap_get rbmap_ring_get(struct rbmap_ring *ring);
u32 rbmap_ring_unread(const struct rbmap_ring *ring);
u64 rbmap_ring_unread_bytes(const struct rbmap_ring *ring, u64 *oldest);
void rbmap_ring_consume(struct rbmap_ring *ring, u32 to);
bool rbmap_ring_reader_at_writer(const struct rbmap_ring *ring);
u64 rbmap_ring_unreported_drops(const struct rbmap_ring *ring);
u64 rbmap_ring_report_drops(struct rbmap_ring *ring);
bool rbmap_ring_mark_lost(struct rbmap_ring *ring);
void rbmap_ring_skip(struct rbmap_ring *ring);
void rbmap_ring_empty_reader(struct rbmap_ring *ring);
void rbmap_ring_carry(struct rbmap_ring *ring, u64 lost);
u64 rbmap_ring_abandon(struct rbmap_ring *ring, u64 *unreported);
struct rbmap_subbuf_header *
rbmap_ring_exchange(struct rbmap_ring *ring, struct rbmap_subbuf_header *fresh);
bool rbmap_ring_has_event(const struct rbmap_ring *ring);
bool rbmap_ring_has_closed(const struct rbmap_ring *ring);
u32 rbmap_ring_closed_unread(const struct rbmap_ring *ring);

/* Counters: any context; exact while the ring is not written. */
u64 rbmap_ring_entries(const struct rbmap_ring *ring);
u64 rbmap_ring_dropped(const struct rbmap_ring *ring);

#endif /* RBMAP_RING_RING_H */
