// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clocks.h"
#include "outlet.h"

#define NAME	"the transport"

int outlet_open(struct outlet *o)
{
	int ret;

	/* A file system that was mounted again needs new descriptors. */
	if (o->is_open && trouble_is_long(&o->publishing) && trouble_due(&o->publishing)) {
		transport_close(&o->transport);
		o->is_open = false;
	}
	if (o->is_open)
		return 0;
	if (!trouble_due(&o->publishing))
		return -EAGAIN;
	ret = transport_open(&o->transport, &o->options);
	if (ret)
		trouble_failed(&o->publishing, ret == -EINVAL ? "%s" :
			       "%s; incidents wait in the spool", o->transport.error);
	else
		o->is_open = true;
	return ret;
}

void outlet_close(struct outlet *o)
{
	if (o->is_open)
		transport_close(&o->transport);
	o->is_open = false;
	for (int i = 0; i < OUTLET_BATCH; i++)
		buf_free(&o->bytes[i]);
}

bool outlet_ready(const struct outlet *o)
{
	return o->is_open && trouble_due(&o->publishing);
}

int outlet_add(struct outlet *o, enum message_kind kind, const char *source, uint64_t seq,
	       uint64_t lost, const void *data, size_t size, const char *fmt, ...)
{
	struct parcel *p = &o->parcel[o->nr];
	struct buf *bytes = &o->bytes[o->nr];
	struct message m = { .kind = kind, .seq = seq, .lost = lost, .data = data, .size = size };
	char end[64];
	va_list args;
	int ret;

	va_start(args, fmt);
	vsnprintf(end, sizeof(end), fmt, args);
	va_end(args);
	*p = (struct parcel){ .channel = CHANNEL_COLLECTOR };
	snprintf(m.host, sizeof(m.host), "%s", o->options.host);
	snprintf(m.boot, sizeof(m.boot), "%s", o->boot);
	snprintf(m.source, sizeof(m.source), "%s", source);
	snprintf(p->host, sizeof(p->host), "%s", o->options.host);
	if (snprintf(p->id, sizeof(p->id), "%s%s%s", source, *source ? "." : "", end) >=
	    (int)sizeof(p->id))
		return -ENAMETOOLONG;
	bytes->size = 0;
	bytes->failed = false;
	ret = message_encode(bytes, &m);
	p->data = bytes->data;
	p->size = bytes->size;
	o->nr += !ret;
	return ret;
}

int outlet_publish(struct outlet *o)
{
	unsigned int nr = o->nr;
	int ret;

	o->nr = 0;
	if (!nr)
		return 0;
	ret = o->transport.ops->publish(&o->transport, o->parcel, nr);
	if (ret) {
		trouble_failed(&o->publishing, "%s; incidents wait in the spool",
			       o->transport.error);
		return ret;
	}
	trouble_over(&o->publishing, NAME);
	o->published = clock_real();
	return 0;
}

void outlet_shrink(struct outlet *o)
{
	for (int i = 0; i < OUTLET_BATCH; i++)
		buf_free(&o->bytes[i]);
	malloc_trim(0);
}
