// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "agent/uplink/files.h"
#include "base/files.h"
#include "stream_spool_files.h"

#define HEAD_MAGIC	"rbSG"
#define RECORD_MAGIC	"rbRC"
#define NAME		"gaps"

static uint32_t checksum(const void *head, size_t from, size_t size, const void *more,
			 size_t more_size)
{
	uint32_t crc = crc32_z(0, (const unsigned char *)head + from, size - from);

	/* zlib begins again if it gets no buffer. */
	return more_size ? crc32_z(crc, more, more_size) : crc;
}

static uint32_t head_checksum(const struct segment_head *h, const struct stream_position *p)
{
	return checksum(h, offsetof(struct segment_head, incarnation), sizeof(*h), p,
			h->nr * sizeof(*p));
}

static uint32_t record_checksum(const struct stream_record *r, const void *message)
{
	return checksum(r, offsetof(struct stream_record, size), sizeof(*r), message, r->size);
}

int64_t segment_write_head(int fd, struct segment_head *h, const struct stream_position *p)
{
	size_t size = h->nr * sizeof(*p);
	int ret;

	memcpy(h->magic, HEAD_MAGIC, sizeof(h->magic));
	h->crc = head_checksum(h, p);
	ret = write_all_at(fd, h, sizeof(*h), 0);
	if (!ret)
		ret = write_all_at(fd, p, size, sizeof(*h));
	return ret ? ret : (int64_t)(sizeof(*h) + size);
}

int64_t segment_read_head(int fd, struct segment_head *h, struct stream_position **positions)
{
	int ret = read_all_at(fd, h, sizeof(*h), 0);
	struct stream_position *p;

	*positions = NULL;
	if (ret)
		return ret;
	if (memcmp(h->magic, HEAD_MAGIC, sizeof(h->magic)) || h->nr > SEGMENT_POSITIONS_MAX)
		return -EBADMSG;
	p = calloc(h->nr + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*positions = p;
	ret = read_all_at(fd, p, h->nr * sizeof(*p), sizeof(*h));
	if (!ret && h->crc != head_checksum(h, p))
		ret = -EBADMSG;
	return ret ? ret : (int64_t)(sizeof(*h) + h->nr * sizeof(*p));
}

int segment_write(int fd, uint64_t offset, struct stream_record *r, const void *message)
{
	int ret;

	memcpy(r->magic, RECORD_MAGIC, sizeof(r->magic));
	r->crc = record_checksum(r, message);
	ret = write_all_at(fd, r, sizeof(*r), offset);
	return ret ? ret : write_all_at(fd, message, r->size, offset + sizeof(*r));
}

int segment_read(int fd, uint64_t offset, struct stream_record *r, struct buf *message)
{
	int ret = read_all_at(fd, r, sizeof(*r), offset);
	char *room;

	if (ret)
		return ret;
	if (memcmp(r->magic, RECORD_MAGIC, sizeof(r->magic)) || r->size > MESSAGE_SIZE_MAX ||
	    r->source[sizeof(r->source) - 1])
		return -EBADMSG;
	message->size = 0;
	room = buf_room(message, r->size);
	if (!room)
		return -ENOMEM;
	ret = read_all_at(fd, room, r->size, offset + sizeof(*r));
	if (ret)
		return ret;
	buf_end(message, room + r->size);
	return r->crc == record_checksum(r, message->data) ? 0 : -EBADMSG;
}

static int parse_gaps(struct stream_gaps *g, const struct buf *file)
{
	size_t nr = file->size / sizeof(*g->v);

	if (file->size % sizeof(*g->v))
		return -EBADMSG;
	g->v = malloc(file->size);
	if (!g->v)
		return -ENOMEM;
	memcpy(g->v, file->data, file->size);
	g->nr = g->room = nr;
	for (size_t i = 0; i < nr; i++) {
		g->v[i].source[sizeof(g->v->source) - 1] = '\0';
		g->v[i].boot[sizeof(g->v->boot) - 1] = '\0';
		g->v[i].sent = 0;
	}
	return 0;
}

int stream_gaps_read(struct stream_gaps *g, int dir)
{
	struct buf file = { 0 };
	int ret = files_read(dir, NAME, &file, STREAM_GAPS_MAX * sizeof(*g->v));

	*g = (struct stream_gaps){ 0 };
	if (ret == -ENOENT)
		ret = 0;
	if (!ret && file.size)
		ret = parse_gaps(g, &file);
	buf_free(&file);
	return ret;
}

int stream_gaps_write(const struct stream_gaps *g, int dir)
{
	return files_replace(dir, NAME, g->nr ? (const char *)g->v : "",
			     g->nr * sizeof(*g->v), true);
}

void stream_gaps_free(struct stream_gaps *g)
{
	free(g->v);
	*g = (struct stream_gaps){ 0 };
}

struct stream_gap *stream_gaps_find(const struct stream_gaps *g, const char *source)
{
	for (size_t i = 0; i < g->nr; i++)
		if (!strcmp(g->v[i].source, source))
			return &g->v[i];
	return NULL;
}

static struct stream_gap *new_gap(struct stream_gaps *g)
{
	if (g->nr == STREAM_GAPS_MAX)
		return NULL;
	if (g->nr == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		struct stream_gap *more = realloc(g->v, room * sizeof(*more));

		if (!more)
			return NULL;
		g->v = more;
		g->room = room;
	}
	g->v[g->nr] = (struct stream_gap){ 0 };
	return &g->v[g->nr++];
}

int stream_gaps_add(struct stream_gaps *g, const struct stream_record *r, const char *boot)
{
	struct stream_gap *gap = stream_gaps_find(g, r->source);

	if (gap && r->seq <= gap->last)
		return 0;
	if (!gap) {
		gap = new_gap(g);
		if (!gap)
			return -ENOMEM;
		memcpy(gap->source, r->source, sizeof(gap->source));
		snprintf(gap->boot, sizeof(gap->boot), "%s", boot);
		gap->first = r->seq;
	}
	gap->last = r->seq;
	gap->events += r->events;
	gap->lost += r->lost == MESSAGE_LOST_UNKNOWN ? 0 : r->lost;
	gap->after = r->after;
	gap->number = r->number;
	gap->sent = 0;
	return 0;
}

bool stream_gaps_stored(struct stream_gaps *g, const char *source, uint64_t next)
{
	struct stream_gap *gap = stream_gaps_find(g, source);

	if (!gap || gap->last >= next)
		return false;
	*gap = g->v[--g->nr];
	return true;
}
