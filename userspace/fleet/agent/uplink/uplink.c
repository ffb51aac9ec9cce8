// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/complain.h"
#include "clocks.h"
#include "uplink.h"

#define SECOND		1000000000ULL
#define LONGEST		(60 * SECOND)
#define NAME		"the transport"

/* Hosts that lost their engine together do not come back together. */
static uint64_t with_jitter(uint64_t delay)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint32_t)clock_monotonic();
	return delay / 2 + (uint64_t)((double)delay / 2 * random / UINT32_MAX);
}

void backoff_failed(struct backoff *t, const char *fmt, ...)
{
	bool is_new = !*t->text;
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->text, sizeof(t->text), fmt, args);
	va_end(args);
	if (!*t->text)
		strcpy(t->text, "unknown error");
	if (is_new)
		complain("%s", t->text);
	t->delay = is_new ? SECOND : 2 * t->delay < LONGEST ? 2 * t->delay : LONGEST;
	t->retry = clock_monotonic() + with_jitter(t->delay);
}

bool backoff_over(struct backoff *t, const char *what)
{
	if (!*t->text)
		return false;
	complain("note: %s works again", what);
	*t = (struct backoff){ 0 };
	return true;
}

bool backoff_due(const struct backoff *t)
{
	return !*t->text || clock_monotonic() >= t->retry;
}

bool backoff_is_long(const struct backoff *t)
{
	return *t->text && t->delay == LONGEST;
}

int uplink_open(struct uplink *o)
{
	int ret;

	/* A file system that was mounted again needs new descriptors. */
	if (o->is_open && backoff_is_long(&o->publishing) && backoff_due(&o->publishing)) {
		transport_close(&o->transport);
		o->is_open = false;
	}
	if (o->is_open)
		return 0;
	if (!backoff_due(&o->publishing))
		return -EAGAIN;
	ret = transport_open(&o->transport, &o->options);
	if (ret)
		backoff_failed(&o->publishing, ret == -EINVAL ? "%s" :
			       "%s; incidents wait in the spool", o->transport.error);
	else
		o->is_open = true;
	return ret;
}

void uplink_close(struct uplink *o)
{
	if (o->is_open)
		transport_close(&o->transport);
	o->is_open = false;
	for (int i = 0; i < UPLINK_BATCH; i++)
		buf_free(&o->bytes[i]);
}

bool uplink_ready(const struct uplink *o)
{
	return o->is_open && backoff_due(&o->publishing);
}

/* Begin the next parcel. Return 0, or -ENAMETOOLONG. */
static int begin_parcel(struct uplink *o, const char *source, const char *fmt, va_list args)
{
	struct parcel *p = &o->parcel[o->nr];
	char end[64];

	vsnprintf(end, sizeof(end), fmt, args);
	*p = (struct parcel){ .channel = CHANNEL_COLLECTOR };
	snprintf(p->host, sizeof(p->host), "%s", o->options.host);
	o->bytes[o->nr].size = 0;
	o->bytes[o->nr].failed = false;
	if (snprintf(p->id, sizeof(p->id), "%s%s%s", source, *source ? "." : "", end) >=
	    (int)sizeof(p->id))
		return -ENAMETOOLONG;
	return 0;
}

static int end_parcel(struct uplink *o, int ret)
{
	struct buf *bytes = &o->bytes[o->nr];

	if (!ret && bytes->failed)
		ret = -ENOMEM;
	o->parcel[o->nr].data = bytes->data;
	o->parcel[o->nr].size = bytes->size;
	o->nr += !ret;
	return ret;
}

static int add(struct uplink *o, struct message *m, const char *boot, const char *source,
	       const char *fmt, va_list args)
{
	int ret = begin_parcel(o, source, fmt, args);

	snprintf(m->host, sizeof(m->host), "%s", o->options.host);
	snprintf(m->boot, sizeof(m->boot), "%s", boot);
	snprintf(m->source, sizeof(m->source), "%s", source);
	return end_parcel(o, ret ? ret : message_encode(&o->bytes[o->nr], m));
}

int uplink_add(struct uplink *o, enum message_kind kind, const char *source, uint64_t seq,
	       uint64_t lost, const void *data, size_t size, const char *fmt, ...)
{
	struct message m = { .kind = kind, .seq = seq, .lost = lost, .data = data, .size = size };
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = add(o, &m, o->boot, source, fmt, args);
	va_end(args);
	return ret;
}

int uplink_add_of(struct uplink *o, enum message_kind kind, const char *boot, const char *source,
		  uint64_t seq, uint64_t lost, const void *data, size_t size, const char *fmt, ...)
{
	struct message m = { .kind = kind, .seq = seq, .lost = lost, .data = data, .size = size };
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = add(o, &m, boot, source, fmt, args);
	va_end(args);
	return ret;
}

int uplink_add_encoded(struct uplink *o, const char *source, const struct buf *message,
		       const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = begin_parcel(o, source, fmt, args);
	va_end(args);
	if (!ret)
		buf_add(&o->bytes[o->nr], message->data, message->size);
	return end_parcel(o, ret);
}

int uplink_publish(struct uplink *o)
{
	unsigned int nr = o->nr;
	int ret;

	o->nr = 0;
	if (!nr)
		return 0;
	ret = o->transport.ops->publish(&o->transport, o->parcel, nr);
	if (ret) {
		backoff_failed(&o->publishing, "%s; incidents wait in the spool",
			       o->transport.error);
		return ret;
	}
	backoff_over(&o->publishing, NAME);
	o->published = clock_real();
	return 0;
}

void uplink_shrink(struct uplink *o)
{
	for (int i = 0; i < UPLINK_BATCH; i++)
		buf_free(&o->bytes[i]);
	malloc_trim(0);
}
