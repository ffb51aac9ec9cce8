/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU's part of a buffer: the ring that is written, and older rings. */
#ifndef RBMAP_CPU_BUFFER_H
#define RBMAP_CPU_BUFFER_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#include "buffer.h"
#include "generation.h"

/**
 * struct rbmap_no_ring - what a CPU without a ring writes to
 * @placed: a ring that is always off, and counts each event in `disabled`
 * @subbuf: sub-buffer on which a writer that leaves this ring publishes nothing
 * @header: header of @subbuf
 * @counted: number of events that are already added to @lost or @disabled
 * @lost: number of events that came while the buffer was on
 * @disabled: number of events that came while the buffer was off
 *
 * The members after @header are protected by the buffer's lock together with
 * cpus_read_lock(); callbacks of CPU hotplug may access them, too.
 */
struct rbmap_no_ring {
	struct rbmap_placed_ring placed;
	struct rbmap_ring_subbuf	subbuf;
	struct rbmap_subbuf_header header;
	u64			counted;
	u64			lost;
	u64			disabled;
};

/**
 * struct rbmap_cpu_buffer - one CPU's rings
 * @buffer: the buffer that this is a part of
 * @cpu: the CPU
 * @subbuf_size_kb: KiB of a sub-buffer that were set for new rings; 0: none were set.
 *	Under the buffer's lock
 * @lock: protects @generations, @past, @snapshot, @readers, and the ring that an open
 *	file is bound to.  No other lock is taken while it is held.  It is a mutex, because
 *	maps keep any number of rings in @generations
 * @generations: all rings, the oldest first
 * @current_gen: the ring that is written; NULL as long as the CPU has none.  Under
 *	the buffer's lock
 * @no_ring: stand-in that the CPU writes to as long as it has no ring
 * @snapshot: ring of which new snapshot files are clones, with a reference, or NULL.
 *	It is never read itself
 * @readers: number of open files that have consumed events, or tried to
 * @excluded: number of events that rbmap_buffer_exclude() has left out.  Only the CPU
 *	itself counts, in the context of a task
 * @excluded_before: @excluded at the last reset
 * @offline_lock: held by the CPU that does this CPU's work while this CPU is off
 *	line.  Interrupts are off while it is held, and no other lock is taken
 * @stats_lock: prevents rings from leaving @generations.  Taken before reader_lock
 * @past: counters of the rings that were freed; under both @lock and @stats_lock
 * @wait: readers that wait
 * @wakeups: number of ioctl(fd, 0) calls
 * @flags_lock: protects @flags_jiffy and @flags_set.  A reader that is about to sleep takes
 *	it
 * @flags_jiffy: jiffy in which a reader last set a flag for the writer
 * @flags_set: number of flags set in that jiffy
 * @confirm: work that tests the ring again a grace period after a flag was set
 * @confirm_again: whether another flag was set while @confirm was pending
 * @poll_work: work that tests the ring again where no flag was set
 */
struct rbmap_cpu_buffer {
	struct rbmap_buffer	*buffer;
	int			cpu;
	unsigned long		subbuf_size_kb;

	struct mutex		lock;
	struct list_head	generations;
	struct rbmap_gen	*current_gen;
	struct rbmap_no_ring	no_ring;
	struct rbmap_gen	*snapshot;
	unsigned int		readers;
	local_t			excluded;
	u64			excluded_before;
	raw_spinlock_t		offline_lock;
	struct mutex		stats_lock;
	struct rbmap_buffer_stats past;

	wait_queue_head_t	wait;
	u32			wakeups;
	spinlock_t		flags_lock;
	unsigned long		flags_jiffy;
	unsigned int		flags_set;
	struct rcu_work		confirm;
	bool			confirm_again;
	struct delayed_work	poll_work;
};

void rbmap_cpu_buffer_init(struct rbmap_buffer *buf, int cpu);
int rbmap_cpu_buffer_add_ring(struct rbmap_cpu_buffer *cpu_buf,
			      const struct rbmap_sizes *sizes);
void rbmap_cpu_buffer_remove_ring(struct rbmap_gen *gen);
void rbmap_no_ring_count(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_no_ring_reset(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_no_ring_stats(struct rbmap_cpu_buffer *cpu_buf,
			 struct rbmap_buffer_stats *stats);
void rbmap_cpu_buffer_destroy(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_buffer_call(struct rbmap_cpu_buffer *cpu_buf,
			   smp_call_func_t func, void *data);
struct rbmap_gen *
rbmap_cpu_buffer_install(struct rbmap_cpu_buffer *cpu_buf,
			 struct rbmap_gen *gen);
void rbmap_cpu_buffer_drop_drained(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_buffer_reserve_for_snapshot(struct rbmap_gen *gen);
void rbmap_cpu_buffer_release_reserved(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_buffer_reset(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_buffer_discard(struct rbmap_cpu_buffer *cpu_buf, struct rbmap_gen *gen);
void rbmap_cpu_buffer_stats(struct rbmap_cpu_buffer *cpu_buf,
			    struct rbmap_buffer_stats *stats);

#endif /* RBMAP_CPU_BUFFER_H */
