/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of emit.ko. A reader can compute each byte of an event, and can
 * tell which events are missing.
 *
 * Each context of each CPU counts its events. The number, the context and the
 * CPU determine the size of an event. An event of 5 bytes or more holds all
 * three of them. Smaller events (EMIT_TINY) hold none; a reader recognizes them
 * by their length in the ring. Only one context of each CPU writes them, so
 * that the events around a tiny event identify it.
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
	EMIT_SOFTIRQ,	/* runs in an hrtimer */
	EMIT_TIMER,	/* runs in a timer_list, in a softirq too */
	EMIT_IRQ,	/* runs in an hrtimer */
	EMIT_IRQ_WORK,
	EMIT_NMI,
	EMIT_CONTEXTS,
};

#define EMIT_CPUS	32

/* Events smaller than this have no room for their number. */
#define EMIT_TINY	5U

/* One event in so many is larger than the buffer accepts, if the rule allows that. */
#define EMIT_TOO_LARGE	61

/**
 * struct emit_event - the beginning of an event, if the event is long enough
 * @number: the number of the event, counted for each context and CPU from 0
 * @who: context, and CPU * 8
 * @fill: a pattern computed from @number and @who, like all later bytes
 * @before: the ring's clock before the event was reserved
 * @after: the ring's clock after the event was reserved; 0: unknown
 *
 * An event has both times if it has room for both.
 */
struct emit_event {
	__u32	number;
	__u8	who;
	__u8	fill[3];
	__u64	before;
	__u64	after;
} __attribute__((packed, aligned(4)));

#define EMIT_HEAD	8U	/* size without the times */

/**
 * struct emit_rule - what determines sizes, besides number, context and CPU
 * @max: size of the largest event in bytes
 * @tiny: the context of CPU 0 that writes tiny events; CPU 1 uses the next one...
 * @too_large: some events are larger than @max
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
 * Most events are small: with and without a length word, and with all lengths
 * modulo 4. Large events are so rare that they take about as many bytes in all.
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

/* Fill all bytes of an event; the two times only where there is room for them. */
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
