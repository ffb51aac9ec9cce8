/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One ring of a CPU, from the time that it is written to the time that nobody
 * reads it any more.  A ring never changes its size or its clock: another
 * generation takes its place, and the old one is read to its end.
 */
#ifndef RBMAP_GENERATION_H
#define RBMAP_GENERATION_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <rbmap/ring/ring.h>

#include "buffer.h"

struct rbmap_cpu_buffer;

/* What a writer tells readers that wait. */
enum rbmap_notice {
	RBMAP_NOTICE_EVENT,	/* any event */
	RBMAP_NOTICE_CLOSED,	/* a sub-buffer that it has left, at the watermark */
	RBMAP_NR_NOTICES,
};

/**
 * struct rbmap_want - a notice that readers want
 * @wanted: some do; the wake-up clears it
 * @commit: the ring's commit when the first of them wanted it
 */
struct rbmap_want {
	bool	wanted;
	u64	commit;
};

/* What the counters were at the last reset: the ring's own never go back. */
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
 * struct rbmap_expiry - losses that went from ring to ring since the last reset
 * @abandoned: events of this ring that were let go unread; they count as overrun
 * @expired: events of earlier rings that were let go unread
 * @lost_out: losses of this ring that the next ring's readers are told
 * @lost_in: losses of earlier rings that this ring's readers are told
 */
struct rbmap_expiry {
	u64	abandoned;
	u64	expired;
	u64	lost_out;
	u64	lost_in;
};

/**
 * struct rbmap_gen - one ring and who reads it
 * @ring: first: rbmap_ring_closed() comes back from it
 * @cpu_buf: whose it is
 * @refs: the queue has one, each open file that is bound to it has one
 * @origin: of a clone: the ring whose sub-buffers it has, with a reference
 * @list: all that there are, in @cpu_buf, without clones; under its lock
 * @queued: a file that is opened begins with it, if it is the oldest; under
 *	@cpu_buf's lock
 * @retired: nobody writes to it any more, nor ever will
 * @kept: a snapshot has its events; it is queued for readers' sake alone; under
 *	@cpu_buf's lock
 * @let_go: it was retired_size_kb that let it go; under @cpu_buf's lock
 * @ended: who maps it was told of its end; under @reader_lock
 * @shared: its sub-buffers are those of others, too; under @reader_lock
 * @number: from 1
 * @subbuf_size: bytes
 * @slot_table_size: bytes of what observers map, in whole pages; 0: a clone, which
 *	nobody observes
 * @base: the counters at the last reset
 * @expiry: losses that were handed on; under @reader_lock
 * @reader_lock: one reader at a time; also @mapped, @base, @meta, @moved and
 *	@copied.  Taken with mmap_lock held, so no user memory is touched with it held
 * @mapped: maps of it
 * @meta: the meta-page; only ever written here
 * @pad: a zeroed page, where the meta-page is smaller than a sub-buffer
 * @reader_now: the clock when the last GET_READER began to look
 * @moved: sub-buffers that splice() has handed over as they were
 * @copied: those of which it has handed over a copy
 * @wake: wakes those who wait in @cpu_buf; any context may queue it
 * @notify_closed: the writer is to notice sub-buffers that it leaves
 * @notice: what readers want to be told
 */
struct rbmap_gen {
	struct rbmap_ring	ring;
	struct rbmap_cpu_buffer	*cpu_buf;
	struct kref		refs;
	struct rbmap_gen	*origin;
	struct list_head	list;
	bool			queued;
	bool			retired;
	bool			kept;
	bool			let_go;
	bool			ended;
	bool			shared;
	u32			number;
	u32			subbuf_size;
	u32			slot_table_size;

	struct mutex		reader_lock;
	unsigned int		mapped;
	struct rbmap_base	base;
	struct rbmap_expiry	expiry;
	struct rbmap_meta	*meta;
	struct page		*pad;
	u64			reader_now;
	u64			moved;
	u64			copied;

	struct irq_work		wake;
	bool			notify_closed;
	struct rbmap_want	notice[RBMAP_NR_NOTICES];
};

static inline struct rbmap_gen *
rbmap_gen_of(struct rbmap_ring *ring)
{
	return container_of(ring, struct rbmap_gen, ring);
}

static inline struct rbmap_sizes
rbmap_sizes_of(const struct rbmap_gen *gen)
{
	return (struct rbmap_sizes) {
		.nr_slots	= gen->ring.nr_slots,
		.subbuf_size	= gen->subbuf_size,
	};
}

/* Acquire: what its last writer left can be read.  litmus: generation-retire */
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
struct rbmap_gen *
rbmap_gen_clone_alloc(struct rbmap_gen *gen);
void rbmap_gen_clone(struct rbmap_gen *clone,
		     struct rbmap_gen *gen);
void rbmap_gen_retire(struct rbmap_gen *gen);
bool rbmap_gen_drained(const struct rbmap_gen *gen);
void rbmap_gen_reset(struct rbmap_gen *gen);

#endif /* RBMAP_GENERATION_H */
