// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/complain.h"
#include "base/process.h"
#include "collector.h"
#include "command/service.h"

#define REPORT_SECONDS	60

int64_t collector_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

void collector_report(struct collector *c, const char *fmt, ...)
{
	char text[sizeof(c->present_error)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	c->failed = true;
	/* Report one error: a full disk causes two, one of a file and one of the index. */
	if (*c->present_error && now() < c->next_report)
		return;
	c->next_report = now() + REPORT_SECONDS;
	memcpy(c->present_error, text, sizeof(text));
	complain("%s", text);
	service_status(text);
}

void collector_works(struct collector *c)
{
	if (!*c->present_error)
		return;
	*c->present_error = '\0';
	complain("note: messages are collected again");
	service_status("collecting");
}

static const char *const names[NR_MESSAGE_KINDS] = {
	[MESSAGE_STORED]	= "stored",
	[MESSAGE_MISSING]	= "missing",
	[MESSAGE_PERMIT]	= "permit",
};

void replies_init(struct replies *r)
{
	/* Numbers of a collector that ended before this one are smaller, in us. */
	r->number = collector_time() / 1000;
}

void replies_free(struct replies *r)
{
	buf_free(&r->bytes);
}

static void add(struct replies *r, const struct index_host *host, const char *incident,
		enum message_kind kind, const struct buf *text, uint64_t number)
{
	struct message m = { .kind = kind, .seq = number };
	struct parcel *p = &r->parcel[r->nr];
	size_t begin = r->bytes.size;

	if (r->nr == REPLIES_MAX)
		return;
	snprintf(m.host, sizeof(m.host), "%s", host->name);
	snprintf(m.boot, sizeof(m.boot), "%s", host->boot);
	snprintf(m.source, sizeof(m.source), "%s", incident);
	m.data = text ? text->data : "";
	m.size = text ? text->size : 0;
	*p = (struct parcel){ .channel = CHANNEL_HOST };
	memcpy(p->host, m.host, sizeof(p->host));
	if (snprintf(p->id, sizeof(p->id), "%s.%s.%" PRIu64, incident, names[kind], m.seq) >=
	    (int)sizeof(p->id))
		return;
	if (message_encode(&r->bytes, &m))
		return;
	p->size = r->bytes.size - begin;
	r->offset[r->nr++] = begin;
}

uint64_t replies_add(struct replies *r, const struct index_host *host, const char *incident,
		     enum message_kind kind, const struct buf *text)
{
	add(r, host, incident, kind, text, ++r->number);
	return r->number;
}

void replies_repeat(struct replies *r, const struct index_host *host, const char *incident,
		    uint64_t number)
{
	add(r, host, incident, MESSAGE_PERMIT, NULL, number);
}

void replies_discard(struct replies *r)
{
	buf_free(&r->bytes);
	r->bytes = (struct buf){ 0 };
	r->nr = 0;
}

void replies_cut(struct replies *r, unsigned int nr)
{
	if (nr >= r->nr)
		return;
	r->bytes.size = r->offset[nr];
	r->nr = nr;
}

void replies_send(struct collector *c)
{
	struct replies *r = &c->replies;

	/* The buffer can have moved since the messages were added. */
	for (unsigned int i = 0; i < r->nr; i++)
		r->parcel[i].data = r->bytes.data + r->offset[i];
	if (r->nr && c->transport.ops->publish(&c->transport, r->parcel, r->nr))
		collector_report(c, "cannot answer hosts: %s; they ask again", c->transport.error);
	replies_discard(r);
}
