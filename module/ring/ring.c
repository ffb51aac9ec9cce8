// SPDX-License-Identifier: GPL-2.0-only
/* A ring's beginning, and its counters. */
#include <rbmap/ring/ring.h>

/**
 * rbmap_ring_init - an empty ring
 * @ring: zeroed
 * @config: what it is made of
 *
 * The reader has id 0, slot i has id i + 1: the first one taken is id 1.  The
 * first slot is open.
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
	}
	ring->slot_table->modulus = modulus;
	ring->slot_table->newest = seq;
	ring->tail = rbmap_tail(seq, 1, 0);
	ring->published = ring->tail;
	ring->commit = rbmap_commit_word(seq, 0);
	ring->commit_id = 1;
	ring->reader.next = seq;
}

/**
 * rbmap_ring_follow - begin where another ring ends
 * @ring: new
 * @old: what was written before it
 *
 * No event of @ring is earlier than one of @old, even if the clock steps back
 * between the two, if they have the same clock.
 *
 * Context: @old's CPU, any; or any CPU while that one is off line.
 */
void rbmap_ring_follow(struct rbmap_ring *ring, struct rbmap_ring *old)
{
	if (ring->clock != old->clock)
		return;
	rbmap_ring_forget_stamps(old);
	ring->floor = READ_ONCE(old->floor);
}

/**
 * rbmap_ring_begin_late - count what came before there was a ring
 * @ring: new; nobody reads it yet
 * @lost: events, of which the first sub-buffer tells
 * @disabled: events that were refused
 *
 * Context: the ring's CPU, an interrupt; or any CPU while that one is off line.
 */
void rbmap_ring_begin_late(struct rbmap_ring *ring, u64 lost, u64 disabled)
{
	u64 seq = rbmap_commit_seq(READ_ONCE(ring->commit));

	/* An NMI may write to it already. */
	local_add(lost, &ring->dropped[RBMAP_DROP_NO_RING]);
	local_add(disabled, &ring->disabled);
	ring->subbuf[ring->commit_id].drops_before = lost;
	WRITE_ONCE(rbmap_ring_table_slot(ring, seq)->events, lost);
}

/**
 * rbmap_ring_seal - all that is in it is closed, for good
 * @ring: the ring; nobody is in it, nor will anybody come
 *
 * Who learns of it by anything but the reader's lock learns of it by what the
 * caller publishes afterwards.
 */
void rbmap_ring_seal(struct rbmap_ring *ring)
{
	struct rbmap_ring_subbuf *subbuf = &ring->subbuf[ring->commit_id];

	subbuf->closed_events = local_read(&subbuf->events);
	WRITE_ONCE(ring->sealed, true);
}

/**
 * rbmap_ring_clone - another reader of what is unread
 * @clone: filled
 * @ring: sealed; nobody reads it meanwhile
 * @subbuf: as many entries as @ring has
 * @slot: as many words as @ring has
 *
 * It begins where @ring's reader is, and each of the two reads all of it.  They
 * have the memory of the sub-buffers in common: none of it may be exchanged.
 */
void rbmap_ring_clone(struct rbmap_ring *clone, const struct rbmap_ring *ring,
		      struct rbmap_ring_subbuf *subbuf, u64 *slot)
{
	*clone = *ring;
	memcpy(subbuf, ring->subbuf, (ring->nr_slots + 1) * sizeof(*subbuf));
	memcpy(slot, ring->slot, ring->nr_slots * sizeof(*slot));
	clone->subbuf = subbuf;
	clone->slot = slot;
}

/**
 * rbmap_ring_dropped - events dropped for any cause
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
 * rbmap_ring_entries - events written
 * @ring: the ring
 *
 * While the writer closes a sub-buffer the sum of the closed ones and the open
 * one can be off for a moment.  Whoever shows it next to what was read and
 * lost keeps it from falling below these.
 *
 * Context: any.
 */
u64 rbmap_ring_entries(const struct rbmap_ring *ring)
{
	u32 id = READ_ONCE(ring->commit_id);

	return READ_ONCE(ring->closed_events) +
	       local_read(&ring->subbuf[id].events);
}
