// SPDX-License-Identifier: GPL-2.0-only
/*
 * A limit on the memory of retired rings.  A ring that was replaced waits for its
 * readers.  If the waiting rings exceed the limit, the oldest one is released.  Its
 * unread events are lost, which is reported to the readers of the next ring.
 */
#include "expire.h"
#include "file.h"
#include "internal.h"
#include "wait.h"

static unsigned long rbmap_gen_kb(const struct rbmap_gen *gen)
{
	const struct rbmap_sizes sizes = rbmap_sizes_of(gen);

	return rbmap_gen_bytes(&sizes) >> 10;
}

/*
 * Test for a retired ring that the queue or an open file keeps, and that no file
 * maps.
 */
static bool rbmap_waits_for_reader(const struct rbmap_gen *gen)
{
	return rbmap_gen_retired(gen) && !gen->let_go &&
	       (gen->queued || rbmap_file_is_bound(gen)) && !rbmap_file_maps(gen);
}

/*
 * Find the oldest waiting ring if all of them together exceed the limit.  The last one is
 * never released.
 */
static struct rbmap_gen *
rbmap_oldest_expired(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *oldest = NULL, *last = NULL;
	unsigned long kb = 0;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry(gen, &cpu_buf->generations, list) {
		cond_resched();
		if (!rbmap_waits_for_reader(gen))
			continue;
		kb += rbmap_gen_kb(gen);
		if (!oldest)
			oldest = gen;
		last = gen;
	}
	return oldest != last &&
	       kb > READ_ONCE(cpu_buf->buffer->retired_size_kb) ? oldest : NULL;
}

/*
 * Find the ring whose readers get the report of the events that are lost with @gen.  A ring
 * without unread events is about to leave the queue, and is skipped.
 */
static struct rbmap_gen *rbmap_heir_of(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	if (!gen->queued)
		return NULL;
	do {
		gen = rbmap_next_queued(gen);
	} while (rbmap_gen_drained(gen) &&
		 !list_is_last(&gen->list, &cpu_buf->generations));
	return gen;
}

/*
 * The heir of the ring to release, with a reference and its reader_lock.  While it
 * is locked, nobody can read it to its end, so that it stays in the queue.
 */
static struct rbmap_gen *
rbmap_lock_heir(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *heir = NULL;

	mutex_lock(&cpu_buf->lock);
	gen = rbmap_oldest_expired(cpu_buf);
	if (gen)
		heir = rbmap_heir_of(gen);
	if (heir)
		kref_get(&heir->refs);	/* model: heir_get */
	mutex_unlock(&cpu_buf->lock);
	if (heir)
		mutex_lock(&heir->reader_lock);	/* model: heir_lock */
	return heir;
}

/*
 * Remove the oldest ring from the queue.  From here on no file begins to map it.  Return
 * the ring, with a reference; NULL if the limit is kept; ERR_PTR(-EAGAIN) if its heir has
 * changed.
 */
static struct rbmap_gen *
rbmap_let_go(struct rbmap_cpu_buffer *cpu_buf,
	     const struct rbmap_gen *heir)
{
	struct rbmap_gen *gen;

	mutex_lock(&cpu_buf->lock);
	gen = rbmap_oldest_expired(cpu_buf);
	if (gen && rbmap_heir_of(gen) != heir) {	/* model: heir_same */
		gen = ERR_PTR(-EAGAIN);
	} else if (gen) {
		gen->let_go = true;
		/* The reference of the queue, or one beside those of files. */
		if (!gen->queued)
			kref_get(&gen->refs);	/* model: expire_unqueue */
		WRITE_ONCE(gen->queued, false);	/* model: expire_unqueue */
	}
	mutex_unlock(&cpu_buf->lock);
	return gen;
}

/* An event is counted either as unread in @gen or as expired in @heir. */
static void rbmap_hand_on_losses(struct rbmap_gen *gen,
				 struct rbmap_gen *heir)
{
	u64 events, unreported;

	lockdep_assert_held(&gen->cpu_buf->stats_lock);
	lockdep_assert_held(&heir->reader_lock);
	mutex_lock_nested(&gen->reader_lock, SINGLE_DEPTH_NESTING);	/* model: abandon */
	events = rbmap_ring_abandon(&gen->ring, &unreported);
	gen->expiry.abandoned += events;
	gen->expiry.lost_out += unreported;
	mutex_unlock(&gen->reader_lock);

	rbmap_ring_carry(&heir->ring, events + unreported);	/* model: carry */
	heir->expiry.expired += events;
	heir->expiry.lost_in += events + unreported;
}

/**
 * rbmap_cpu_buffer_expire - release retired rings beyond the limit
 * @cpu_buf: the CPU's part
 *
 * The ring that was retired last stays, however large it is.  A ring that a file
 * maps is kept by the file, and a ring with an open snapshot by the snapshot.
 * Neither counts towards the limit.
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_expire(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen, *heir;

	do {
		mutex_lock(&cpu_buf->stats_lock);	/* model: expire_lock */
		heir = rbmap_lock_heir(cpu_buf);
		gen = rbmap_let_go(cpu_buf, heir);
		if (heir) {
			if (!IS_ERR_OR_NULL(gen))
				rbmap_hand_on_losses(gen, heir);
			mutex_unlock(&heir->reader_lock);
		}
		mutex_unlock(&cpu_buf->stats_lock);
		if (!IS_ERR_OR_NULL(gen)) {
			rbmap_files_unbind(gen, true);
			rbmap_gen_put(gen);	/* model: expire_put */
		}
		if (heir) {
			rbmap_wake_all(heir);
			rbmap_gen_put(heir);	/* model: expire_put_heir */
		}
	} while (gen);
}
