// SPDX-License-Identifier: GPL-2.0-only
/* Keep the unread events of the rings, and continue in empty rings. */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "internal.h"
#include "meta_page.h"
#include "resize.h"
#include "snapshot.h"

/**
 * rbmap_cpu_buffer_set_snapshot - set the ring that new snapshot files read
 * @cpu_buf: the CPU's part
 * @snapshot: a clone, whose reference is passed on, or NULL
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_set_snapshot(struct rbmap_cpu_buffer *cpu_buf,
				   struct rbmap_gen *snapshot)
{
	struct rbmap_gen *old;

	mutex_lock(&cpu_buf->lock);
	old = cpu_buf->snapshot;
	WRITE_ONCE(cpu_buf->snapshot, snapshot);
	mutex_unlock(&cpu_buf->lock);
	if (old)	/* model: set_snapshot_put */
		rbmap_gen_put(old);
}

/* Get the ring of which new snapshot files are clones, with a reference, or NULL. */
static struct rbmap_gen *rbmap_snapshot_get(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *snapshot;

	mutex_lock(&cpu_buf->lock);
	snapshot = cpu_buf->snapshot;
	if (snapshot)
		kref_get(&snapshot->refs);	/* model: snapshot_of */
	mutex_unlock(&cpu_buf->lock);
	return snapshot;
}

/**
 * rbmap_snapshot_of - get a CPU's snapshot, to be read from its start
 * @cpu_buf: the CPU's part
 *
 * Context: may sleep.
 * Return: a new clone, with a reference, or ERR_PTR: -ENODATA without a snapshot;
 * -ENOMEM.
 */
struct rbmap_gen *rbmap_snapshot_of(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *snapshot = rbmap_snapshot_get(cpu_buf), *clone;

	if (!snapshot)
		return ERR_PTR(-ENODATA);
	clone = rbmap_gen_clone_alloc(snapshot, __GFP_ACCOUNT);
	if (clone)
		rbmap_gen_clone(clone, snapshot);
	rbmap_gen_put(snapshot);	/* model: snapshot_of_put */
	return clone ?: ERR_PTR(-ENOMEM);
}

/**
 * rbmap_snapshot_stats - get the counters of a CPU's snapshot
 * @buf: the buffer
 * @cpu: the CPU
 * @stats: filled
 *
 * Context: may sleep.
 * Return: whether there is a snapshot.
 */
bool rbmap_snapshot_stats(struct rbmap_buffer *buf, int cpu, struct rbmap_buffer_stats *stats)
{
	struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer_with_ring(buf, cpu);
	struct rbmap_gen *snapshot = cpu_buf ? rbmap_snapshot_get(cpu_buf) : NULL;

	if (!snapshot)
		return false;
	mutex_lock(&snapshot->reader_lock);
	rbmap_gen_stats(snapshot, stats);
	mutex_unlock(&snapshot->reader_lock);
	rbmap_gen_put(snapshot);
	return true;
}

static struct rbmap_snapshots *rbmap_snapshots_alloc(gfp_t charge)
{
	struct rbmap_snapshots *snapshots =
		kvzalloc(struct_size(snapshots, gen, nr_cpu_ids), GFP_KERNEL);

	if (snapshots)
		snapshots->charge = charge;
	return snapshots;
}

/**
 * rbmap_cpu_buffer_make_snapshot - make a snapshot for the caller alone
 * @cpu_buf: the CPU's part
 *
 * Context: may sleep.
 * Return: the snapshot, with a reference, or ERR_PTR: -ENOMEM or -EINTR if nothing
 * has changed.
 */
struct rbmap_gen *
rbmap_cpu_buffer_make_snapshot(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_buffer *buf = cpu_buf->buffer;
	struct rbmap_snapshots *snapshots;
	struct rbmap_gen *snapshot;
	int err;

	snapshots = rbmap_snapshots_alloc(__GFP_ACCOUNT);
	if (!snapshots)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&buf->lock);
	err = rbmap_buffer_replace(buf, cpu_buf->cpu, NULL, buf->clock, snapshots);
	mutex_unlock(&buf->lock);
	snapshot = snapshots->gen[cpu_buf->cpu];
	kvfree(snapshots);
	return err ? ERR_PTR(err) : snapshot;
}

/**
 * rbmap_buffer_snapshot - take a snapshot of the unread events
 * @buf: the buffer; each CPU continues in an empty ring of the same size
 * @which: a CPU, or RBMAP_ALL_CPUS
 *
 * The snapshot replaces the previous one, which open files keep.  New files find it before
 * another caller can replace the rings: rbmap_buffer_renew() leaves no snapshot of before.
 *
 * Context: may sleep; takes the buffer's lock.
 * Return: 0; -ENOMEM or -EINTR if nothing has changed.
 */
int rbmap_buffer_snapshot(struct rbmap_buffer *buf, int which)
{
	struct rbmap_snapshots *snapshots;
	int cpu, err;

	err = rbmap_buffer_expand(buf);
	if (err)
		return err;
	/* The buffer keeps them, as its rings, after the process has ended. */
	snapshots = rbmap_snapshots_alloc(0);
	if (!snapshots)
		return -ENOMEM;
	mutex_lock(&buf->lock);
	err = rbmap_buffer_replace(buf, which, NULL, buf->clock, snapshots);
	for_each_possible_cpu(cpu) {
		if (snapshots->gen[cpu])
			rbmap_cpu_buffer_set_snapshot(rbmap_cpu_buffer_with_ring(buf, cpu),
						      snapshots->gen[cpu]);
	}
	mutex_unlock(&buf->lock);
	kvfree(snapshots);
	return err;
}

/**
 * rbmap_buffer_drop_snapshot - discard the snapshot
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS
 *
 * Context: may sleep.
 */
void rbmap_buffer_drop_snapshot(struct rbmap_buffer *buf, int which)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer_with_ring(buf, cpu);

		if (cpu_buf && (which == RBMAP_ALL_CPUS || which == cpu))
			rbmap_cpu_buffer_set_snapshot(cpu_buf, NULL);
	}
}

/**
 * rbmap_buffer_has_snapshot - test whether there is a snapshot
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS for any CPU
 */
bool rbmap_buffer_has_snapshot(struct rbmap_buffer *buf, int which)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rbmap_cpu_buffer *cpu_buf = rbmap_cpu_buffer_with_ring(buf, cpu);

		if (cpu_buf && (which == RBMAP_ALL_CPUS || which == cpu) &&
		    READ_ONCE(cpu_buf->snapshot))
			return true;
	}
	return false;
}
