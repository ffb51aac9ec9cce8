// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes arbitrary events to the intervals and to the summaries of rbmap latency, and
 * prints these. Each interval must be one that the events allow: it ends after it began, on a
 * CPU that is not out of range, and has a name.
 *
 * The first byte of the input chooses the rows and their order. fuzz_events.h explains the
 * others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_events.h"
#include "intervals/summary/summary.h"
#include "intervals/summary/view.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	struct intervals *intervals;
	struct summary summary[NR_INTERVAL_KINDS];
	struct fuzz_events events;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* Reports of the sanitizers go to stderr. */
	if (!freopen("/dev/null", "w", stdout))
		abort();
	return 0;
}

static void each(void *data, const struct interval *interval)
{
	struct interval_share share[3];
	uint64_t interrupts;
	struct sums *sums = data;
	unsigned int nr;

	if (interval->end < interval->begin || interval->end > sums->events.now ||
	    (unsigned int)interval->kind >= NR_INTERVAL_KINDS || interval->cpu < -1 ||
	    !interval->name || strlen(interval->comm) > INTERVAL_COMM_SIZE)
		abort();
	nr = intervals_ran(sums->intervals, interval->cpu, interval->begin, interval->end, share, 3,
			   &interrupts);
	if (interrupts > interval->end - interval->begin)
		abort();
	for (unsigned int i = 0; i < nr; i++)
		if (share[i].time > interval->end - interval->begin ||
		    (i && share[i].time > share[i - 1].time))
			abort();
	if (!summary_add(&sums->summary[interval->kind], sums->intervals, interval))
		abort();
}

static void add_format(void *data, unsigned int event, const char *format)
{
	struct sums *sums = data;

	if (intervals_add_format(sums->intervals, interval_events[event].system, format,
				 strlen(format)))
		abort();
}

static void add_event(void *data, const struct rbmap_event *ev)
{
	struct sums *sums = data;

	if (intervals_event(sums->intervals, ev))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sums sums = {
		.events = { .format = add_format, .event = add_event, .data = &sums, .now = 1 },
	};
	struct view view = { .histogram = true };

	if (!size)
		return 0;
	sums.intervals = intervals_new(each, &sums);
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++) {
		if (!summary_init(&sums.summary[kind], kind, (data[0] + kind) % 3, 4))
			abort();
		view.summary[kind] = &sums.summary[kind];
	}
	fuzz_events_pass(&sums.events, data + 1, size - 1);
	intervals_end(sums.intervals);
	view.sort = data[0] % (SORT_COUNT + 1);
	if (!view_text(&view) || !view_json(&view, "local"))
		abort();
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		summary_free(&sums.summary[kind]);
	intervals_free(sums.intervals);
	return 0;
}
