/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packed words.
 *
 *	tail	{seq:28 | id:16 | offset/4:20}	position of the next event
 *	commit	{seq:44 | offset/4:20}		end of the published events
 *	slot	{seq:44 | id:16 | 0:3 | free:1}	sub-buffer in a slot of the ring
 *
 * seq numbers the sub-buffers in the order in which the writer opens them.  Sub-buffer
 * seq is in slot seq mod nr_slots.  seq counts modulo `modulus`, a multiple of nr_slots
 * and of 2^28: slots stay in step at the wrap, and the 28 bits in the tail determine
 * the seq near commit.
 */
#ifndef RBMAP_RING_POSITION_H
#define RBMAP_RING_POSITION_H

#include <rbmap/ring/platform.h>

#define RBMAP_OFFSET_BITS	20
#define RBMAP_ID_BITS		16
#define RBMAP_TAIL_SEQ_BITS	28
#define RBMAP_SEQ_BITS		44

#define RBMAP_OFFSET_MASK	((1ULL << RBMAP_OFFSET_BITS) - 1)
#define RBMAP_ID_MASK		((1ULL << RBMAP_ID_BITS) - 1)
#define RBMAP_TAIL_SEQ_MASK	((1ULL << RBMAP_TAIL_SEQ_BITS) - 1)

/* One id more than slots, and ids are 16 bits. */
#define RBMAP_MIN_SLOTS		2U
#define RBMAP_MAX_SLOTS		65534U

static __always_inline u64 rbmap_tail(u64 seq, u32 id, u32 offset)
{
	return (seq & RBMAP_TAIL_SEQ_MASK) << (RBMAP_ID_BITS + RBMAP_OFFSET_BITS) |
	       (u64)id << RBMAP_OFFSET_BITS | offset >> 2;
}

static __always_inline u32 rbmap_tail_seq(u64 tail)
{
	return tail >> (RBMAP_ID_BITS + RBMAP_OFFSET_BITS);
}

static __always_inline u32 rbmap_tail_id(u64 tail)
{
	return (tail >> RBMAP_OFFSET_BITS) & RBMAP_ID_MASK;
}

static __always_inline u32 rbmap_tail_offset(u64 tail)
{
	return (tail & RBMAP_OFFSET_MASK) << 2;
}

/* The offset in words. */
static __always_inline u64 rbmap_tail_word(u64 tail)
{
	return tail & RBMAP_OFFSET_MASK;
}

static __always_inline u64 rbmap_commit_word(u64 seq, u32 offset)
{
	return seq << RBMAP_OFFSET_BITS | offset >> 2;
}

static __always_inline u64 rbmap_commit_seq(u64 commit)
{
	return commit >> RBMAP_OFFSET_BITS;
}

static __always_inline u32 rbmap_commit_offset(u64 commit)
{
	return (commit & RBMAP_OFFSET_MASK) << 2;
}

static inline u64 rbmap_slot(u64 seq, u32 id, bool free)
{
	return seq << RBMAP_OFFSET_BITS | (u64)id << 4 | free;
}

static inline u64 rbmap_slot_seq(u64 slot)
{
	return slot >> RBMAP_OFFSET_BITS;
}

static inline u32 rbmap_slot_id(u64 slot)
{
	return (slot >> 4) & RBMAP_ID_MASK;
}

static inline bool rbmap_slot_free(u64 slot)
{
	return slot & 1;
}

/* The largest nr_slots * 2^k that 44 bits hold; k is 28 or more. */
static inline u64 rbmap_seq_modulus(u32 nr_slots)
{
	u64 modulus = (u64)nr_slots << RBMAP_TAIL_SEQ_BITS;

	while (modulus << 1 <= 1ULL << RBMAP_SEQ_BITS)
		modulus <<= 1;
	return modulus;
}

static inline u64 rbmap_seq_add(u64 seq, u64 n, u64 modulus)
{
	seq += n;
	return seq >= modulus ? seq - modulus : seq;
}

static inline u64 rbmap_seq_sub(u64 seq, u64 n, u64 modulus)
{
	return seq >= n ? seq - n : seq + modulus - n;
}

/* a - b, if the two are less than half the modulus apart. */
static inline s64 rbmap_seq_diff(u64 a, u64 b, u64 modulus)
{
	u64 ahead = rbmap_seq_sub(a, b, modulus);

	return ahead < modulus / 2 ? (s64)ahead : (s64)(ahead - modulus);
}

/* The seq in [base, base + 2^28) whose low 28 bits are tail_seq. */
static inline u64 rbmap_seq_expand(u32 tail_seq, u64 base, u64 modulus)
{
	u64 ahead = (tail_seq - base) & RBMAP_TAIL_SEQ_MASK;

	return rbmap_seq_add(base, ahead, modulus);
}

static inline u32 rbmap_seq_index(u64 seq, u32 nr_slots)
{
	u64 index;

	div64_u64_rem(seq, nr_slots, &index);
	return index;
}

#endif /* RBMAP_RING_POSITION_H */
