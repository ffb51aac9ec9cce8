/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU's part of a buffer: its ring, its one reader at a time, its map. */
#ifndef RBMAP_CPU_BUFFER_H
#define RBMAP_CPU_BUFFER_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include "buffer.h"
#include "ring/ring.h"

/* What the counters were at the last reset: the ring's own never go back. */
struct rbmap_base {
	u64	entries;
	u64	overrun;
	u64	read;
	u64	dropped[RBMAP_NR_DROPS];
	u64	disabled;
	u64	told;
	u64	touched;
	u64	overwritten;
};

/**
 * struct rbmap_cpu_buffer - one CPU's ring and who reads it
 * @ring: first: rbmap_ring_closed() comes back from it
 * @reader_lock: one reader at a time; also @mapped, @base, @meta, @moved and
 *	@copied.  Taken with mmap_lock held, so no user memory is touched with it held
 * @mapped: maps of it
 * @meta: the meta-page; only ever written here
 * @pad: a zeroed page, where the meta-page is smaller than a sub-buffer
 * @seen: the clock when the last GET_READER began to look
 * @moved: sub-buffers that splice() has handed over as they were
 * @copied: those of which it has handed over a copy
 * @wait: readers; woken by @wake, which any context may queue
 * @notify_closed: somebody in @wait waits for the watermark
 * @wakeups: counts ioctl(fd, 0)
 */
struct rbmap_cpu_buffer {
	struct rbmap_ring	ring;
	struct rbmap_buffer	*buffer;
	int			cpu;

	struct mutex		reader_lock;
	unsigned int		mapped;
	struct rbmap_base	base;
	struct rbmap_meta	*meta;
	struct page		*pad;
	u64			seen;
	u64			moved;
	u64			copied;

	wait_queue_head_t	wait;
	struct irq_work		wake;
	bool			notify_closed;
	u32			wakeups;
};

/**
 * struct rbmap_buffer - a ring per CPU
 * @cpu_buffer: NULL where the CPU has never been on line
 * @lock: who changes the settings
 * @nr_slots: of each ring
 * @subbuf_size: bytes
 * @on: as the user wants it
 * @paused: off for a moment, while a setting changes
 */
struct rbmap_buffer {
	struct rbmap_cpu_buffer * __percpu *cpu_buffer;
	struct hlist_node	hotplug;
	struct mutex		lock;
	u32			nr_slots;
	u32			subbuf_size;
	enum rbmap_mode		mode;
	enum rbmap_clock	clock;
	unsigned int		percent;
	bool			on;
	bool			paused;
};

static inline bool rbmap_buffer_off(const struct rbmap_buffer *buf)
{
	return !buf->on || buf->paused;
}

struct rbmap_cpu_buffer *rbmap_cpu_buffer(struct rbmap_buffer *buf, int cpu);

/* cpu_buffer.c */
struct rbmap_cpu_buffer *rbmap_cpu_buffer_create(struct rbmap_buffer *buf,
						 int cpu);
void rbmap_cpu_buffer_destroy(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_buffer_reset(struct rbmap_cpu_buffer *cpu_buf);
unsigned long rbmap_cpu_buffer_bytes(const struct rbmap_buffer *buf);

/* wait.c */
void rbmap_wait_init(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_wait_exit(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_notify(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_wake_all(struct rbmap_cpu_buffer *cpu_buf);
int rbmap_wait(struct rbmap_cpu_buffer *cpu_buf, unsigned int percent,
	       bool closed);
__poll_t rbmap_poll(struct rbmap_cpu_buffer *cpu_buf, struct file *file,
		    poll_table *table);
extern const struct rbmap_ring_ops rbmap_ring_ops;

/* Whoever may have published an event looks afterwards who waits for any. */
static __always_inline void rbmap_notify_event(struct rbmap_ring *ring)
{
	if (unlikely(READ_ONCE(ring->notify_event)))
		rbmap_notify(container_of(ring, struct rbmap_cpu_buffer, ring));
}

/* take.c: with reader_lock held */
bool rbmap_close(struct rbmap_cpu_buffer *cpu_buf, u64 seq);
bool rbmap_take_mapped(struct rbmap_cpu_buffer *cpu_buf);
bool rbmap_take_copy(struct rbmap_cpu_buffer *cpu_buf,
		     struct rbmap_subbuf_header *copy);
bool rbmap_has_closed(const struct rbmap_cpu_buffer *cpu_buf);
struct rbmap_subbuf_header *
rbmap_take_closed(struct rbmap_cpu_buffer *cpu_buf,
		  struct rbmap_subbuf_header *fresh);

/* meta.c: with reader_lock held */
void rbmap_meta_init(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_meta_update(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_stats(struct rbmap_cpu_buffer *cpu_buf,
		     struct rbmap_buffer_stats *stats);

/* mmap.c */
int rbmap_mmap(struct rbmap_cpu_buffer *cpu_buf, struct vm_area_struct *vma);

/* splice.c */
ssize_t rbmap_splice(struct rbmap_cpu_buffer *cpu_buf, struct file *file,
		     struct pipe_inode_info *pipe, size_t len,
		     unsigned int flags);

#endif /* RBMAP_CPU_BUFFER_H */
