/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One ring of a CPU, from its first writer to its last reader.  A ring never changes
 * its size or its clock: another generation replaces it, and the old one is read to
 * its end.
 */
#ifndef RBMAP_GENERATION_H
#define RBMAP_GENERATION_H

#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <rbmap/ring/ring.h>

#include "buffer.h"
#include "page_pool.h"

struct rbmap_cpu_buffer;

/* Notices that a writer sends to readers that wait. */
enum rbmap_notice {
	RBMAP_NOTICE_EVENT,	/* any event */
	RBMAP_NOTICE_CLOSED,	/* a closed sub-buffer, at the watermark */
	RBMAP_NR_NOTICES,
};

/**
 * struct rbmap_want - a notice that readers want
 * @wanted: whether a reader wants it; cleared by the wake-up
 * @commit: the ring's commit when the first of these readers wanted it
 */
struct rbmap_want {
	bool	wanted;
	u64	commit;
};

/* The counters at the last reset.  The ring's own counters never go back. */
struct rbmap_base {
	u64	entries;
	u64	overrun;
	u64	read;
	u64	dropped[RBMAP_NR_DROPS];
	u64	disabled;
	u64	reported;
	u64	touched;
	u64	overwritten;
	u64	seq;
};

/**
 * struct rbmap_expiry - losses passed from ring to ring since the last reset
 * @abandoned: number of events of this ring that were discarded unread; they count
 *	as overrun
 * @expired: number of events of earlier rings that were discarded unread
 * @lost_out: losses of this ring that are reported to the next ring's readers
 * @lost_in: losses of earlier rings that are reported to this ring's readers
 */
struct rbmap_expiry {
	u64	abandoned;
	u64	expired;
	u64	lost_out;
	u64	lost_in;
};

/**
 * enum rbmap_keep - how an open file keeps the ring that it is bound to
 * @RBMAP_KEEP_READ: until the ring is drained, or expires
 * @RBMAP_KEEP_OBSERVE: until the file has seen it, or it expires
 * @RBMAP_KEEP_MAP: as long as the file maps it
 * @RBMAP_NR_KEEPS: number of ways
 */
enum rbmap_keep {
	RBMAP_KEEP_READ,
	RBMAP_KEEP_OBSERVE,
	RBMAP_KEEP_MAP,
	RBMAP_NR_KEEPS,
};

/**
 * struct rbmap_placed_ring - the part of a ring that a writer finds
 * @ring: the ring
 * @cpu_buf: the CPU's part that the ring belongs to
 *
 * struct rbmap_gen begins with it.  A CPU without a ring has no more than this.
 */
struct rbmap_placed_ring {
	struct rbmap_ring	ring;
	struct rbmap_cpu_buffer	*cpu_buf;
};

/**
 * struct rbmap_gen - one ring and its readers
 * @ring: the ring; first, so that rbmap_ring_closed() finds the generation
 * @cpu_buf: the CPU's part that the ring belongs to
 * @refs: one reference of the queue, and one of each open file that is bound to the
 *	ring
 * @origin: for a clone, the ring whose sub-buffers it shares, with a reference,
 *	or NULL
 * @list: entry in @cpu_buf->generations, which has no clones; under @cpu_buf's lock
 * @unused: entry in the list of rings whose memory is freed later
 * @files: open files that are bound to the ring, by how they keep it; under @cpu_buf's
 *	lock
 * @queued: whether a file that is opened may start with the ring, which it does if
 *	this is the oldest one; under @cpu_buf's lock
 * @retired: whether the ring has no writers, and will have none
 * @reserved: whether a snapshot has the ring's events, so that it is queued only for
 *	present readers; under @cpu_buf's lock
 * @let_go: whether retired_size_kb has expired the ring; under @cpu_buf's lock
 * @ended: whether the end was reported to a reader that maps the ring; under
 *	@reader_lock
 * @shared: whether other rings share the sub-buffers; under @reader_lock
 * @number: number of the generation, from 1
 * @subbuf_size: bytes of a sub-buffer
 * @slot_table_size: bytes of the slot table that observers map, in whole pages; 0
 *	for a clone, which has no observers
 * @base: counters at the last reset
 * @expiry: losses passed from ring to ring; under @reader_lock
 * @reader_lock: serializes readers, and protects @mapped, @subbufs_mapped, @pad_mapped,
 *	@base, @meta, @moved, @copied, @discarded and @page_pool.  Taken with mmap_lock held, so
 *	that no user memory is accessed while it is held
 * @mapped: number of maps of the ring
 * @subbufs_mapped: number of these maps that show sub-buffers
 * @pad_mapped: number of times that these maps show @pad
 * @meta: the meta-page, which the kernel writes and never reads
 * @pad: a zeroed page, if the meta-page is smaller than a sub-buffer
 * @reader_now: time of the clock when the last GET_READER started
 * @moved: number of sub-buffers that splice() passed on without a copy
 * @copied: number of sub-buffers that splice() passed on as a copy
 * @discarded: number of unread events that were discarded; no reset restarts it
 * @page_pool: memory that splice() has moved to pipes; empty once the ring is retired
 * @wake: interrupt work that queues @wake_readers; queued from any context
 * @wake_readers: work that wakes the readers waiting in @cpu_buf
 * @notify_closed: whether the writer checks the watermark when it leaves a
 *	sub-buffer
 * @notice: notices that readers want
 */
struct rbmap_gen {
	struct rbmap_ring	ring;
	struct rbmap_cpu_buffer	*cpu_buf;
	struct kref		refs;
	struct rbmap_gen	*origin;
	struct list_head	list;
	struct llist_node	unused;
	struct list_head	files[RBMAP_NR_KEEPS];
	bool			queued;
	bool			retired;
	bool			reserved;
	bool			let_go;
	bool			ended;
	bool			shared;
	u32			number;
	u32			subbuf_size;
	u32			slot_table_size;

	struct mutex		reader_lock;
	unsigned int		mapped;
	unsigned int		subbufs_mapped;
	unsigned long		pad_mapped;
	struct rbmap_base	base;
	struct rbmap_expiry	expiry;
	struct rbmap_meta	*meta;
	struct page		*pad;
	u64			reader_now;
	u64			moved;
	u64			copied;
	u64			discarded;
	struct rbmap_page_pool	page_pool;

	struct irq_work		wake;
	struct work_struct	wake_readers;
	bool			notify_closed;
	struct rbmap_want	notice[RBMAP_NR_NOTICES];
};

/* Get the generation of a ring.  The stand-in of a CPU without a ring has none. */
static inline struct rbmap_gen *
rbmap_gen_of(struct rbmap_ring *ring)
{
	return container_of(ring, struct rbmap_gen, ring);
}

static inline struct rbmap_cpu_buffer *rbmap_ring_cpu_buffer(struct rbmap_ring *ring)
{
	static_assert(offsetof(struct rbmap_gen, ring) ==
		      offsetof(struct rbmap_placed_ring, ring));
	static_assert(offsetof(struct rbmap_gen, cpu_buf) ==
		      offsetof(struct rbmap_placed_ring, cpu_buf));
	return container_of(ring, struct rbmap_placed_ring, ring)->cpu_buf;
}

static inline struct rbmap_sizes
rbmap_sizes_of(const struct rbmap_gen *gen)
{
	return (struct rbmap_sizes) {
		.nr_slots	= gen->ring.nr_slots,
		.subbuf_size	= gen->subbuf_size,
	};
}

/*
 * Acquire: the stores of the last writer are visible if this is true.
 * litmus: generation-retire
 */
static inline bool rbmap_gen_retired(const struct rbmap_gen *gen)
{
	return smp_load_acquire(&gen->retired);
}

unsigned long rbmap_gen_bytes(const struct rbmap_sizes *sizes);
struct rbmap_gen *
rbmap_gen_create(struct rbmap_cpu_buffer *cpu_buf,
		 const struct rbmap_sizes *sizes,
		 enum rbmap_clock clock);
void rbmap_gen_free(struct rbmap_gen *gen);
void rbmap_gen_free_settle(void);
void rbmap_gen_put(struct rbmap_gen *gen);
struct rbmap_gen *
rbmap_gen_clone_alloc(struct rbmap_gen *gen, gfp_t charge);
void rbmap_gen_clone(struct rbmap_gen *clone,
		     struct rbmap_gen *gen);
void rbmap_gen_retire(struct rbmap_gen *gen);
bool rbmap_gen_drained(const struct rbmap_gen *gen);
void rbmap_gen_reset(struct rbmap_gen *gen);
void rbmap_gen_discard(struct rbmap_gen *gen);

#endif /* RBMAP_GENERATION_H */
