// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "message/message.h"
#include "stream.h"

#define HEAD		"head"
#define MISSED		"missed"
#define TAI_OFFSET_MAX	3600	/* seconds; it is 37 since 2017 */
#define VERSION		1
#define LEVEL		3	/* zstd's; formats resemble each other */
#define RAW_MAX		(16U << 20)
#define PAGE_MAX	65536

bool stream_buffer_is_valid(const char *name)
{
	return is_source_name(name) && strlen(name) < STREAM_BUFFER_SIZE && !strchr(name, ':');
}

void stream_source_print(const struct stream_source *s, char name[SOURCE_NAME_SIZE])
{
	char cpu[16] = HEAD;

	if (s->cpu != STREAM_CPU_HEAD)
		snprintf(cpu, sizeof(cpu), "%d", s->cpu);
	snprintf(name, SOURCE_NAME_SIZE, "%.32s.%s.%u.%" PRIu64, s->buffer, cpu, s->generation,
		 s->incarnation);
}

/* Cut the last part of a name off, and return it. A buffer's name can have dots. */
static const char *last_part(char *name)
{
	char *dot = strrchr(name, '.');

	if (!dot)
		return "";
	*dot = '\0';
	return dot + 1;
}

bool stream_source_parse(struct stream_source *s, const char *name)
{
	uint64_t generation, cpu = 0;
	char text[SOURCE_NAME_SIZE], again[SOURCE_NAME_SIZE];
	const char *part;

	if (!is_source_name(name))
		return false;
	snprintf(text, sizeof(text), "%s", name);
	if (!text_u64(last_part(text), &s->incarnation) ||
	    !text_u64(last_part(text), &generation) || generation > UINT32_MAX)
		return false;
	part = last_part(text);
	if (strcmp(part, HEAD) && (!text_u64(part, &cpu) || cpu >= STREAM_CPUS_MAX))
		return false;
	s->cpu = strcmp(part, HEAD) ? (int)cpu : STREAM_CPU_HEAD;
	s->generation = generation;
	if (!stream_buffer_is_valid(text))
		return false;
	memcpy(s->buffer, text, strlen(text) + 1);
	/* A source has one name: numbers have no zeros before them. */
	stream_source_print(s, again);
	return !strcmp(again, name);
}

void stream_clock_print(const struct stream_clock *c, struct buf *out)
{
	text_add_u64(out, "ring", c->moment.ring);
	text_add_u64(out, "real", c->moment.real);
	text_add_u64(out, "boot", c->moment.boot);
	text_add_u64(out, "tai-offset", c->moment.tai_offset > 0 ? c->moment.tai_offset : 0);
	text_add_u64(out, "error", c->moment.error);
	if (c->error != STREAM_CLOCK_UNKNOWN)
		text_add_u64(out, "clock-error", c->error);
}

bool stream_clock_parse(struct stream_clock *c, const void *text, size_t size)
{
	uint64_t tai = 0, number;
	const struct {
		const char *name;
		uint64_t *to;
	} numbers[] = {
		{ "ring", &c->moment.ring },
		{ "real", &c->moment.real },
		{ "boot", &c->moment.boot },
		{ "tai-offset", &tai },
		{ "error", &c->moment.error },
		{ "clock-error", &c->error },
	};
	struct text t = { text, (const char *)text + size };
	char name[32], value[32];

	*c = (struct stream_clock){ .error = STREAM_CLOCK_UNKNOWN };
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
			if (!strcmp(numbers[i].name, name) && text_u64(value, &number))
				*numbers[i].to = number;
	c->moment.tai_offset = tai < TAI_OFFSET_MAX ? tai : 0;
	return c->moment.real && c->moment.real <= INT64_MAX && c->moment.ring <= INT64_MAX;
}

void stream_missed_print(struct buf *out, unsigned int cpu, uint64_t missed)
{
	char value[48];

	snprintf(value, sizeof(value), "%u %" PRIu64, cpu, missed);
	text_add(out, MISSED, value);
}

bool stream_missed_next(struct text *payload, unsigned int *cpu, uint64_t *missed)
{
	char name[32], value[32], *space;
	uint64_t number;

	while (text_next(payload, name, sizeof(name), value, sizeof(value))) {
		space = strcmp(name, MISSED) ? NULL : strchr(value, ' ');
		if (!space)
			continue;
		*space = '\0';
		if (!text_u64(value, &number) || number >= STREAM_CPUS_MAX ||
		    !text_u64(space + 1, missed) || *missed > INT64_MAX)
			continue;
		*cpu = number;
		return true;
	}
	return false;
}

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
	       h->nr_cpus <= STREAM_CPUS_MAX && h->page_size >= 4096 && h->page_size <= PAGE_MAX &&
	       !(h->page_size & (h->page_size - 1)) && strlen(h->clock) < 32 &&
	       strlen(h->uname) < 1024 && strlen(h->version) < 256;
}

void stream_head_free(struct stream_head *h)
{
	free(h->formats);
	buf_free(&h->raw);
}
