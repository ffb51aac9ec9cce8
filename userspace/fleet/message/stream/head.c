// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "head.h"
#include "message/message.h"

#define VERSION		1
#define LEVEL		3	/* zstd's; formats resemble each other */
#define RAW_MAX		(16U << 20)
#define PAGE_MAX	65536
#define CPUS_MAX	8192

static void add_u32(struct buf *b, uint32_t value)
{
	value = htole32(value);
	buf_add(b, &value, sizeof(value));
}

static void add_raw(struct buf *raw, const struct stream_head *h)
{
	struct buf clock = { 0 };

	add_u32(raw, VERSION);
	add_u32(raw, h->page_size);
	add_u32(raw, h->nr_cpus);
	add_u32(raw, h->nr_formats);
	stream_clock_print(&h->moment, &clock);
	buf_add(&clock, "", 1);
	raw->failed |= clock.failed;
	if (!clock.failed)
		buf_add_string(raw, clock.data);
	buf_free(&clock);
	buf_add_string(raw, h->clock);
	buf_add_string(raw, h->uname);
	buf_add_string(raw, h->version);
	for (uint32_t i = 0; i < h->nr_formats; i++) {
		buf_add_string(raw, h->formats[i].system);
		buf_add_string(raw, h->formats[i].text);
	}
	buf_add_string(raw, h->names);
}

static int compress(struct buf *out, const struct buf *raw)
{
	size_t size = ZSTD_compressBound(raw->size);
	char *room;

	if (raw->failed)
		return -ENOMEM;
	if (raw->size > RAW_MAX)
		return -EMSGSIZE;
	room = buf_room(out, size);
	if (!room)
		return -ENOMEM;
	size = ZSTD_compress(room, size, raw->data, raw->size, LEVEL);
	if (ZSTD_isError(size))
		return -ENOMEM;
	if (size > MESSAGE_PAYLOAD_MAX)
		return -EMSGSIZE;
	buf_end(out, room + size);
	return 0;
}

int stream_head_encode(struct buf *out, const struct stream_head *head)
{
	struct buf raw = { 0 };
	int ret;

	add_raw(&raw, head);
	ret = compress(out, &raw);
	buf_free(&raw);
	return ret;
}

static bool decompress(struct buf *raw, const void *data, size_t size)
{
	unsigned long long whole = ZSTD_getFrameContentSize(data, size);
	char *room;

	if (whole > RAW_MAX || !whole)
		return false;
	room = buf_room(raw, whole);
	if (!room || ZSTD_decompress(room, whole, data, size) != whole)
		return false;
	buf_end(raw, room + whole);
	return true;
}

struct place {
	const char *at;
	const char *end;
	bool bad;
};

static uint32_t next_u32(struct place *p)
{
	uint32_t value;

	if ((size_t)(p->end - p->at) < sizeof(value)) {
		p->bad = true;
		return 0;
	}
	memcpy(&value, p->at, sizeof(value));
	p->at += sizeof(value);
	return le32toh(value);
}

static const char *next_string(struct place *p)
{
	const char *text = p->at, *end = memchr(text, '\0', p->end - text);

	if (!end) {
		p->bad = true;
		return "";
	}
	p->at = end + 1;
	return text;
}

static bool parse(struct stream_head *h)
{
	struct place p = { h->raw.data, h->raw.data + h->raw.size, false };
	const char *moment;

	if (next_u32(&p) != VERSION)
		return false;
	h->page_size = next_u32(&p);
	h->nr_cpus = next_u32(&p);
	h->nr_formats = next_u32(&p);
	moment = next_string(&p);
	stream_clock_parse(&h->moment, moment, strlen(moment));
	h->clock = next_string(&p);
	h->uname = next_string(&p);
	h->version = next_string(&p);
	if (p.bad || h->nr_formats > STREAM_FORMATS_MAX)
		return false;
	h->formats = calloc(h->nr_formats + 1, sizeof(*h->formats));
	for (uint32_t i = 0; h->formats && i < h->nr_formats; i++) {
		h->formats[i].system = next_string(&p);
		h->formats[i].text = next_string(&p);
	}
	h->names = next_string(&p);
	return h->formats && !p.bad && p.at == p.end;
}

bool stream_head_decode(struct stream_head *h, const void *data, size_t size)
{
	*h = (struct stream_head){ 0 };
	return decompress(&h->raw, data, size) && parse(h) && h->nr_cpus &&
	       h->nr_cpus <= CPUS_MAX && h->page_size >= 4096 && h->page_size <= PAGE_MAX &&
	       !(h->page_size & (h->page_size - 1)) && strlen(h->clock) < 32 &&
	       strlen(h->uname) < 1024 && strlen(h->version) < 256;
}

void stream_head_free(struct stream_head *h)
{
	free(h->formats);
	buf_free(&h->raw);
}
