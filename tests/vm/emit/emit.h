/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of emit.ko: who reads them can tell what each byte must be, and
 * which are missing.
 *
 * Each context of each CPU counts its events.  Number, context and CPU decide
 * on the size; an event of 5 bytes or more has all three in it.  Smaller ones
 * (EMIT_TINY) do not, but are known by their length in the ring; on each CPU
 * one context alone writes such, so that they can be told by those around them.
 */
#ifndef EMIT_H
#define EMIT_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <stdbool.h>
#include <string.h>
#endif

enum emit_context {
	EMIT_TASK,
	EMIT_SOFTIRQ,	/* an hrtimer */
	EMIT_TIMER,	/* softirq too: a timer_list */
	EMIT_IRQ,	/* an hrtimer */
	EMIT_IRQ_WORK,
	EMIT_NMI,
	EMIT_CONTEXTS,
};

#define EMIT_CPUS	32

/* Events smaller than this have no room for their number. */
#define EMIT_TINY	5U

/* One in so many is larger than all that the buffer takes, if it may be. */
#define EMIT_TOO_LARGE	61

/**
 * struct emit_event - how an event begins, if it is so long
 * @number: counts the context's events on the CPU, from 0
 * @who: context, and CPU * 8
 * @fill: like what follows, a pattern that number and who decide on
 * @before: the ring's clock before the event was reserved
 * @after: the ring's clock behind that; 0: not known
 *
 * The two times are there where both have room.
 */
struct emit_event {
	__u32	number;
	__u8	who;
	__u8	fill[3];
	__u64	before;
	__u64	after;
} __attribute__((packed, aligned(4)));

#define EMIT_HEAD	8U	/* before the times */

/**
 * struct emit_rule - what decides on sizes, besides number, context and CPU
 * @max: bytes of the largest event
 * @tiny: the context of CPU 0 that writes tiny events, of CPU 1 the next one...
 * @too_large: some are larger than @max
 */
struct emit_rule {
	__u32	max;
	__u32	tiny;
	__u32	too_large;
};

static inline __u32 emit_hash(__u32 x)
{
	x = (x ^ x >> 16) * 0x85ebca6b;
	x = (x ^ x >> 13) * 0xc2b2ae35;
	return x ^ x >> 16;
}

static inline unsigned int emit_who(unsigned int cpu, unsigned int context)
{
	return cpu * 8 + context;
}

static inline bool emit_writes_tiny(const struct emit_rule *rule,
				    unsigned int who)
{
	return (who / 8 + rule->tiny) % EMIT_CONTEXTS == who % 8;
}

/*
 * Most are small: with and without a length word, and all lengths modulo 4.
 * The others are so rare that they take about as many bytes in all.
 */
static inline unsigned int emit_size(const struct emit_rule *rule,
				     unsigned int who, __u32 number)
{
	__u32 hash = emit_hash(number * 0x9e3779b1 + who);
	__u32 rare = rule->max / 512;

	if (rule->too_large && hash % EMIT_TOO_LARGE == 0)
		return rule->max + 1 + (hash >> 8) % 4096;
	if (emit_writes_tiny(rule, who) && hash >> 29 == 0)
		return (hash >> 8) % EMIT_TINY;
	if ((hash >> 4) % (rare > 32 ? rare : 32) == 0) {
		hash = emit_hash(hash);
		if (hash % 4 == 0)
			return rule->max - (hash & 4 ? 0 : (hash >> 3) % 21);
		return EMIT_TINY + hash % (rule->max + 1 - EMIT_TINY);
	}
	return EMIT_TINY + (hash >> 6) % 300;
}

/* All bytes of an event; before and after are left out where there's no room. */
static inline void emit_fill(void *payload, unsigned int size,
			     unsigned int who, __u32 number, __u64 before,
			     __u64 after)
{
	__u32 pattern = emit_hash(number + who * 0x9e3779b1);
	struct emit_event event = {
		.number	= number,
		.who	= who,
		.fill	= { pattern, pattern >> 8, pattern >> 16 },
		.before	= before,
		.after	= after,
	};
	unsigned int at = size < sizeof(event) ? EMIT_HEAD : sizeof(event);
	__u32 *word = payload;
	__u8 *byte = payload;

	memcpy(payload, &event, at < size ? at : size);
	for (; at + 4 <= size; at += 4) {
		pattern += 0x9e3779b1;
		word[at / 4] = pattern;
	}
	for (; at < size; at++, pattern >>= 8)
		byte[at] = pattern;
}

#endif /* EMIT_H */
