// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <rbmap.h>

#include "ledger.h"

const char *context_name(unsigned int context)
{
	static const char *const name[RBMAP_SELFTEST_CONTEXTS] = {
		[RBMAP_SELFTEST_TASK]		= "task",
		[RBMAP_SELFTEST_SOFTIRQ]	= "softirq",
		[RBMAP_SELFTEST_IRQ]		= "irq",
		[RBMAP_SELFTEST_NMI]		= "nmi",
	};

	return name[context];
}

uint64_t sum_of_contexts(const __u64 *value)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < RBMAP_SELFTEST_CONTEXTS; i++)
		sum += value[i];
	return sum;
}

void ledger_wrong(struct ledger *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (l->error[0])
		return;
	n = snprintf(l->error, sizeof(l->error), "CPU %u: ", l->cpu);
	va_start(ap, fmt);
	vsnprintf(l->error + n, sizeof(l->error) - n, fmt, ap);
	va_end(ap);
}

void ledger_lost(struct ledger *l, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN)
		ledger_wrong(l, "a loss was reported without its number");
	else
		l->lost += lost;
}

/* A ring rounds sizes up by fewer bytes than this. */
#define ROUNDED_UP	12

/* Return whether the bytes are those that the writer wrote. */
static bool is_intact(const struct rbmap_selftest_event *e, uint32_t size)
{
	uint32_t words = rbmap_selftest_words(e->cpu, e->context, e->number);
	size_t written = sizeof(*e) + words * sizeof(e->word[0]);

	if (size < written || size - written >= ROUNDED_UP)
		return false;
	for (uint32_t i = 0; i < words; i++)
		if (e->word[i] != rbmap_selftest_word(e->cpu, e->context, e->number, i))
			return false;
	return true;
}

static void count_number(struct ledger *l, const struct rbmap_selftest_event *e)
{
	if (e->number < l->next[e->context])
		ledger_wrong(l, "event %u of context %s came twice or too late", e->number,
			     context_name(e->context));
	else
		l->next[e->context] = (uint64_t)e->number + 1;
}

void ledger_event(struct ledger *l, const struct rbmap_event *event)
{
	const struct rbmap_selftest_event *e = event->data;

	ledger_lost(l, event->lost);
	l->received++;
	if (event->size < sizeof(*e) || e->cpu != l->cpu ||
	    e->context >= RBMAP_SELFTEST_CONTEXTS) {
		ledger_wrong(l, "%u bytes came that the writers of this CPU did not write",
			     event->size);
		return;
	}
	if (!is_intact(e, event->size))
		ledger_wrong(l, "event %u of context %s is damaged", e->number,
			     context_name(e->context));
	count_number(l, e);
	if (event->ts < l->ts)
		ledger_wrong(l, "event %u of context %s is %" PRIu64 " ns older than the one before it",
			     e->number, context_name(e->context), l->ts - event->ts);
	l->ts = event->ts;
}

void ledger_end(struct ledger *l, const struct rbmap_selftest_counts *counts)
{
	uint64_t emitted = sum_of_contexts(counts->emitted);

	for (unsigned int i = 0; i < RBMAP_SELFTEST_CONTEXTS; i++)
		if (l->next[i] > counts->emitted[i])
			ledger_wrong(l, "event %" PRIu64 " of context %s came, but only %" PRIu64 " were written",
				     l->next[i] - 1, context_name(i),
				     (uint64_t)counts->emitted[i]);
	if (l->received + l->lost != emitted)
		ledger_wrong(l, "%" PRIu64 " received + %" PRIu64 " lost is not %" PRIu64 " emitted",
			     l->received, l->lost, emitted);
}
