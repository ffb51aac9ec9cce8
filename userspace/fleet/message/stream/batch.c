// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <rbmap.h>
#include <string.h>

#include <linux/rbmap.h>

#include "batch.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define HEAD_WORDS	(sizeof(struct batch_head) / sizeof(uint64_t))

_Static_assert(sizeof(struct batch_subbuf) == 16, "a sub-buffer's head has no padding");
_Static_assert(sizeof(struct batch_head) == 56, "the head has no padding");

struct stream_totals batch_totals(const struct batch_head *head, uint64_t lost)
{
	struct stream_totals sum = head->before;

	sum.events += head->events;
	if (lost == MESSAGE_LOST_UNKNOWN)
		sum.unknown++;
	else
		sum.lost += lost;
	return sum;
}

static bool sum_fits(uint64_t a, uint64_t b)
{
	return a <= INT64_MAX && b <= INT64_MAX - a;
}

uint64_t stream_sum(uint64_t a, uint64_t b)
{
	return sum_fits(a, b) ? a + b : INT64_MAX;
}

bool batch_numbers_fit(const struct batch_head *head, uint64_t lost)
{
	const struct stream_totals *before = &head->before;
	bool unknown = lost == MESSAGE_LOST_UNKNOWN;

	return sum_fits(before->events, head->events) && sum_fits(before->unknown, unknown) &&
	       sum_fits(before->lost, unknown ? 0 : lost) &&
	       sum_fits(head->number, head->events) && head->begin <= INT64_MAX &&
	       head->end <= INT64_MAX;
}

void batch_begin(struct buf *out)
{
	static const struct batch_head none;

	out->size = 0;
	buf_add(out, &none, sizeof(none));
}

void batch_end(struct buf *out, const struct batch_head *head)
{
	uint64_t words[HEAD_WORDS];

	memcpy(words, head, sizeof(words));
	for (size_t i = 0; i < HEAD_WORDS; i++)
		words[i] = htole64(words[i]);
	if (!out->failed)
		memcpy(out->data, words, sizeof(words));
}

size_t batch_subbuf(struct buf *out, uint32_t id, uint64_t time)
{
	struct batch_subbuf subbuf = { .id = htole32(id), .time = htole64(time) };
	size_t at = out->size;

	buf_add(out, &subbuf, sizeof(subbuf));
	return at;
}

void batch_add(struct buf *out, size_t at, const void *events, size_t size)
{
	uint32_t sum;

	buf_add(out, events, size);
	if (out->failed)
		return;
	sum = htole32(out->size - at - sizeof(struct batch_subbuf));
	memcpy(out->data + at, &sum, sizeof(sum));
}

bool batch_open(struct batch_reader *r, struct batch_head *head, const void *data, size_t size)
{
	uint64_t words[HEAD_WORDS];

	*r = (struct batch_reader){ .at = data, .end = (const char *)data + size };
	if (size < sizeof(words))
		return false;
	memcpy(words, data, sizeof(words));
	for (size_t i = 0; i < HEAD_WORDS; i++)
		words[i] = le64toh(words[i]);
	memcpy(head, words, sizeof(words));
	r->at += sizeof(words);
	return true;
}

int batch_next(struct batch_reader *r, struct batch_subbuf *s)
{
	struct rbmap_subbuf_header header;

	if (r->at == r->end)
		return 0;
	if ((size_t)(r->end - r->at) < sizeof(*s))
		return -EINVAL;
	memcpy(s, r->at, sizeof(*s));
	r->at += sizeof(*s);
	s->size = le32toh(s->size);
	s->id = le32toh(s->id);
	s->time = le64toh(s->time);
	if (!s->size || s->size % 4 || s->size > (size_t)(r->end - r->at))
		return -EINVAL;
	header = (struct rbmap_subbuf_header){ .time_stamp = s->time, .commit = s->size };
	r->copy.size = 0;
	buf_add(&r->copy, &header, HEAD);
	buf_add(&r->copy, r->at, s->size);
	r->at += s->size;
	return r->copy.failed ? -ENOMEM : 1;
}

void batch_close(struct batch_reader *r)
{
	buf_free(&r->copy);
}

/* Count the events of a sub-buffer. Return a negative number if it is damaged. */
static int64_t count(const struct buf *subbuf)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	int64_t nr = 0;
	int ret;

	while ((ret = rbmap_decode(subbuf->data, subbuf->size, &cursor, &ev)) == 1)
		nr++;
	return ret < 0 ? ret : nr;
}

bool batch_is_valid(const void *data, size_t size)
{
	struct batch_subbuf subbuf;
	struct batch_reader r;
	struct batch_head head;
	uint64_t events = 0;
	int64_t nr;
	int ret = -EINVAL;

	if (batch_open(&r, &head, data, size)) {
		while ((ret = batch_next(&r, &subbuf)) == 1) {
			nr = count(&r.copy);
			if (nr < 0) {
				ret = -EINVAL;
				break;
			}
			events += nr;
		}
	}
	batch_close(&r);
	return !ret && events && events == head.events && head.begin <= head.end &&
	       head.number <= UINT64_MAX - events;
}
