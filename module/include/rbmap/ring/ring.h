/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A lockless ring of sub-buffers: one CPU writes, whose contexts (task,
 * softirq, irq, NMI) nest strictly; one reader at a time, on any CPU, takes
 * whole sub-buffers.
 *
 * There is one sub-buffer more than slots: the reader's.  Each id is in one
 * slot, or the reader's.  The writer opens the slots in turn; the reader
 * takes the sub-buffer of a slot and leaves its own there.
 *
 * Who writes what:
 *	any context of the CPU	tail, before, after, nest, drops, and what it
 *				reserved
 *	the publisher (the outermost context, on its way out)
 *				commit and what goes with it, header.commit
 *	writer and reader, by cmpxchg
 *				slots
 *	the reader		struct rbmap_reader
 *	who opens a sub-buffer, and the publisher
 *				what is shown to observers, who take nothing
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
	RBMAP_DROP_NO_RING,	/* before there was this ring */
	RBMAP_NR_DROPS,
	RBMAP_DROP_NONE = RBMAP_NR_DROPS,
};

/**
 * struct rbmap_ring_subbuf - what the ring knows of a sub-buffer, by id
 * @header: its memory; whoever has the id, or the reader's lock
 * @events: committed in it since it was opened; any context
 * @end: bytes in it when the tail left it; who moved the tail
 * @closed_events: @events when it was closed; the publisher
 * @first_event: events that the ring had written before its first; the
 *	publisher
 * @drops_before: events that the ring had dropped when it was opened; the
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
 * struct rbmap_reader - the one reader; its caller has the lock for it
 * @id: the sub-buffer that it has
 * @holds: it was taken at @seq and may have more to read; else it is the
 *	spare for the next one taken
 * @seq: where it was taken
 * @next: what to take next; the one after @seq while that is held
 * @offset: bytes of it that were read
 * @events: events of it that were read
 * @expected: number of the event that comes next if nothing is lost
 * @read: events read
 * @lost: events lost just before the sub-buffer that it has
 * @carried: losses of an earlier ring that this ring's reader is to be told
 * @told_drops: drops that were told
 * @reported: all losses that were told
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
 * struct rbmap_ring_ops - what a ring calls
 * @closed: a sub-buffer was closed and can be taken; any context, NMI
 *	included, on the ring's CPU
 */
struct rbmap_ring_ops {
	void	(*closed)(struct rbmap_ring *ring);
};

/**
 * struct rbmap_slow_resv - what the slow half of a reservation hands back
 * @resv: the reservation
 * @payload: of the event
 *
 * Each context that is in a ring has one there.  Were it on the stack of whoever
 * reserves, all of them would watch over that.
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
	u64			published;	/* the tail, as it was published */
	u32			nest;
	/*
	 * Read for each event: as far as rbmap_ring_reserve_fast() may fill a sub-buffer; 0:
	 * the ring is off, or has another clock than RBMAP_CLOCK_LOCAL.
	 */
	u32			try_words;
	struct rbmap_ring_subbuf	*subbuf;	/* nr_slots + 1 of them, by id */
	bool			off;
	bool			notify_event;	/* somebody waits for any event */
	bool			sealed;		/* nobody writes, nor ever will */

	/* Written for each sub-buffer, or less. */
	u64			closed_events ____cacheline_aligned;
	u32			commit_id;
	u32			clock;		/* enum rbmap_clock */
	u32			capacity;	/* bytes of events */
	u64			epoch;		/* top bits of the sub-buffer's time */
	/* No event is later whose stamps were forgotten. */
	u64			floor;
	local_t			overrun;
	local_t			dropped[RBMAP_NR_DROPS];
	local_t			disabled;
	u64			touched;	/* sub-buffers opened */
	local_t			overwritten;	/* sub-buffers, unread */

	/* Read for each sub-buffer. */
	u64			*slot;		/* nr_slots words */
	struct rbmap_slot_table	*slot_table;		/* to observers; never read */
	u64			modulus;
	u32			nr_slots;
	u32			mode;		/* enum rbmap_mode */
	const struct rbmap_ring_ops *ops;

	struct rbmap_slow_resv	slow[RBMAP_MAX_NEST];

	struct rbmap_reader	reader ____cacheline_aligned;
};

/**
 * struct rbmap_ring_config - what a ring is made of
 * @nr_slots: RBMAP_MIN_SLOTS to RBMAP_MAX_SLOTS
 * @subbuf_size: bytes, header included; a power of two, 4 KiB to 4 MiB
 *	(tests may go lower; a multiple of 8)
 * @mode: what happens when the ring is full
 * @clock: of its events
 * @subbuf: nr_slots + 1 zeroed entries, @header set to zeroed memory of
 *	@subbuf_size bytes
 * @slot: nr_slots words
 * @slot_table: zeroed, rbmap_slot_table_size() bytes, for observers to look at
 * @ops: what to call
 * @first_seq: the seq to begin with; tests choose one near the wrap
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

/* writer.c: the slow paths of reserve.h; on the ring's CPU */
enum rbmap_drop rbmap_ring_open_next(struct rbmap_ring *ring, u64 tail);
u64 rbmap_ring_close_subbufs(struct rbmap_ring *ring, u64 commit, u64 tail);
void rbmap_ring_close(struct rbmap_ring *ring, u64 seq);
u64 rbmap_ring_other_clock(const struct rbmap_ring *ring, u32 words);
void rbmap_ring_set_off(struct rbmap_ring *ring, bool off);
void rbmap_ring_publish_slow(struct rbmap_ring *ring);
void rbmap_ring_forget_stamps(struct rbmap_ring *ring);

/**
 * struct rbmap_stamp - how the time of an event gets into the ring
 * @ts: the event's time, corrected if the clock stepped back
 * @type: the record to put before it, or 0
 * @fits: else the event must go into the next sub-buffer
 *
 * What is handed over by value stays in registers: the fast path has nothing on
 * its stack that another function could change.
 */
struct rbmap_stamp {
	u64	ts;
	u32	type;
	bool	fits;
};

struct rbmap_stamp rbmap_ring_stamp(struct rbmap_ring *ring, u32 offset,
				    u64 before, u64 after, u64 ts);

/* reader.c: any CPU, one caller at a time */

/**
 * enum rbmap_get - what rbmap_ring_get() found
 * @RBMAP_GET_EMPTY: nothing new
 * @RBMAP_GET_MORE: more in the sub-buffer that the reader has
 * @RBMAP_GET_NEXT: another sub-buffer; reader.lost came before it
 * @RBMAP_GET_BUSY: the writer lapped the reader again and again: call again
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

/* counters; any context, exact when nobody writes */
u64 rbmap_ring_entries(const struct rbmap_ring *ring);
u64 rbmap_ring_dropped(const struct rbmap_ring *ring);

#endif /* RBMAP_RING_RING_H */
