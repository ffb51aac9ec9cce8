// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <sys/utsname.h>

#include "agent/uplink/clocks.h"
#include "base/array.h"
#include "event_common.h"
#include "stream.h"

#define NAMES_PERIOD	(60 * 1000000000ULL)
#define NAMES_SIZE	(512U << 10)

static const char *const clocks[] = { "local", "mono", "boot", "x86-tsc" };

bool stream_heads_begin(struct stream_heads *h, const struct batch_target *target,
			const struct stream_access *access, const char *buffer,
			uint64_t incarnation)
{
	h->target = target;
	h->access = access;
	h->source.cpu = STREAM_CPU_HEAD;
	h->source.incarnation = incarnation;
	memcpy(h->source.buffer, buffer, strlen(buffer) + 1);
	h->page_size = 4096;
	h->fields = comm_fields_new();
	h->cmdlines = cmdlines_new();
	return h->fields && h->cmdlines;
}

void stream_heads_free(struct stream_heads *h)
{
	for (uint32_t i = 0; i < h->nr_formats; i++) {
		free((char *)h->formats[i].system);
		free((char *)h->formats[i].text);
	}
	free(h->formats);
	comm_fields_free(h->fields);
	cmdlines_free(h->cmdlines);
	buf_free(&h->names);
}

static int append(struct stream_heads *h, enum message_kind kind, const struct buf *payload)
{
	struct stream_record r = { .kind = kind, .seq = h->seq };
	struct message m = { .kind = kind, .seq = h->seq, .data = payload->data,
			     .size = payload->size };
	struct buf bytes = { 0 };
	int ret;

	memcpy(m.host, h->target->host, strlen(h->target->host) + 1);
	memcpy(m.boot, h->target->boot, strlen(h->target->boot) + 1);
	stream_source_print(&h->source, r.source);
	memcpy(m.source, r.source, sizeof(m.source));
	ret = payload->failed ? -ENOMEM : message_encode(&bytes, &m);
	if (!ret)
		ret = stream_spool_append(h->target->spool, &r, bytes.data, bytes.size);
	buf_free(&bytes);
	h->seq += !ret;
	return ret;
}

/* Add the format of an event. One without a format is recorded all the same. */
static void add_format(struct stream_heads *h, unsigned int id)
{
	char system[SYSTEM_NAME_SIZE];
	struct dat_format *formats;
	struct buf text = { 0 };
	uint32_t at;

	if (h->access->format(&text, system, h->source.buffer, id) || text.failed) {
		buf_free(&text);
		return;
	}
	buf_add(&text, "", 1);
	if (text.failed || !array_grow(h->formats, h->nr_formats)) {
		buf_free(&text);
		return;
	}
	/* They are sorted by their systems. */
	for (at = 0; at < h->nr_formats && strcmp(h->formats[at].system, system) <= 0; at++)
		;
	formats = h->formats;
	memmove(&formats[at + 1], &formats[at], (h->nr_formats++ - at) * sizeof(*formats));
	formats[at] = (struct dat_format){ strdup(system), text.data };
	comm_fields_add(h->fields, text.data);
	h->due = true;
}

void stream_heads_event(struct stream_heads *h, const struct rbmap_event *ev)
{
	uint16_t id;

	if (!event_id(ev, &id))
		return;
	if (!h->seen[id]) {
		h->seen[id] = true;
		add_format(h, id);
	}
	cmdlines_learn_event(h->cmdlines, h->fields, ev);
}

static void read_clock(struct stream_heads *h, struct stream_clock *c)
{
	struct timex t = { 0 };

	*c = (struct stream_clock){ .error = STREAM_CLOCK_UNKNOWN };
	if (h->access->moment(&c->moment, h->source.buffer, h->clock))
		c->moment = (struct rbmap_moment){ 0 };
	if (adjtimex(&t) >= 0 && t.maxerror >= 0)
		c->error = t.maxerror * 1000ULL;
}

static void send_head(struct stream_heads *h)
{
	char uname_text[sizeof(struct utsname)] = "Linux", version[64];
	struct stream_head head = {
		.page_size = h->page_size, .nr_cpus = h->nr_cpus, .uname = uname_text,
		.version = version, .formats = h->formats, .nr_formats = h->nr_formats,
		.clock = h->clock >= 0 && h->clock < (int)(sizeof(clocks) / sizeof(*clocks)) ?
			 clocks[h->clock] : "unknown",
	};
	struct buf payload = { 0 };
	struct utsname u;

	read_clock(h, &head.moment);
	if (!uname(&u))
		snprintf(uname_text, sizeof(uname_text), "%s %s %s %s", u.sysname, u.nodename,
			 u.release, u.machine);
	snprintf(version, sizeof(version), "rbmap %s", rbmap_version());
	buf_add(&h->names, "", 1);
	head.names = h->names.failed ? "" : h->names.data;
	if (!stream_head_encode(&payload, &head) && !append(h, MESSAGE_HEAD, &payload))
		h->due = false;
	h->names.size -= h->names.size > 0;
	buf_free(&payload);
}

/* Look at the names of threads. Return whether there are others than in the last HEAD. */
static bool read_names(struct stream_heads *h)
{
	struct buf names = { 0 };
	bool changed;

	cmdlines_scan(h->cmdlines, COMM_TS_SEEN);
	cmdlines_print(h->cmdlines, &names, NAMES_SIZE);
	changed = !names.failed && (names.size != h->names.size ||
				    (names.size && memcmp(names.data, h->names.data, names.size)));
	if (changed) {
		buf_free(&h->names);
		h->names = names;
	} else {
		buf_free(&names);
	}
	return changed;
}

static bool names_are_due(struct stream_heads *h)
{
	uint64_t now = clock_monotonic();

	if (now < h->names_due)
		return false;
	h->names_due = now + NAMES_PERIOD;
	return true;
}

void stream_heads_send(struct stream_heads *h)
{
	struct stream_spool *s = h->target->spool;

	pthread_mutex_lock(&s->lock);
	h->due |= s->head_lost;
	s->head_lost = false;
	pthread_mutex_unlock(&s->lock);
	if (names_are_due(h))
		h->due |= read_names(h);
	if (h->due)
		send_head(h);
}

void stream_heads_clock(struct stream_heads *h, const struct stream_ring *rings, unsigned int nr)
{
	struct buf payload = { 0 };
	struct stream_clock c;
	uint64_t missed;

	stream_heads_send(h);
	read_clock(h, &c);
	stream_clock_print(&c, &payload);
	for (unsigned int i = 0; i < nr; i++)
		if (!h->access->missed(h->source.buffer, rings[i].cpu, &missed))
			stream_missed_print(&payload, rings[i].cpu, missed);
	append(h, MESSAGE_CLOCK, &payload);
	buf_free(&payload);
}
