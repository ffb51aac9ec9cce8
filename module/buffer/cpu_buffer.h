/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU's part of a buffer: the ring that is written, and older ones. */
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

#include "buffer.h"
#include "generation.h"

/**
 * struct rbmap_no_ring - what a CPU writes to that has no ring
 * @gen: its ring is off for ever, and counts in `disabled` what comes
 * @subbuf: who leaves @gen's ring publishes nothing, but does so here
 * @header: the same
 * @counted: of the events that came
 * @lost: of these, those that came while the buffer was on
 * @disabled: of these, the others
 *
 * What follows @header belongs to whoever holds the buffer's lock and
 * cpus_read_lock(), and to callbacks of CPU hotplug.
 */
struct rbmap_no_ring {
	struct rbmap_gen	gen;
	struct rbmap_ring_subbuf	subbuf;
	struct rbmap_subbuf_header header;
	u64			counted;
	u64			lost;
	u64			disabled;
};

/**
 * struct rbmap_cpu_buffer - one CPU's rings
 * @buffer: whose it is
 * @cpu: the CPU
 * @lock: protects @generations, @files, @past, @snapshot, @readers, @flags_jiffy,
 *	@flags_set, and which ring an open file is bound to.  No other lock is taken
 *	with it held
 * @generations: all that there are, the oldest first
 * @files: open files, but those of snapshots
 * @current_gen: the one that is written; under the buffer's lock.  NULL: none, yet
 * @no_ring: what is written until then
 * @snapshot: what new files of the snapshot are clones of, with a reference, or
 *	NULL; nobody reads it itself
 * @readers: open files that have taken events, or tried to
 * @offline_lock: held by the CPU that does this CPU's work while this CPU is off
 *	line.  Interrupts are off with it held, and no other lock is taken
 * @stats_lock: no generation goes away.  Taken before reader_lock
 * @past: the counters of those that are gone; under both locks
 * @wait: readers
 * @wakeups: counts ioctl(fd, 0)
 * @flags_jiffy: when a waiter last set a flag for the writer
 * @flags_set: how many were set in that jiffy
 * @confirm: looks at the ring again, a grace period after a flag was set
 * @confirm_again: another flag was set while @confirm was pending
 * @look: looks at the ring again where no flag was set
 */
struct rbmap_cpu_buffer {
	struct rbmap_buffer	*buffer;
	int			cpu;

	spinlock_t		lock;
	struct list_head	generations;
	struct list_head	files;
	struct rbmap_gen	*current_gen;
	struct rbmap_no_ring	no_ring;
	struct rbmap_gen	*snapshot;
	unsigned int		readers;
	raw_spinlock_t		offline_lock;
	struct mutex		stats_lock;
	struct rbmap_buffer_stats past;

	wait_queue_head_t	wait;
	u32			wakeups;
	unsigned long		flags_jiffy;
	unsigned int		flags_set;
	struct rcu_work		confirm;
	bool			confirm_again;
	struct delayed_work	look;
};

void rbmap_gen_put(struct rbmap_gen *gen);
void rbmap_cpu_buffer_init(struct rbmap_buffer *buf, int cpu);
int rbmap_cpu_buffer_add_ring(struct rbmap_cpu_buffer *cpu_buf,
			      const struct rbmap_sizes *sizes);
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
void rbmap_cpu_buffer_keep_for_snapshot(struct rbmap_gen *gen);
void rbmap_cpu_buffer_keep_for_snapshots(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_buffer_reset(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_buffer_stats(struct rbmap_cpu_buffer *cpu_buf,
			    struct rbmap_buffer_stats *stats);

#endif /* RBMAP_CPU_BUFFER_H */
