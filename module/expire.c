// SPDX-License-Identifier: GPL-2.0-only
/*
 * A limit on the memory of retired rings.  A ring that was replaced waits for
 * its readers.  Where they do not come, the oldest such ring is let go, and its
 * unread events are lost: the next ring's readers are told.
 */
#include "cpu_buffer.h"
#include "file.h"

static unsigned long rbmap_generation_kb(const struct rbmap_generation *gen)
{
	const struct rbmap_sizes sizes = rbmap_sizes_of(gen);

	return rbmap_generation_bytes(&sizes) >> 10;
}

/* A retired ring that the queue or an open file keeps, and no file maps. */
static bool rbmap_waits_for_reader(const struct rbmap_generation *gen)
{
	bool bound, mapped;

	if (!rbmap_generation_retired(gen) || gen->let_go)
		return false;
	bound = rbmap_files_of(gen, &mapped);
	return (gen->queued || bound) && !mapped;
}

/* The oldest of them, if they are too large together; never the one retired last. */
static struct rbmap_generation *
rbmap_oldest_expired(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_generation *gen, *oldest = NULL, *last = NULL;
	unsigned long kb = 0;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry(gen, &cpu_buf->generations, list) {
		if (!rbmap_waits_for_reader(gen))
			continue;
		kb += rbmap_generation_kb(gen);
		if (!oldest)
			oldest = gen;
		last = gen;
	}
	return oldest != last &&
	       kb > READ_ONCE(cpu_buf->buffer->retired_size_kb) ? oldest : NULL;
}

/*
 * Take the oldest out of the queue, and files off it.  The readers of @next, the
 * one after it in the queue, are told of its unread events.
 */
static struct rbmap_generation *
rbmap_let_go(struct rbmap_cpu_buffer *cpu_buf, struct rbmap_generation **next,
	     unsigned int *refs)
{
	struct rbmap_generation *gen;

	*next = NULL;
	*refs = 0;
	spin_lock(&cpu_buf->lock);
	gen = rbmap_oldest_expired(cpu_buf);
	if (gen) {
		gen->let_go = true;
		if (gen->queued) {
			WRITE_ONCE(gen->queued, false);
			*next = rbmap_next_queued(gen);
			kref_get(&(*next)->refs);
			++*refs;
		}
		*refs += rbmap_files_leave(gen, true);
	}
	spin_unlock(&cpu_buf->lock);
	return gen;
}

/* An event is counted as unread in the one ring, or as expired in the other. */
static void rbmap_hand_on_losses(struct rbmap_generation *gen,
				 struct rbmap_generation *next)
{
	u64 events, untold;

	lockdep_assert_held(&gen->cpu_buf->stats_lock);
	mutex_lock(&gen->reader_lock);
	events = rbmap_ring_abandon(&gen->ring, &untold);
	gen->expiry.abandoned += events;
	gen->expiry.lost_out += untold;
	mutex_unlock(&gen->reader_lock);

	mutex_lock(&next->reader_lock);
	rbmap_ring_carry(&next->ring, events + untold);
	next->expiry.expired += events;
	next->expiry.lost_in += events + untold;
	mutex_unlock(&next->reader_lock);
}

/**
 * rbmap_cpu_buffer_expire - let go of retired rings that are too many
 * @cpu_buf: the CPU's
 *
 * The ring that was retired last stays, however large it is.  A ring that a file
 * maps, and a ring whose snapshot is open, are kept by these, and do not count.
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_expire(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_generation *gen, *next;
	unsigned int refs;

	for (;;) {
		mutex_lock(&cpu_buf->stats_lock);
		gen = rbmap_let_go(cpu_buf, &next, &refs);
		if (next)
			rbmap_hand_on_losses(gen, next);
		mutex_unlock(&cpu_buf->stats_lock);
		if (!gen)
			break;
		while (refs--)
			rbmap_generation_put(gen);
		if (next) {
			rbmap_wake_all(next);
			rbmap_generation_put(next);
		}
	}
}
