/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of one CPU that a reader got, compared with those that were emitted. */
#ifndef RBMAP_LIVE_SELFTEST_LEDGER_H
#define RBMAP_LIVE_SELFTEST_LEDGER_H

#include <stdint.h>
#include <linux/rbmap_selftest.h>

struct rbmap_event;

#define LEDGER_ERROR	160

/**
 * struct ledger - what a reader got from the ring of a CPU
 * @cpu: number of the CPU
 * @next: number after that of the last event, by context
 * @received: number of events
 * @lost: number of events that were reported as lost
 * @ts: time of the last event
 * @error: the first fault, or ""
 */
struct ledger {
	unsigned int cpu;
	uint64_t next[RBMAP_SELFTEST_CONTEXTS];
	uint64_t received;
	uint64_t lost;
	uint64_t ts;
	char error[LEDGER_ERROR];
};

/* Check the next event, and count it and the losses that it reports. */
void ledger_event(struct ledger *l, const struct rbmap_event *event);
/* Count a loss that no event reports. */
void ledger_lost(struct ledger *l, uint64_t lost);
/* All events were read: received + lost must be emitted. */
void ledger_end(struct ledger *l, const struct rbmap_selftest_counts *counts);

/* Set the error, unless there is one already. */
void ledger_wrong(struct ledger *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

const char *context_name(unsigned int context);

/* The sum of a number of each context. */
uint64_t sum_of_contexts(const __u64 *value);

#endif /* RBMAP_LIVE_SELFTEST_LEDGER_H */
