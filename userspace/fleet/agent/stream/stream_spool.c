// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/uplink/files.h"
#include "base/array.h"
#include "message/message.h"
#include "stream_spool.h"

void stream_segment_name(uint64_t number, char name[32])
{
	snprintf(name, 32, "%010" PRIu64, number);
}

struct stream_segment *stream_spool_add_segment(struct stream_spool *s, uint64_t number)
{
	if (!array_grow(s->segment, s->nr_segments))
		return NULL;
	s->segment[s->nr_segments] = (struct stream_segment){ .number = number };
	return &s->segment[s->nr_segments++];
}

static struct stream_state *find_state(struct stream_spool *s, const char *source)
{
	for (size_t i = 0; i < s->nr_states; i++)
		if (!strcmp(s->state[i].source, source))
			return &s->state[i];
	return NULL;
}

static struct stream_state *get_state(struct stream_spool *s, const char *source)
{
	struct stream_state *state = find_state(s, source);

	if (state)
		return state;
	if (!array_grow(s->state, s->nr_states))
		return NULL;
	state = &s->state[s->nr_states++];
	*state = (struct stream_state){ 0 };
	snprintf(state->source, sizeof(state->source), "%s", source);
	return state;
}

static int note_last(struct stream_segment *g, size_t state, uint64_t seq)
{
	for (size_t i = 0; i < g->nr_last; i++) {
		if (g->last[i].state == state) {
			g->last[i].seq = seq;
			return 0;
		}
	}
	if (!array_grow(g->last, g->nr_last))
		return -ENOMEM;
	g->last[g->nr_last++] = (struct stream_last){ state, seq };
	return 0;
}

static struct stream_position *find_position(const struct stream_spool *s, const char *buffer,
					     int cpu)
{
	for (size_t i = 0; i < s->nr_positions; i++)
		if (s->position[i].cpu == cpu && !strcmp(s->position[i].buffer, buffer))
			return &s->position[i];
	return NULL;
}

const struct stream_position *stream_spool_position(const struct stream_spool *s,
						    const char *buffer, int cpu)
{
	return find_position(s, buffer, cpu);
}

static int move_position(struct stream_spool *s, const struct stream_source *source,
			 const struct stream_record *r)
{
	struct stream_position *p = find_position(s, source->buffer, source->cpu), *more;

	if (!p) {
		if (s->nr_positions == SEGMENT_POSITIONS_MAX)
			return -ENOSPC;
		/* A loaded array has the size that its file has. */
		more = realloc(s->position, (s->nr_positions + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->position = more;
		p = &more[s->nr_positions++];
		*p = (struct stream_position){ .cpu = source->cpu };
		memcpy(p->buffer, source->buffer, strlen(source->buffer) + 1);
	}
	p->generation = source->generation;
	p->number = r->number;
	p->time = r->time;
	return 0;
}

int stream_spool_note(struct stream_spool *s, struct stream_segment *g,
		      const struct stream_record *r)
{
	struct stream_source source;
	struct stream_state *state;
	int ret;

	if (!stream_source_parse(&source, r->source))
		return -EBADMSG;
	state = get_state(s, r->source);
	if (!state)
		return -ENOMEM;
	ret = note_last(g, state - s->state, r->seq);
	/* Positions of another boot have no meaning in this one. */
	if (!ret && source.cpu != STREAM_CPU_HEAD && !strcmp(g->boot, s->boot))
		ret = move_position(s, &source, r);
	if (source.incarnation > s->incarnation)
		s->incarnation = source.incarnation;
	if (ret)
		return ret;
	if (!state->end)
		state->first = r->seq;
	state->end = r->seq + 1;
	return 0;
}

static int write_head(struct stream_spool *s, int fd)
{
	struct segment_head head = { .incarnation = s->incarnation, .nr = s->nr_positions };
	int64_t size;

	memcpy(head.boot, s->boot, sizeof(head.boot));
	size = segment_write_head(fd, &head, s->position);
	if (size >= 0 && (fsync(fd) || fsync(s->dir)))
		return -errno;
	return size;
}

/* Begin a segment. The one before is on the disk then. */
static int new_segment(struct stream_spool *s)
{
	uint64_t number = s->nr_segments ? s->segment[s->nr_segments - 1].number + 1 : 1;
	struct stream_segment *g;
	char name[32];
	int64_t size;
	int fd;

	if (s->fd >= 0 && fdatasync(s->fd))
		return -errno;
	if (s->fd >= 0)
		s->segment[s->nr_segments - 1].synced = s->segment[s->nr_segments - 1].size;
	stream_segment_name(number, name);
	fd = openat(s->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	size = write_head(s, fd);
	g = size < 0 ? NULL : stream_spool_add_segment(s, number);
	if (!g) {
		close(fd);
		files_remove(s->dir, name);
		return size < 0 ? size : -ENOMEM;
	}
	if (s->fd >= 0)
		close(s->fd);
	s->fd = fd;
	memcpy(g->boot, s->boot, sizeof(g->boot));
	g->begin = g->size = g->synced = size;
	s->bytes += size;
	return 0;
}

static void remove_segment(struct stream_spool *s, size_t i)
{
	char name[32];

	stream_segment_name(s->segment[i].number, name);
	/* If the file cannot be removed now, the next run removes it. */
	files_remove(s->dir, name);
	s->bytes -= s->segment[i].size;
	free(s->segment[i].last);
	memmove(&s->segment[i], &s->segment[i + 1],
		(--s->nr_segments - i) * sizeof(*s->segment));
}

/* Add the messages of a segment that the collector does not have to the gaps. */
static int make_gaps(struct stream_spool *s, const struct stream_segment *g, int fd)
{
	uint64_t offset = g->begin;
	struct buf message = { 0 };
	struct stream_record r;
	int ret = 0;

	while (!ret && offset < g->size) {
		const struct stream_state *state;
		struct stream_source source;

		ret = segment_read(fd, offset, &r, &message);
		if (ret)
			break;
		offset += segment_record_size(&r);
		state = find_state(s, r.source);
		if (!state || r.seq < state->next)
			continue;
		ret = stream_gaps_add(&s->gaps, &r, g->boot);
		s->dropped++;
		s->head_lost |= stream_source_parse(&source, r.source) &&
				source.cpu == STREAM_CPU_HEAD;
	}
	buf_free(&message);
	return ret;
}

/* Replace the oldest segment by gaps, which are on the disk before the segment is removed. */
static int drop_oldest(struct stream_spool *s)
{
	char name[32];
	int fd, ret;

	stream_segment_name(s->segment[0].number, name);
	fd = openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = make_gaps(s, &s->segment[0], fd);
	close(fd);
	if (!ret)
		ret = stream_gaps_write(&s->gaps, s->dir);
	if (!ret)
		remove_segment(s, 0);
	return ret;
}

static int make_room(struct stream_spool *s, uint64_t size)
{
	struct stream_segment *last = &s->segment[s->nr_segments - 1];
	int ret = 0;

	if (last->size > last->begin && last->size + size > STREAM_SEGMENT_SIZE)
		ret = new_segment(s);
	while (!ret && s->nr_segments > 1 && s->bytes + size > s->most)
		ret = drop_oldest(s);
	return ret;
}

static int append(struct stream_spool *s, struct stream_record *r, const void *message)
{
	struct stream_segment *g;
	int ret = make_room(s, segment_record_size(r));

	if (ret)
		return ret;
	g = &s->segment[s->nr_segments - 1];
	ret = segment_write(s->fd, g->size, r, message);
	if (!ret)
		ret = stream_spool_note(s, g, r);
	if (ret) {
		/* The next record overwrites a part that was written. */
		if (ftruncate(s->fd, g->size))
			return -errno;
		return ret;
	}
	g->size += segment_record_size(r);
	s->bytes += segment_record_size(r);
	return 0;
}

int stream_spool_append(struct stream_spool *s, struct stream_record *r, const void *message,
			size_t size)
{
	int ret;

	r->size = size;
	pthread_mutex_lock(&s->lock);
	ret = append(s, r, message);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

int stream_spool_sync(struct stream_spool *s)
{
	struct stream_segment *g;
	uint64_t number, size;
	int fd = -1, ret = 0;

	pthread_mutex_lock(&s->lock);
	g = &s->segment[s->nr_segments - 1];
	number = g->number;
	size = g->size;
	if (g->synced < size)
		fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&s->lock);
	if (fd < 0)
		return 0;
	/* Without the lock, so that the rings are read meanwhile. */
	if (fdatasync(fd))
		ret = -errno;
	close(fd);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; !ret && i < s->nr_segments; i++)
		if (s->segment[i].number == number && s->segment[i].synced < size)
			s->segment[i].synced = size;
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static bool is_free(const struct stream_spool *s, const struct stream_segment *g)
{
	for (size_t i = 0; i < g->nr_last; i++)
		if (s->state[g->last[i].state].next <= g->last[i].seq)
			return false;
	return true;
}

static void remove_free(struct stream_spool *s)
{
	for (size_t i = 0; i + 1 < s->nr_segments; )
		if (is_free(s, &s->segment[i]))
			remove_segment(s, i);
		else
			i++;
}

uint64_t stream_spool_incarnation(struct stream_spool *s)
{
	uint64_t incarnation;

	pthread_mutex_lock(&s->lock);
	incarnation = ++s->incarnation;
	pthread_mutex_unlock(&s->lock);
	return incarnation;
}

bool stream_spool_stored(struct stream_spool *s, const char *source, uint64_t next)
{
	struct stream_state *state;
	bool news = false;

	pthread_mutex_lock(&s->lock);
	state = find_state(s, source);
	if (state && next > state->next && next <= state->end) {
		state->next = next;
		news = true;
		remove_free(s);
	}
	if (stream_gaps_stored(&s->gaps, source, next)) {
		news = true;
		/* If that fails, the gap is sent again after a restart. */
		stream_gaps_write(&s->gaps, s->dir);
	}
	pthread_mutex_unlock(&s->lock);
	return news;
}

int stream_spool_open(struct stream_spool *s, int dir, uint64_t most, const char *boot)
{
	int ret;

	*s = (struct stream_spool){ .most = most, .fd = -1 };
	pthread_mutex_init(&s->lock, NULL);
	snprintf(s->boot, sizeof(s->boot), "%s", boot);
	s->dir = files_open_folder(dir, STREAM_FOLDER);
	if (s->dir < 0)
		return s->dir;
	ret = stream_spool_load(s);
	if (!ret)
		ret = new_segment(s);
	if (!ret)
		remove_free(s);
	return ret;
}

void stream_spool_close(struct stream_spool *s)
{
	for (size_t i = 0; i < s->nr_segments; i++)
		free(s->segment[i].last);
	free(s->segment);
	free(s->state);
	free(s->position);
	stream_gaps_free(&s->gaps);
	if (s->fd >= 0)
		close(s->fd);
	if (s->dir >= 0)
		close(s->dir);
	pthread_mutex_destroy(&s->lock);
}
