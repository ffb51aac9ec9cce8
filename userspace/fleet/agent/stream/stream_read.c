// SPDX-License-Identifier: GPL-2.0-only
/* The sender's side of the spool of streams. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message/message.h"
#include "stream_spool.h"

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

void stream_spool_list(struct stream_spool *s, struct buf *out, size_t most)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; most && i < s->nr_states; i++) {
		if (s->state[i].next >= s->state[i].end)
			continue;
		text_add(out, "stream", s->state[i].source);
		most--;
	}
	for (size_t i = 0; most && i < s->gaps.nr; i++, most--)
		text_add(out, "stream", s->gaps.v[i].source);
	pthread_mutex_unlock(&s->lock);
}
