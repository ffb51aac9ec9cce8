// SPDX-License-Identifier: GPL-2.0-only
/* One CPU's rings: which is written, which are read, what they all counted. */
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
	spin_lock(&cpu_buf->lock);
	gen->number = cpu_buf->current_gen ? cpu_buf->current_gen->number + 1 : 1;
	gen->queued = true;
	list_add_tail(&gen->list, &cpu_buf->generations);	/* model: queue */
	spin_unlock(&cpu_buf->lock);
	gen->meta->generation = gen->number;
}

/**
 * rbmap_cpu_buffer_init - a CPU that has no ring
 * @buf: the buffer that it is for; its memory is zeroed
 * @cpu: possible
 */
void rbmap_cpu_buffer_init(struct rbmap_buffer *buf, int cpu)
{
	struct rbmap_cpu_buffer *cpu_buf = per_cpu_ptr(buf->cpu_buffer, cpu);
	struct rbmap_no_ring *none = &cpu_buf->no_ring;

	cpu_buf->buffer = buf;
	cpu_buf->cpu = cpu;
	spin_lock_init(&cpu_buf->lock);
	raw_spin_lock_init(&cpu_buf->offline_lock);
	INIT_LIST_HEAD(&cpu_buf->generations);
	INIT_LIST_HEAD(&cpu_buf->files);
	mutex_init(&cpu_buf->stats_lock);
	rbmap_waiting_init(cpu_buf);

	none->gen.cpu_buf = cpu_buf;
	none->gen.ring.subbuf = &none->subbuf;
	none->subbuf.header = &none->header;
	rbmap_ring_set_off(&none->gen.ring, true);
	*per_cpu_ptr(buf->head.ring, cpu) = &none->gen.ring;
}

/**
 * rbmap_no_ring_count - say of what a CPU without a ring has written what it was
 * @cpu_buf: it has none; by whom struct rbmap_no_ring names
 *
 * To be called before the buffer is switched on or off: all that came was lost, or
 * refused, as it was then.
 */
void rbmap_no_ring_count(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_no_ring *none = &cpu_buf->no_ring;
	u64 now = local_read(&none->gen.ring.disabled);

	if (cpu_buf->buffer->on)
		none->lost += now - none->counted;
	else
		none->disabled += now - none->counted;
	none->counted = now;
}

/**
 * rbmap_no_ring_reset - count from 0
 * @cpu_buf: as for rbmap_no_ring_count()
 */
void rbmap_no_ring_reset(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_no_ring_count(cpu_buf);
	cpu_buf->no_ring.lost = 0;
	cpu_buf->no_ring.disabled = 0;
}

/**
 * rbmap_no_ring_stats - the counters of a CPU without a ring
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
		.now			= rb_clock(cpu_buf->buffer->clock),
	};
}

/**
 * rbmap_cpu_buffer_destroy - free a CPU's rings
 * @cpu_buf: no writer, no open file
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_destroy(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *next;

	rbmap_waiting_exit(cpu_buf);
	rbmap_cpu_buffer_set_snapshot(cpu_buf, NULL);
	list_for_each_entry_safe(gen, next, &cpu_buf->generations, list)
		rbmap_gen_free(gen);	/* model: destroy */
}

/**
 * rbmap_cpu_buffer_call - do what only a ring's own CPU may do
 * @cpu_buf: the CPU's; the caller has cpus_read_lock()
 * @func: called there with interrupts off; here, while that CPU is off line.  It
 *	does not sleep, and takes no lock
 * @data: for @func
 *
 * A CPU does one such thing at a time, and so do those who stand in for it: a
 * reader that closes a sub-buffer has another lock than one that installs a ring.
 * litmus: offline-close, offline-both
 *
 * Context: sleeps until it is done.
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

/* The CPU has a ring: its readers are told what came before it. */
static void rbmap_no_ring_ends(struct rbmap_gen *gen)
{
	struct rbmap_no_ring *none = &gen->cpu_buf->no_ring;

	rbmap_no_ring_count(gen->cpu_buf);
	rbmap_ring_begin_late(&gen->ring, none->lost, none->disabled);
}

/*
 * No writer below us on this CPU is between the two rings: one that is in the
 * old ring ends there first, and one that has only looked it up finds it off
 * and looks again.  So the new ring's first event is later than the old one's
 * last.  An NMI finds the one ring or the other, and is through with it at once.
 */
static void rbmap_install_on_cpu(void *data)
{
	struct rbmap_install *install = data;
	struct rbmap_ring *old = *install->ring;

	if (READ_ONCE(old->nest))
		return;
	rbmap_ring_follow(&install->gen->ring, old);
	WRITE_ONCE(*install->ring, &install->gen->ring);
	barrier();	/* an NMI that finds it off must find the other one */
	rbmap_ring_set_off(old, true);
	/* A writer that we interrupted may have an event to publish. */
	rbmap_ring_enter(old);
	rbmap_ring_publish(old);
	rbmap_notify_event(old);
	if (!install->gen->cpu_buf->current_gen)
		rbmap_no_ring_ends(install->gen);
	install->done = true;
}

/**
 * rbmap_cpu_buffer_install - have the CPU write to another ring
 * @cpu_buf: the CPU's; the caller has the buffer's lock and cpus_read_lock(), or is
 *	CPU hotplug
 * @gen: the ring; its reference goes to the queue
 *
 * Context: sleeps until no event is being written.
 * Return: the ring that was written, to be retired after a grace period; NULL:
 * there was none.
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
	 * Pairs with the acquire in rbmap_cpu_buffer().
	 * litmus: cpu-ring, replace-new-cpu
	 */
	smp_store_release(&cpu_buf->current_gen, gen);
	return old;
}

/**
 * rbmap_cpu_buffer_add_ring - a CPU's first ring
 * @cpu_buf: has none; the caller as for rbmap_cpu_buffer_install()
 * @sizes: of the ring
 *
 * Context: may sleep.
 * Return: 0, or as rbmap_gen_create().
 */
int rbmap_cpu_buffer_add_ring(struct rbmap_cpu_buffer *cpu_buf,
			      const struct rbmap_sizes *sizes)
{
	struct rbmap_gen *gen;

	/* Finding out by trying would take the memory of others. */
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
	/* Those that are older were added before. */
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
}

/* What is unread of a ring that no new file begins with is its snapshot's. */
static void rbmap_stats_to_snapshot(struct rbmap_buffer_stats *stats)
{
	stats->taken = stats->unread;
	stats->unread = 0;
	stats->unread_bytes = 0;
	stats->oldest = 0;
}

static void rbmap_gen_release(struct kref *refs)
{
	struct rbmap_gen *gen = container_of(refs,
					     struct rbmap_gen,
					     refs);
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	struct rbmap_buffer_stats stats = {};

	if (gen->origin) {
		rbmap_gen_free(gen);
		return;
	}
	mutex_lock(&cpu_buf->stats_lock);	/* model: release_lock */
	mutex_lock(&gen->reader_lock);
	rbmap_gen_stats(gen, &stats);
	mutex_unlock(&gen->reader_lock);
	rbmap_stats_to_snapshot(&stats);
	spin_lock(&cpu_buf->lock);
	list_del(&gen->list);	/* model: release_list_del */
	rbmap_stats_add(&cpu_buf->past, &stats);
	spin_unlock(&cpu_buf->lock);
	mutex_unlock(&cpu_buf->stats_lock);
	rbmap_gen_free(gen);
}

/**
 * rbmap_gen_put - give a reference back
 * @gen: a ring; it goes with its last reference
 *
 * Context: may sleep.
 */
void rbmap_gen_put(struct rbmap_gen *gen)
{
	kref_put(&gen->refs, rbmap_gen_release);	/* model: put_dec */
}

/**
 * rbmap_cpu_buffer_drop_drained - let go of rings that were read to their end
 * @cpu_buf: any
 *
 * Files that read and map nothing do not keep them either.
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_drop_drained(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *drained;
	unsigned int refs;

	do {
		drained = NULL;
		refs = 0;
		spin_lock(&cpu_buf->lock);
		list_for_each_entry(gen, &cpu_buf->generations, list) {
			/* The last one of a buffer that has ended stays. */
			if (gen->queued && rbmap_gen_drained(gen) &&
			    !list_is_last(&gen->list, &cpu_buf->generations)) {
				WRITE_ONCE(gen->queued, false);	/* model: settle_unqueue */
				drained = gen;
				refs = 1 + rbmap_files_unbind(gen, false);
				break;
			}
		}
		spin_unlock(&cpu_buf->lock);
		while (refs--)
			rbmap_gen_put(drained);	/* model: settle_put */
	} while (drained);
}

/**
 * rbmap_cpu_buffer_keep_for_snapshot - have no new file begin with a ring
 * @gen: retired, queued, and there is a snapshot of it
 *
 * A reader of the CPU's rings shall miss nothing: then it stays until the last
 * reader has gone.
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_keep_for_snapshot(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	bool leave;

	spin_lock(&cpu_buf->lock);
	gen->kept = true;	/* model: leave_to_snapshot */
	leave = gen->queued && !cpu_buf->readers;
	if (leave)
		WRITE_ONCE(gen->queued, false);
	spin_unlock(&cpu_buf->lock);
	if (leave)
		rbmap_gen_put(gen);	/* model: leave_to_snapshot_put */
}

/**
 * rbmap_cpu_buffer_keep_for_snapshots - let go of rings kept for readers alone
 * @cpu_buf: the CPU's; its last reader has gone
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_keep_for_snapshots(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *kept;

	do {
		kept = NULL;
		spin_lock(&cpu_buf->lock);
		list_for_each_entry(gen, &cpu_buf->generations, list) {
			if (gen->queued && gen->kept && !cpu_buf->readers) {
				WRITE_ONCE(gen->queued, false);	/* model: leave_to_snapshots */
				kept = gen;
				break;
			}
		}
		spin_unlock(&cpu_buf->lock);
		if (kept)
			rbmap_gen_put(kept);	/* model: leave_to_snapshots_put */
	} while (kept);
}

/* The next one, the first after NULL; stats_lock keeps them. */
static struct rbmap_gen *
rbmap_gen_next(struct rbmap_cpu_buffer *cpu_buf,
	       struct rbmap_gen *gen)
{
	struct list_head *at;

	lockdep_assert_held(&cpu_buf->stats_lock);
	spin_lock(&cpu_buf->lock);	/* model: stats_next */
	at = gen ? gen->list.next : cpu_buf->generations.next;
	gen = at == &cpu_buf->generations ? NULL :
		list_entry(at, struct rbmap_gen, list);
	spin_unlock(&cpu_buf->lock);
	return gen;
}

/**
 * rbmap_cpu_buffer_reset - forget what is unread in all rings, count from 0
 * @cpu_buf: may be written to meanwhile
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_reset(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen = NULL;

	mutex_lock(&cpu_buf->stats_lock);	/* model: stats_keep */
	memset(&cpu_buf->past, 0, sizeof(cpu_buf->past));
	while ((gen = rbmap_gen_next(cpu_buf, gen)))
		rbmap_gen_reset(gen);
	mutex_unlock(&cpu_buf->stats_lock);
	rbmap_cpu_buffer_drop_drained(cpu_buf);
}

/**
 * rbmap_cpu_buffer_stats - the counters of all rings since the last reset
 * @cpu_buf: any
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
		/* The last of these is the one that is written. */
		stats->now = s.now;
		stats->generation = s.generation;
		stats->sizes = s.sizes;
	}
	mutex_unlock(&cpu_buf->stats_lock);
}
