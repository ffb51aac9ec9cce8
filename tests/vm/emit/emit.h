/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of emit.ko, which exact checks. */
#ifndef EMIT_H
#define EMIT_H

#include <linux/rbmap.h>

#define EMIT_TYPE	0xffff

enum emit_context {
	EMIT_TASK,
	EMIT_SOFTIRQ,
	EMIT_IRQ,
	EMIT_NMI,
	EMIT_CONTEXTS,
};

/**
 * struct emit_event - an event
 * @common: type EMIT_TYPE, the context in flags, the CPU in pid
 * @number: counts the context's events on the CPU, from 0
 * @fill: each byte the lowest of number + context; emit_size() says how many
 */
struct emit_event {
	struct rbmap_event_common	common;
	__u64				number;
	__u8				fill[];
};

/* All lengths in turn, in no order: small events and those with a length word. */
static inline unsigned int emit_size(__u64 number)
{
	return sizeof(struct emit_event) + (unsigned int)(number % 301) * 7 % 301;
}

#endif /* EMIT_H */
