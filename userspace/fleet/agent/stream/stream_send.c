// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/uplink/clocks.h"
#include "message/message.h"
#include "stream_send.h"

#define NS_PER_MS	1000000ULL
#define SYNC_NS		(1000 * NS_PER_MS)

static void rewind_flight(struct stream_sender *s)
{
	stream_cursor_reset(&s->cursor);
	s->nr = 0;
	s->bytes = 0;
}

static bool is_late(const struct stream_sender *s, uint64_t since)
{
	return clock_monotonic() - since >= s->patience * NS_PER_MS;
}

bool stream_send_asks(struct stream_sender *s, struct stream_spool *spool)
{
	if ((!s->nr && !stream_spool_has_gap(spool, NULL)) || !is_late(s, s->progress) || !is_late(s, s->asked))
		return false;
	s->asked = clock_monotonic();
	return true;
}

/* Remove what the collector has. */
static void land(struct stream_sender *s, const char *source, uint64_t next)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < s->nr; i++) {
		if (s->flight[i].seq < next && !strcmp(s->flight[i].source, source))
			s->bytes -= s->flight[i].size;
		else
			s->flight[left++] = s->flight[i];
	}
	s->nr = left;
}

static bool is_in_flight(const struct stream_sender *s, const char *source)
{
	for (unsigned int i = 0; i < s->nr; i++)
		if (!strcmp(s->flight[i].source, source))
			return true;
	return false;
}

/* A line: SOURCE NEXT. Return whether messages were sent that the collector lacks. */
static bool take_line(struct stream_sender *s, struct stream_spool *spool, char *line, bool *news)
{
	char *space = strchr(line, ' ');
	uint64_t next;

	if (!space)
		return false;
	*space = '\0';
	if (!text_u64(space + 1, &next))
		return false;
	*news |= stream_spool_stored(spool, line, next);
	land(s, line, next);
	return is_in_flight(s, line) || stream_spool_has_gap(spool, line);
}

void stream_send_stored(struct stream_sender *s, struct stream_spool *spool,
			const struct message *m)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[32], value[SOURCE_NAME_SIZE + 32];
	bool news = false, lacks = false;

	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		if (!strcmp(name, "stream"))
			lacks |= take_line(s, spool, value, &news);
	if (news) {
		s->progress = clock_monotonic();
	} else if (lacks && is_late(s, s->progress)) {
		/* Also unique after a restart */
		s->attempt = clock_real();
		s->progress = clock_monotonic();
		rewind_flight(s);
		stream_spool_gaps_again(spool);
	}
}

static int add_gap(struct stream_sender *s, struct uplink *uplink, const struct stream_gap *gap)
{
	struct buf text = { 0 };
	int ret;

	text_add_u64(&text, "first", gap->first);
	text_add_u64(&text, "last", gap->last);
	text_add_u64(&text, "events", gap->events);
	text_add_u64(&text, "lost", gap->lost);
	text_add_u64(&text, "events-before", gap->after.events);
	text_add_u64(&text, "lost-before", gap->after.lost);
	text_add_u64(&text, "unknown-before", gap->after.unknown);
	text_add_u64(&text, "number", gap->number);
	ret = uplink_add_of(uplink, MESSAGE_GAP, gap->boot, gap->source, gap->last, gap->events,
			    text.data, text.size, "gap.%" PRIu64 ".%" PRIu64, gap->last, s->attempt);
	buf_free(&text);
	return ret;
}

static int add_gaps(struct stream_sender *s, struct stream_spool *spool, struct uplink *uplink)
{
	struct stream_gap gap;
	int ret = 0;

	while (!ret && uplink->nr < UPLINK_BATCH && stream_spool_gap(spool, &gap)) {
		ret = add_gap(s, uplink, &gap);
		if (!s->nr)
			s->progress = clock_monotonic();
	}
	return ret;
}

static void fly(struct stream_sender *s, const struct stream_record *r)
{
	struct stream_flight *f = &s->flight[s->nr];

	if (!s->nr)
		s->progress = clock_monotonic();
	memcpy(f->source, r->source, sizeof(f->source));
	f->seq = r->seq;
	f->size = r->size;
	s->bytes += f->size;
	s->nr++;
}

static int add_messages(struct stream_sender *s, struct stream_spool *spool,
			struct uplink *uplink)
{
	struct buf message = { 0 };
	struct stream_record r;
	int ret = 1;

	while (uplink->nr < UPLINK_BATCH && s->nr < STREAM_WINDOW &&
	       s->bytes < STREAM_WINDOW_BYTES) {
		ret = stream_spool_next(spool, &s->cursor, &r, &message);
		if (ret != 1)
			break;
		ret = uplink_add_encoded(uplink, r.source, &message, "sub.%" PRIu64 ".%" PRIu64,
					 r.seq, s->attempt);
		if (ret)
			break;
		fly(s, &r);
	}
	buf_free(&message);
	return ret < 0 ? ret : 0;
}

static int sync_spool(struct stream_sender *s, struct stream_spool *spool)
{
	int ret;

	if (clock_monotonic() - s->synced < SYNC_NS)
		return 0;
	ret = stream_spool_sync(spool);
	s->synced = clock_monotonic();
	return ret;
}

int stream_send(struct stream_sender *s, struct stream_spool *spool, struct uplink *uplink)
{
	unsigned int nr;
	int ret;

	if (!backoff_due(&s->backoff))
		return 0;
	ret = sync_spool(s, spool);
	if (!ret)
		ret = add_gaps(s, spool, uplink);
	if (!ret)
		ret = add_messages(s, spool, uplink);
	if (ret)
		backoff_failed(&s->backoff, "cannot use the spool of streams: %s", strerror(-ret));
	else
		backoff_over(&s->backoff, "the spool of streams");
	nr = uplink->nr;
	ret = uplink_publish(uplink);
	if (ret) {
		/* Any of them can have been published. */
		rewind_flight(s);
		stream_spool_gaps_again(spool);
	}
	return ret ? ret : nr > 0;
}
