// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/uplink/files.h"
#include "base/array.h"
#include "message/message.h"
#include "stream_spool.h"

#define SEGMENTS_MAX	(1U << 20)

struct numbers {
	uint64_t *v;
	size_t nr;
};

static int add_number(void *data, int dir, const char *name)
{
	struct numbers *n = data;
	char again[32];
	uint64_t number;

	(void)dir;
	if (!text_u64(name, &number))
		return 0;
	stream_segment_name(number, again);
	if (strcmp(again, name))
		return 0;
	if (n->nr >= SEGMENTS_MAX || !array_grow(n->v, n->nr))
		return -ENOMEM;
	n->v[n->nr++] = number;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool in_gap(const struct stream_spool *s, const struct stream_record *r)
{
	const struct stream_gap *gap = stream_gaps_find(&s->gaps, r->source);

	return gap && r->seq <= gap->last;
}

/* A kill can cut the last record; all before it are complete. */
static int read_records(struct stream_spool *s, struct stream_segment *g, int fd)
{
	struct buf message = { 0 };
	struct stream_record r;
	int ret;

	while (!(ret = segment_read(fd, g->size, &r, &message))) {
		if (!in_gap(s, &r))
			ret = stream_spool_note(s, g, &r);
		if (ret)
			break;
		g->size += segment_record_size(&r);
	}
	buf_free(&message);
	/* Its messages will be sent, so the segment must be on the disk. */
	if (ret == -EBADMSG)
		ret = fsync(fd) ? -errno : 0;
	g->synced = g->size;
	return ret;
}

/* The positions of a segment replace those of the ones before. */
static void take_positions(struct stream_spool *s, const struct segment_head *h,
			   struct stream_position *p)
{
	free(s->position);
	s->position = p;
	s->nr_positions = strcmp(h->boot, s->boot) ? 0 : h->nr;
}

static int load_open(struct stream_spool *s, uint64_t number, int fd)
{
	struct stream_position *positions;
	struct stream_segment *g;
	struct segment_head head;
	int64_t begin = segment_read_head(fd, &head, &positions);

	if (begin < 0) {
		free(positions);
		return begin;
	}
	head.boot[sizeof(head.boot) - 1] = '\0';
	take_positions(s, &head, positions);
	if (head.incarnation > s->incarnation)
		s->incarnation = head.incarnation;
	g = stream_spool_add_segment(s, number);
	if (!g)
		return -ENOMEM;
	memcpy(g->boot, head.boot, sizeof(g->boot));
	g->begin = g->size = begin;
	return read_records(s, g, fd);
}

static int load(struct stream_spool *s, uint64_t number)
{
	char name[32];
	int fd, ret;

	stream_segment_name(number, name);
	fd = openat(s->dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = load_open(s, number, fd);
	/* A kill came before its head was complete: it has no record. */
	if (ret == -EBADMSG)
		ret = files_remove(s->dir, name);
	close(fd);
	return ret;
}

int stream_spool_load(struct stream_spool *s)
{
	struct numbers numbers = { 0 };
	int ret;

	/* Incarnations grow by one a run at least, and by time if the spool was removed. */
	s->incarnation = time(NULL);
	files_remove_temporary(s->dir);
	ret = stream_gaps_read(&s->gaps, s->dir);
	if (!ret)
		ret = files_each(s->dir, add_number, &numbers);
	if (numbers.nr)
		qsort(numbers.v, numbers.nr, sizeof(*numbers.v), by_number);
	for (size_t i = 0; !ret && i < numbers.nr; i++)
		ret = load(s, numbers.v[i]);
	free(numbers.v);
	for (size_t i = 0; i < s->nr_segments; i++)
		s->bytes += s->segment[i].size;
	s->incarnation++;
	return ret;
}
