// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU's rings: the one that is written, those that are read, and their counters.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <rbmap/ring/reserve.h>

#include "cpu_buffer.h"
#include "file.h"
#include "internal.h"
#include "meta_page.h"
#include "resize.h"
#include "snapshot.h"
#include "wait.h"

static void rbmap_cpu_buffer_queue(struct rbmap_cpu_buffer *cpu_buf,
				   struct rbmap_gen *gen)
{
	mutex_lock(&cpu_buf->lock);
	gen->number = cpu_buf->current_gen ? cpu_buf->current_gen->number + 1 : 1;
	gen->queued = true;
	list_add_tail(&gen->list, &cpu_buf->generations);	/* model: queue */
	mutex_unlock(&cpu_buf->lock);
	gen->meta->generation = gen->number;
}

/**
 * rbmap_cpu_buffer_init - prepare a CPU's part of a buffer, without a ring
 * @buf: the buffer; the memory of its per-CPU parts is zeroed
 * @cpu: a possible CPU
 */
void rbmap_cpu_buffer_init(struct rbmap_buffer *buf, int cpu)
{
	struct rbmap_cpu_buffer *cpu_buf = per_cpu_ptr(buf->cpu_buffer, cpu);
	struct rbmap_no_ring *none = &cpu_buf->no_ring;

	/* Each possible CPU of each buffer has one. */
	static_assert(sizeof(*none) <= 1024);
	cpu_buf->buffer = buf;
	cpu_buf->cpu = cpu;
	cpu_buf->subbuf_size_kb = buf->subbuf_size_kb;
	mutex_init(&cpu_buf->lock);
	raw_spin_lock_init(&cpu_buf->offline_lock);
	INIT_LIST_HEAD(&cpu_buf->generations);
	mutex_init(&cpu_buf->stats_lock);
	rbmap_cpu_wait_init(cpu_buf);

	none->placed.cpu_buf = cpu_buf;
	none->placed.ring.subbuf = &none->subbuf;
	none->subbuf.header = &none->header;
	rbmap_ring_set_off(&none->placed.ring, true);
	*per_cpu_ptr(buf->head.ring, cpu) = &none->placed.ring;
}

static u64 rbmap_cpu_buffer_excluded(struct rbmap_cpu_buffer *cpu_buf)
{
	return (u64)local_read(&cpu_buf->excluded) - cpu_buf->excluded_before;
}

static void rbmap_excluded_reset(struct rbmap_cpu_buffer *cpu_buf)
{
	cpu_buf->excluded_before = local_read(&cpu_buf->excluded);
}

/**
 * rbmap_no_ring_count - add up the events of a CPU without a ring
 * @cpu_buf: a CPU without a ring; struct rbmap_no_ring names the locks that are
 *	needed
 *
 * Call this before the buffer is switched on or off.  All events since the last call
 * came in the state that the buffer has now, and count as lost or as disabled.
 */
void rbmap_no_ring_count(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_no_ring *none = &cpu_buf->no_ring;
	u64 now = local_read(&none->placed.ring.disabled);

	if (rbmap_cpu_buffer_is_on(cpu_buf))
		none->lost += now - none->counted;
	else
		none->disabled += now - none->counted;
	none->counted = now;
}

/**
 * rbmap_no_ring_reset - restart the counters of a CPU without a ring at 0
 * @cpu_buf: as for rbmap_no_ring_count()
 */
void rbmap_no_ring_reset(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_no_ring_count(cpu_buf);
	cpu_buf->no_ring.lost = 0;
	cpu_buf->no_ring.disabled = 0;
	rbmap_excluded_reset(cpu_buf);
}

/**
 * rbmap_no_ring_stats - get the counters of a CPU without a ring
 * @cpu_buf: as for rbmap_no_ring_count()
 * @stats: filled
 */
void rbmap_no_ring_stats(struct rbmap_cpu_buffer *cpu_buf,
			 struct rbmap_buffer_stats *stats)
{
	rbmap_no_ring_count(cpu_buf);
	*stats = (struct rbmap_buffer_stats) {
		.dropped_no_ring	= cpu_buf->no_ring.lost,
		.lost			= cpu_buf->no_ring.lost,
		.disabled		= cpu_buf->no_ring.disabled,
		.excluded		= rbmap_cpu_buffer_excluded(cpu_buf),
		.now			= rb_clock(cpu_buf->buffer->clock),
	};
	if (cpumask_test_cpu(cpu_buf->cpu, &cpu_buf->buffer->awaiting))
		stats->sizes = cpu_buf->buffer->sizes;
}

/**
 * rbmap_cpu_buffer_destroy - free a CPU's rings
 * @cpu_buf: the CPU's part, without writers and open files
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_destroy(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *next;

	rbmap_cpu_wait_exit(cpu_buf);
	rbmap_cpu_buffer_set_snapshot(cpu_buf, NULL);
	list_for_each_entry_safe(gen, next, &cpu_buf->generations, list)
		rbmap_gen_free(gen);	/* model: destroy */
}

/**
 * rbmap_cpu_buffer_call - run a function that only the ring's own CPU may run
 * @cpu_buf: the CPU's part; the caller has cpus_read_lock()
 * @func: called on the ring's CPU with interrupts off, or on this CPU while that one
 *	is off line.  It must not sleep or take a lock
 * @data: argument of @func
 *
 * A CPU runs one such function at a time.  CPUs that stand in for it must do so,
 * too, but their callers hold different locks: one closes a sub-buffer, the other
 * installs a ring.  Hence @offline_lock.
 * litmus: offline-close, offline-both
 *
 * Context: sleeps until @func has returned.
 */
void rbmap_cpu_buffer_call(struct rbmap_cpu_buffer *cpu_buf,
			   smp_call_func_t func, void *data)
{
	unsigned long flags;

	if (cpu_online(cpu_buf->cpu)) {
		smp_call_function_single(cpu_buf->cpu, func, data, 1);
		return;
	}
	raw_spin_lock_irqsave(&cpu_buf->offline_lock, flags);
	func(data);
	raw_spin_unlock_irqrestore(&cpu_buf->offline_lock, flags);
}

struct rbmap_install {
	struct rbmap_ring	**ring;
	struct rbmap_gen	*gen;
	bool			done;
};

/* The CPU gets its first ring, whose readers are told of the losses before it. */
static void rbmap_no_ring_ends(struct rbmap_gen *gen)
{
	struct rbmap_no_ring *none = &gen->cpu_buf->no_ring;

	rbmap_no_ring_count(gen->cpu_buf);
	rbmap_ring_begin_late(&gen->ring, none->lost, none->disabled);
}

/*
 * No interrupted writer on this CPU is between the two rings.  If there is one
 * inside the old ring, the installation waits until that writer has left.  A writer
 * that has only looked the old ring up finds it off and looks again.  So the first
 * event of the new ring is later than the last event of the old one.  An NMI finds
 * either ring, and has left it when it returns.
 */
static void rbmap_install_on_cpu(void *data)
{
	struct rbmap_install *install = data;
	struct rbmap_ring *old = *install->ring;

	if (READ_ONCE(old->nest))
		return;
	rbmap_ring_follow(&install->gen->ring, old);
	WRITE_ONCE(*install->ring, &install->gen->ring);
	barrier();	/* an NMI that finds the old ring off must find the new one */
	rbmap_ring_set_off(old, true);
	/* An interrupted writer may have an event to publish. */
	rbmap_ring_enter(old);
	rbmap_ring_publish(old);
	rbmap_notify_event(old);
	if (!install->gen->cpu_buf->current_gen)
		rbmap_no_ring_ends(install->gen);
	install->done = true;
}

/**
 * rbmap_cpu_buffer_install - replace the ring that a CPU writes
 * @cpu_buf: the CPU's part; the caller has the buffer's lock and cpus_read_lock(),
 *	or is a callback of CPU hotplug
 * @gen: the new ring; the queue gets the caller's reference
 *
 * Context: sleeps until no event is being written.
 * Return: the old ring, which the caller retires after a grace period; NULL if there
 * was no ring.
 */
struct rbmap_gen *
rbmap_cpu_buffer_install(struct rbmap_cpu_buffer *cpu_buf,
			 struct rbmap_gen *gen)
{
	struct rbmap_gen *old = cpu_buf->current_gen;
	struct rbmap_install install = {
		.ring	= per_cpu_ptr(cpu_buf->buffer->head.ring, cpu_buf->cpu),
		.gen	= gen,
	};

	rbmap_cpu_buffer_queue(cpu_buf, gen);
	for (;;) {
		rbmap_cpu_buffer_call(cpu_buf, rbmap_install_on_cpu, &install);
		if (install.done)
			break;
		usleep_range(10, 100);
	}
	/*
	 * Pairs with the acquire in rbmap_cpu_buffer_with_ring().
	 * litmus: cpu-ring, replace-new-cpu
	 */
	smp_store_release(&cpu_buf->current_gen, gen);
	/* A reader of all CPUs waits for the first ring of each, too. */
	if (!old)
		wake_up_all(&cpu_buf->wait);
	return old;
}

/**
 * rbmap_cpu_buffer_add_ring - create a CPU's first ring
 * @cpu_buf: a CPU's part without a ring; locks as for rbmap_cpu_buffer_install()
 * @sizes: sizes of the ring
 *
 * Context: may sleep.
 * Return: 0 or an error of rbmap_gen_create().
 */
int rbmap_cpu_buffer_add_ring(struct rbmap_cpu_buffer *cpu_buf,
			      const struct rbmap_sizes *sizes)
{
	struct rbmap_gen *gen;

	/* Check first: an allocation that fails takes memory from others. */
	if (!rbmap_sizes_fit(sizes, 1))
		return -ENOMEM;
	gen = rbmap_gen_create(cpu_buf, sizes, cpu_buf->buffer->clock);
	if (IS_ERR(gen))
		return PTR_ERR(gen);
	rbmap_cpu_buffer_install(cpu_buf, gen);
	return 0;
}

static void rbmap_stats_add(struct rbmap_buffer_stats *sum,
			    const struct rbmap_buffer_stats *s)
{
	sum->entries += s->entries;
	sum->overrun += s->overrun;
	sum->read += s->read;
	sum->unread += s->unread;
	sum->taken += s->taken;
	sum->unread_bytes += s->unread_bytes;
	/* The caller adds the rings from the oldest on. */
	if (!sum->oldest)
		sum->oldest = s->oldest;
	sum->dropped_full += s->dropped_full;
	sum->dropped_lapped += s->dropped_lapped;
	sum->dropped_nested += s->dropped_nested;
	sum->dropped_too_large += s->dropped_too_large;
	sum->dropped_no_ring += s->dropped_no_ring;
	sum->disabled += s->disabled;
	sum->expired += s->expired;
	sum->lost += s->lost;
	sum->lost_reported += s->lost_reported;
	sum->subbufs_touched += s->subbufs_touched;
	sum->subbufs_lost += s->subbufs_lost;
	sum->moved += s->moved;
	sum->copied += s->copied;
	sum->discarded += s->discarded;
}

/*
 * The unread events of a ring that no new file starts with belong to its snapshot.
 */
static void rbmap_stats_to_snapshot(struct rbmap_buffer_stats *stats)
{
	stats->taken = stats->unread;
	stats->unread = 0;
	stats->unread_bytes = 0;
	stats->oldest = 0;
}

/**
 * rbmap_cpu_buffer_remove_ring - take a ring out of its CPU's list, and keep its counters
 * @gen: a ring without references, which is no clone
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_remove_ring(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	struct rbmap_buffer_stats stats = {};

	mutex_lock(&cpu_buf->stats_lock);	/* model: release_lock */
	mutex_lock(&gen->reader_lock);
	rbmap_gen_stats(gen, &stats);
	mutex_unlock(&gen->reader_lock);
	rbmap_stats_to_snapshot(&stats);
	mutex_lock(&cpu_buf->lock);
	list_del(&gen->list);	/* model: release_list_del */
	rbmap_stats_add(&cpu_buf->past, &stats);
	mutex_unlock(&cpu_buf->lock);
	mutex_unlock(&cpu_buf->stats_lock);
}

/**
 * rbmap_cpu_buffer_drop_drained - release the rings that were read to their end
 * @cpu_buf: any CPU's part
 *
 * A file that reads such a ring without mapping it is bound to a later ring.
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_drop_drained(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *drained;

	do {
		drained = NULL;
		mutex_lock(&cpu_buf->lock);
		list_for_each_entry(gen, &cpu_buf->generations, list) {
			cond_resched();
			/* The last ring of a buffer that has ended stays. */
			if (gen->queued && rbmap_gen_drained(gen) &&
			    !list_is_last(&gen->list, &cpu_buf->generations)) {
				WRITE_ONCE(gen->queued, false);	/* model: drained_unqueue */
				drained = gen;
				break;
			}
		}
		mutex_unlock(&cpu_buf->lock);
		if (drained) {
			rbmap_files_unbind(drained, false);
			rbmap_gen_put(drained);	/* model: drained_put */
		}
	} while (drained);
}

/**
 * rbmap_cpu_buffer_reserve_for_snapshot - keep new files from starting with a ring
 * @gen: a retired and queued ring of which there is a snapshot
 *
 * If the CPU's rings have readers, the ring stays queued until the last reader is
 * gone, so that they miss no event.
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_reserve_for_snapshot(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	bool leave;

	mutex_lock(&cpu_buf->lock);
	gen->reserved = true;	/* model: reserve_for_snapshot */
	leave = gen->queued && !cpu_buf->readers;
	if (leave)
		WRITE_ONCE(gen->queued, false);
	mutex_unlock(&cpu_buf->lock);
	if (leave)
		rbmap_gen_put(gen);	/* model: reserve_for_snapshot_put */
}

/**
 * rbmap_cpu_buffer_release_reserved - release the rings that were kept for readers
 * @cpu_buf: the CPU's part, whose last reader is gone
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_release_reserved(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *kept;

	do {
		kept = NULL;
		mutex_lock(&cpu_buf->lock);
		list_for_each_entry(gen, &cpu_buf->generations, list) {
			cond_resched();
			if (gen->queued && gen->reserved && !cpu_buf->readers) {
				WRITE_ONCE(gen->queued, false);	/* model: release_reserved */
				kept = gen;
				break;
			}
		}
		mutex_unlock(&cpu_buf->lock);
		if (kept)
			rbmap_gen_put(kept);	/* model: release_reserved_put */
	} while (kept);
}

/* The ring after @gen, or the first one if @gen is NULL.  stats_lock keeps both. */
static struct rbmap_gen *
rbmap_gen_next(struct rbmap_cpu_buffer *cpu_buf,
	       struct rbmap_gen *gen)
{
	struct list_head *at;

	lockdep_assert_held(&cpu_buf->stats_lock);
	mutex_lock(&cpu_buf->lock);	/* model: stats_next */
	at = gen ? gen->list.next : cpu_buf->generations.next;
	gen = at == &cpu_buf->generations ? NULL :
		list_entry(at, struct rbmap_gen, list);
	mutex_unlock(&cpu_buf->lock);
	return gen;
}

/**
 * rbmap_cpu_buffer_reset - discard the unread events of all rings, and count from 0
 * @cpu_buf: the CPU's part, which may be written concurrently
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_reset(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen = NULL;
	u64 discarded;

	mutex_lock(&cpu_buf->stats_lock);	/* model: stats_keep */
	discarded = cpu_buf->past.discarded;
	memset(&cpu_buf->past, 0, sizeof(cpu_buf->past));
	cpu_buf->past.discarded = discarded;
	rbmap_excluded_reset(cpu_buf);
	while ((gen = rbmap_gen_next(cpu_buf, gen)))
		rbmap_gen_reset(gen);
	mutex_unlock(&cpu_buf->stats_lock);
	rbmap_cpu_buffer_drop_drained(cpu_buf);
}

/**
 * rbmap_cpu_buffer_discard - discard the events that a reader would still get
 * @cpu_buf: the CPU's part, which may be written concurrently
 * @gen: the ring that the reader is in.  It may be one that a snapshot has taken, and
 *	that only present readers still read
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_discard(struct rbmap_cpu_buffer *cpu_buf, struct rbmap_gen *gen)
{
	struct rbmap_gen *at = NULL;

	mutex_lock(&cpu_buf->stats_lock);	/* model: stats_keep */
	while ((at = rbmap_gen_next(cpu_buf, at)))
		if (at == gen || READ_ONCE(at->queued))
			rbmap_gen_discard(at);
	mutex_unlock(&cpu_buf->stats_lock);
	rbmap_cpu_buffer_drop_drained(cpu_buf);
}

/**
 * rbmap_cpu_buffer_stats - get the counters of all rings since the last reset
 * @cpu_buf: any CPU's part
 * @stats: filled
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_stats(struct rbmap_cpu_buffer *cpu_buf,
			    struct rbmap_buffer_stats *stats)
{
	struct rbmap_gen *gen = NULL;
	struct rbmap_buffer_stats s;

	mutex_lock(&cpu_buf->stats_lock);	/* model: stats_keep */
	*stats = cpu_buf->past;
	stats->excluded = rbmap_cpu_buffer_excluded(cpu_buf);
	while ((gen = rbmap_gen_next(cpu_buf, gen))) {
		mutex_lock(&gen->reader_lock);	/* model: stats_ring */
		rbmap_gen_stats(gen, &s);
		mutex_unlock(&gen->reader_lock);
		if (!READ_ONCE(gen->queued))
			rbmap_stats_to_snapshot(&s);
		rbmap_stats_add(stats, &s);
		if (rbmap_gen_retired(gen)) {
			stats->retired_rings++;
			stats->retired_bytes += rbmap_gen_bytes(&s.sizes);
			continue;
		}
		/* The last ring that is not retired is the one that is written. */
		stats->now = s.now;
		stats->generation = s.generation;
		stats->sizes = s.sizes;
	}
	stats->readers = READ_ONCE(cpu_buf->readers);
	mutex_unlock(&cpu_buf->stats_lock);
}
