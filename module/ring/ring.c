// SPDX-License-Identifier: GPL-2.0-only
/* Initialise a ring, and read its counters. */
#include <rbmap/ring/ring.h>

/**
 * rbmap_ring_init - initialise an empty ring
 * @ring: the ring, zeroed
 * @config: settings and memory of the ring
 *
 * The reader has id 0, and slot i has id i + 1.  Slot 0 is open: the first sub-buffer
 * that a reader gets is id 1.
 */
void rbmap_ring_init(struct rbmap_ring *ring,
		     const struct rbmap_ring_config *config)
{
	u64 modulus = rbmap_seq_modulus(config->nr_slots);
	u64 seq = config->first_seq;
	u32 i;

	ring->subbuf = config->subbuf;
	ring->slot = config->slot;
	ring->slot_table = config->slot_table;
	ring->ops = config->ops;
	ring->nr_slots = config->nr_slots;
	ring->modulus = modulus;
	ring->capacity = config->subbuf_size - RBMAP_SUBBUF_HEADER_SIZE;
	ring->mode = config->mode;
	ring->clock = config->clock;
	rbmap_ring_set_off(ring, false);

	for (i = 0; i < ring->nr_slots; i++) {
		u64 at = rbmap_seq_add(seq, i, modulus);
		u64 was = rbmap_seq_sub(at, ring->nr_slots, modulus);
		u64 slot = i ? rbmap_slot(was, i + 1, true) :
			       rbmap_slot(at, i + 1, false);

		ring->slot[rbmap_seq_index(at, ring->nr_slots)] = slot;
		rbmap_ring_table_slot(ring, at)->slot = slot;
		rb_resched();
	}
	ring->slot_table->modulus = modulus;
	ring->slot_table->newest = seq;
	ring->tail = rbmap_tail(seq, 1, 0);
	ring->published = ring->tail;
	ring->commit = rbmap_commit_word(seq, 0);
	ring->commit_id = 1;
	ring->tail_header = ring->subbuf[1].header;
	ring->reader.next = seq;
}

/**
 * rbmap_ring_follow - continue the time of another ring
 * @ring: the new ring
 * @old: the ring that was written before
 *
 * If both rings have the same clock, no event of @ring is earlier than an event of
 * @old, even if the clock steps back in between.
 *
 * Context: any context of @old's CPU; or any CPU while that one is offline.
 */
void rbmap_ring_follow(struct rbmap_ring *ring, struct rbmap_ring *old)
{
	if (ring->clock != old->clock)
		return;
	rbmap_ring_forget_stamps(old);
	ring->floor = READ_ONCE(old->floor);
}

/**
 * rbmap_ring_begin_late - count the events that came before the ring existed
 * @ring: the new ring; it has no reader yet
 * @lost: number of lost events; the first sub-buffer reports them
 * @disabled: number of refused events
 *
 * Context: an interrupt of the ring's CPU; or any CPU while that one is offline.
 */
void rbmap_ring_begin_late(struct rbmap_ring *ring, u64 lost, u64 disabled)
{
	u64 seq = rbmap_commit_seq(READ_ONCE(ring->commit));

	/* An NMI may write to the ring already. */
	local_add(lost, &ring->dropped[RBMAP_DROP_NO_RING]);
	local_add(disabled, &ring->disabled);
	ring->subbuf[ring->commit_id].drops_before = lost;
	WRITE_ONCE(rbmap_ring_table_slot(ring, seq)->events, lost);
}

/**
 * rbmap_ring_seal - close the last sub-buffer of a ring that is not written any more
 * @ring: the ring; no writer is in it, and none will enter it
 *
 * A reader that does not hold the reader's lock must learn of the sealing from a
 * release store of the caller after this function.
 */
void rbmap_ring_seal(struct rbmap_ring *ring)
{
	struct rbmap_ring_subbuf *subbuf = &ring->subbuf[ring->commit_id];

	subbuf->closed_events = local_read(&subbuf->events) + ring->own_events;
	WRITE_ONCE(ring->sealed, true);
}

/**
 * rbmap_ring_clone - make a second reader of the unread events
 * @clone: filled with the clone
 * @ring: the ring, sealed; it is not read during the call
 * @subbuf: array for the clone, with as many entries as @ring has
 * @slot: array for the clone, with as many words as @ring has
 *
 * The clone begins at the position of @ring's reader.  Each of the two readers reads
 * all events.  They share the memory of the sub-buffers: rbmap_ring_exchange() must
 * not be called for either.
 *
 * Context: may sleep.
 */
void rbmap_ring_clone(struct rbmap_ring *clone, const struct rbmap_ring *ring,
		      struct rbmap_ring_subbuf *subbuf, u64 *slot)
{
	u32 i;

	*clone = *ring;
	for (i = 0; i < ring->nr_slots; i++) {
		subbuf[i] = ring->subbuf[i];
		slot[i] = ring->slot[i];
		rb_resched();
	}
	subbuf[i] = ring->subbuf[i];
	clone->subbuf = subbuf;
	clone->slot = slot;
}

/**
 * rbmap_ring_dropped - number of events dropped for any cause
 * @ring: the ring
 *
 * Context: any.
 */
u64 rbmap_ring_dropped(const struct rbmap_ring *ring)
{
	u64 dropped = 0;
	int i;

	for (i = 0; i < RBMAP_NR_DROPS; i++)
		dropped += local_read(&ring->dropped[i]);
	return dropped;
}

/**
 * rbmap_ring_entries - number of events written
 * @ring: the ring
 *
 * The sum of closed and open sub-buffers can be wrong while the writer closes a
 * sub-buffer.  A caller that shows it beside the events read and lost must not show
 * less than these.
 *
 * Context: any.
 */
u64 rbmap_ring_entries(const struct rbmap_ring *ring)
{
	u32 id = READ_ONCE(ring->commit_id);

	return READ_ONCE(ring->closed_events) +
	       local_read(&ring->subbuf[id].events) + READ_ONCE(ring->own_events);
}
