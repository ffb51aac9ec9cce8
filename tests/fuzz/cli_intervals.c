// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes arbitrary events to the intervals and to the summaries of rbmap latency, and
 * prints these. Each interval must be one that the events allow: it ends after it began, on a
 * CPU that is not out of range, and has a name.
 *
 * An event of the input begins with six bytes. They are its number, the CPU with a bit for
 * lost events, the pid, two bytes of time since the last event, and a length. So many
 * bytes of fields follow. A bit of the length says that the rest of the fields is what the
 * events before it had.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "latency/summary.h"
#include "latency/view.h"
#include "../unit/interval_events.h"

#define LOST	0x80	/* in the CPU */
#define WHOLE	0x80	/* in the length */
#define FIELDS	112	/* bytes of fields, enough for each event */
#define HEAD	6	/* bytes before the fields */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	struct intervals *iv;
	struct summary summary[NR_INTERVAL_KINDS];
	uint64_t now;
	uint64_t has_format;	/* bits of the events */
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
	struct sums *sums = data;
	unsigned int nr;

	if (interval->end < interval->begin || interval->end > sums->now ||
	    (unsigned int)interval->kind >= NR_INTERVAL_KINDS || interval->cpu < -1 ||
	    !interval->name || strlen(interval->comm) > INTERVAL_COMM_SIZE)
		abort();
	nr = intervals_ran(sums->iv, interval->cpu, interval->begin, interval->end, share, 3);
	for (unsigned int i = 0; i < nr; i++)
		if (share[i].time > interval->end - interval->begin ||
		    (i && share[i].time > share[i - 1].time))
			abort();
	if (!summary_add(&sums->summary[interval->kind], sums->iv, interval))
		abort();
}

/* To parse a format takes longer than all else. */
static void add_format(struct sums *sums, unsigned int event)
{
	char *format;

	if (event >= nr_interval_events || sums->has_format & 1ULL << event)
		return;
	format = interval_event_format(event);
	if (intervals_add_format(sums->iv, interval_events[event].system, format,
				 strlen(format)))
		abort();
	free(format);
	sums->has_format |= 1ULL << event;
}

static void add_events(struct sums *sums, const uint8_t *data, size_t size)
{
	unsigned char record[sizeof(struct rbmap_event_common) + FIELDS] = { 0 };

	while (size >= HEAD) {
		unsigned int event = data[0] % (nr_interval_events + 1);
		struct rbmap_event_common common = {
			.type = INTERVAL_EVENT_ID + event,
			.flags = data[5], .pid = (int8_t)data[2],
		};
		size_t len = (data[5] & ~WHOLE) % FIELDS, fields;
		struct rbmap_event ev = {
			.ts = sums->now += data[3] | data[4] << 8,
			.cpu = data[1] & ~LOST,
			.lost = data[1] & LOST ? RBMAP_LOST_UNKNOWN : 0,
		};

		fields = data[5] & WHOLE ? FIELDS : len;
		data += HEAD;
		size -= HEAD;
		if (len > size)
			len = size;
		memcpy(record, &common, sizeof(common));
		memcpy(record + sizeof(common), data, len);
		data += len;
		size -= len;
		/* The record ends where the sanitizer sees a read beyond it. */
		ev.size = sizeof(common) + fields;
		ev.data = memcpy(malloc(ev.size), record, ev.size);
		add_format(sums, event);
		if (intervals_event(sums->iv, &ev))
			abort();
		free((void *)ev.data);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sums sums = { .now = 1 };
	struct view view = { .histogram = true };

	if (!size)
		return 0;
	sums.iv = intervals_new(each, &sums);
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++) {
		if (!summary_init(&sums.summary[kind], kind, (data[0] + kind) % 3, 4))
			abort();
		view.summary[kind] = &sums.summary[kind];
	}
	add_events(&sums, data + 1, size - 1);
	intervals_end(sums.iv);
	view.sort = data[0] % (SORT_COUNT + 1);
	if (!view_text(&view) || !view_json(&view, "local"))
		abort();
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		summary_free(&sums.summary[kind]);
	intervals_free(sums.iv);
	return 0;
}
