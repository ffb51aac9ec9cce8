// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "fuzz_events.h"

#define LOST	0x80	/* in the CPU */
#define WHOLE	0x80	/* in the length */
#define FIELDS	112	/* bytes of fields, enough for each event */
#define HEAD	6	/* bytes before the fields */

/* To parse a format takes longer than all else. */
static void pass_format(struct fuzz_events *events, unsigned int event)
{
	char *format;

	if (event >= nr_interval_events || events->has_format & 1ULL << event)
		return;
	format = interval_event_format(event);
	events->format(events->data, event, format);
	free(format);
	events->has_format |= 1ULL << event;
}

/* The record ends where the sanitizer sees a read beyond it. */
static void pass_event(struct fuzz_events *events, struct rbmap_event *ev,
		       const unsigned char *record)
{
	ev->data = memcpy(malloc(ev->size), record, ev->size);
	events->event(events->data, ev);
	free((void *)ev->data);
}

void fuzz_events_pass(struct fuzz_events *events, const uint8_t *data, size_t size)
{
	unsigned char record[sizeof(struct rbmap_event_common) + FIELDS] = { 0 };

	while (size >= HEAD) {
		unsigned int event = data[0] % (nr_interval_events + 1);
		struct rbmap_event_common common = {
			.type = INTERVAL_EVENT_ID + event,
			.flags = data[5], .pid = (int8_t)data[2],
		};
		size_t len = (data[5] & ~WHOLE) % FIELDS;
		struct rbmap_event ev = {
			.ts = events->now += data[3] | data[4] << 8,
			.cpu = data[1] & ~LOST,
			.lost = data[1] & LOST ? RBMAP_LOST_UNKNOWN : 0,
			.size = sizeof(common) + (data[5] & WHOLE ? FIELDS : len),
		};

		data += HEAD;
		size -= HEAD;
		if (len > size)
			len = size;
		memcpy(record, &common, sizeof(common));
		memcpy(record + sizeof(common), data, len);
		data += len;
		size -= len;
		pass_format(events, event);
		pass_event(events, &ev, record);
	}
}
