// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the spool of streams: the segments that an earlier run has left, and messages for the
 * sender.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

void stream_cursor_reset(struct stream_cursor *c)
{
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct stream_cursor){ .fd = -1 };
}

/*
 * Go to the segment of the cursor, or to the next one that is there. Return false if all
 * that is on the disk was read.
 */
static bool find_place(struct stream_spool *s, struct stream_cursor *c)
{
	for (size_t i = 0; i < s->nr_segments; i++) {
		const struct stream_segment *g = &s->segment[i];

		if (g->number < c->segment)
			continue;
		if (g->number > c->segment || !c->offset) {
			stream_cursor_reset(c);
			c->segment = g->number;
			c->offset = g->begin;
		}
		if (c->offset < g->synced)
			return true;
	}
	return false;
}

/* Return 0, or a negative errno; -ENOENT: the segment is gone. */
static int read_place(struct stream_spool *s, struct stream_cursor *c,
		      struct stream_record *r, struct buf *message)
{
	char name[32];
	int ret;

	stream_segment_name(c->segment, name);
	if (c->fd < 0)
		c->fd = openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	ret = segment_read(c->fd, c->offset, r, message);
	if (!ret)
		c->offset += segment_record_size(r);
	return ret;
}

static bool is_wanted(struct stream_spool *s, const struct stream_record *r)
{
	const struct stream_gap *gap;
	bool wanted = true;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->nr_states; i++)
		if (!strcmp(s->state[i].source, r->source))
			wanted = r->seq >= s->state[i].next;
	gap = stream_gaps_find(&s->gaps, r->source);
	wanted &= !gap || r->seq > gap->last;
	pthread_mutex_unlock(&s->lock);
	return wanted;
}

int stream_spool_next(struct stream_spool *s, struct stream_cursor *c,
		      struct stream_record *r, struct buf *message)
{
	for (;;) {
		bool there;
		int ret;

		pthread_mutex_lock(&s->lock);
		there = find_place(s, c);
		pthread_mutex_unlock(&s->lock);
		if (!there)
			return 0;
		ret = read_place(s, c, r, message);
		if (!ret && is_wanted(s, r))
			return 1;
		if (ret && ret != -ENOENT)
			return ret;
		if (ret) {
			uint64_t next = c->segment + 1;

			stream_cursor_reset(c);
			c->segment = next;
		}
	}
}

bool stream_spool_gap(struct stream_spool *s, struct stream_gap *gap)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; !found && i < s->gaps.nr; i++) {
		if (s->gaps.v[i].sent)
			continue;
		*gap = s->gaps.v[i];
		s->gaps.v[i].sent = 1;
		found = true;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool stream_spool_has_gap(struct stream_spool *s, const char *source)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = source ? stream_gaps_find(&s->gaps, source) != NULL : s->gaps.nr > 0;
	pthread_mutex_unlock(&s->lock);
	return has;
}

void stream_spool_gaps_again(struct stream_spool *s)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->gaps.nr; i++)
		s->gaps.v[i].sent = 0;
	pthread_mutex_unlock(&s->lock);
}

bool stream_spool_is_stored(struct stream_spool *s)
{
	bool stored = true;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; stored && i < s->nr_states; i++)
		stored = s->state[i].next >= s->state[i].end;
	stored &= !s->gaps.nr;
	pthread_mutex_unlock(&s->lock);
	return stored;
}

/* A collector of an earlier version does not read the second line. */
static void list_state(const struct stream_state *state, struct buf *out)
{
	uint64_t first = state->next > state->first ? state->next : state->first;
	char line[SOURCE_NAME_SIZE + 32];

	text_add(out, "stream", state->source);
	if (!first)
		return;
	snprintf(line, sizeof(line), "%s %" PRIu64, state->source, first);
	text_add(out, "stream-first", line);
}

void stream_spool_list(struct stream_spool *s, struct buf *out, size_t most)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; most && i < s->nr_states; i++) {
		if (s->state[i].next >= s->state[i].end)
			continue;
		list_state(&s->state[i], out);
		most--;
	}
	for (size_t i = 0; most && i < s->gaps.nr; i++, most--)
		text_add(out, "stream", s->gaps.v[i].source);
	pthread_mutex_unlock(&s->lock);
}
