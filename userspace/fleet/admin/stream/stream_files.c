// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files.h"
#include "message/message.h"
#include "stream_files.h"

#define HEAD		"head."
#define HEADS_MAX	64

static const char files_of[] =
	"SELECT number, size FROM stream_file WHERE host = ?1 AND boot = ?2 AND buffer = ?3"
	" AND begin <= ?4 AND end >= ?5 ORDER BY number";

static int open_file(const struct stream_query *q, uint64_t number)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%" PRIu64, number);
	fd = openat(q->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_message(int fd, uint64_t offset, uint32_t size, struct message *m,
			struct buf *bytes, struct buf *space)
{
	char *room;
	int ret;

	bytes->size = 0;
	room = buf_room(bytes, size);
	if (!room)
		return -ENOMEM;
	ret = read_all_at(fd, room, size, offset);
	if (ret)
		return ret;
	buf_end(bytes, room + size);
	return message_decode(m, space, bytes->data, bytes->size) ? -EBADMSG : 0;
}

int stream_query_read(const struct stream_query *q, const struct stream_entry *e, struct message *m,
		      struct buf *bytes, struct buf *space)
{
	int fd = open_file(q, e->file), ret;

	if (fd < 0)
		return fd;
	ret = read_message(fd, e->offset, e->size, m, bytes, space);
	close(fd);
	return ret;
}

static int add_entry(struct stream_query *q, const struct stream_entry *e)
{
	if (!array_grow_from(q->entry, q->nr, 256))
		return -ENOMEM;
	q->entry[q->nr++] = *e;
	return 0;
}

static int add_clock(struct stream_query *q, const struct stream_clock *c)
{
	if (!array_grow_from(q->clock, q->nr_clocks, 64))
		return -ENOMEM;
	q->clock[q->nr_clocks++] = *c;
	return 0;
}

static int look_at_clock(struct stream_query *q, const struct message *m)
{
	struct text text = { m->data, (const char *)m->data + m->size };
	struct stream_missed missed;
	struct stream_clock clock;

	if (!stream_clock_parse(&clock, m->data, m->size))
		return 0;
	missed.ring = clock.moment.ring;
	while (stream_missed_next(&text, &missed.cpu, &missed.missed)) {
		if (!array_grow_from(q->missed, q->nr_missed, 64))
			return -ENOMEM;
		q->missed[q->nr_missed++] = missed;
	}
	return add_clock(q, &clock);
}

static int look_at(struct stream_query *q, struct stream_entry *e, const struct message *m)
{
	struct batch_reader r;
	struct batch_head head;

	if (m->kind == MESSAGE_CLOCK)
		return look_at_clock(q, m);
	if (m->kind != MESSAGE_SUBBUFS || !stream_source_parse(&e->source, m->source) ||
	    e->source.cpu == STREAM_CPU_HEAD || !batch_open(&r, &head, m->data, m->size))
		return 0;
	e->seq = m->seq;
	return head.begin <= q->until && head.end >= q->since ? add_entry(q, e) : 0;
}

static int scan(struct stream_query *q, uint64_t number, uint64_t size)
{
	struct stream_entry e = { .file = number };
	struct buf bytes = { 0 }, space = { 0 };
	int fd = open_file(q, number), ret = 0;
	struct message m;
	uint64_t at = 0;

	/* The collector can remove it meanwhile. */
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	while (!ret && at + sizeof(e.size) <= size) {
		ret = read_all_at(fd, &e.size, sizeof(e.size), at);
		e.size = le32toh(e.size);
		e.offset = at + sizeof(e.size);
		if (ret || e.size > MESSAGE_SIZE_MAX || e.offset + e.size > size) {
			q->damaged++;
			break;
		}
		at = e.offset + e.size;
		ret = read_message(fd, e.offset, e.size, &m, &bytes, &space);
		if (!ret)
			ret = look_at(q, &e, &m);
		else if (ret == -EBADMSG)
			ret = (q->damaged++, 0);
	}
	buf_free(&bytes);
	buf_free(&space);
	close(fd);
	return ret == -EBADMSG ? 0 : ret;
}

#define COMPARE(a, b)	((a) < (b) ? -1 : (a) > (b))

static int by_order(const void *x, const void *y)
{
	const struct stream_entry *a = x, *b = y;
	int order = COMPARE(a->source.cpu, b->source.cpu);

	/* A ring that was made again has a later incarnation, and generation 1 again. */
	if (!order)
		order = COMPARE(a->source.incarnation, b->source.incarnation);
	if (!order)
		order = COMPARE(a->source.generation, b->source.generation);
	return order ? order : COMPARE(a->seq, b->seq);
}

static int by_ring(const void *x, const void *y)
{
	const struct stream_clock *a = x, *b = y;

	return COMPARE(a->moment.ring, b->moment.ring);
}

static int by_cpu(const void *x, const void *y)
{
	const struct stream_missed *a = x, *b = y;
	int order = COMPARE(a->cpu, b->cpu);

	return order ? order : COMPARE(a->ring, b->ring);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	uint64_t x = 0, y = 0;

	text_u64((*a)->d_name + strlen(HEAD), &x);
	text_u64((*b)->d_name + strlen(HEAD), &y);
	return COMPARE(x, y);
}

static int is_head(const struct dirent *entry)
{
	uint64_t number;

	return !strncmp(entry->d_name, HEAD, strlen(HEAD)) &&
	       text_u64(entry->d_name + strlen(HEAD), &number);
}

static void read_head(struct stream_query *q, const char *name)
{
	int fd = openat(q->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stream_head *h = &q->heads[q->nr_heads];
	struct buf bytes = { 0 }, space = { 0 };
	struct message m;
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size <= MESSAGE_SIZE_MAX &&
	    !read_message(fd, 0, st.st_size, &m, &bytes, &space)) {
		if (stream_head_decode(h, m.data, m.size))
			q->nr_heads++;
		else
			stream_head_free(h);
	}
	buf_free(&bytes);
	buf_free(&space);
	close(fd);
}

static int read_heads(struct stream_query *q)
{
	struct dirent **entry;
	int nr = scandirat(q->dir, ".", &entry, is_head, by_name), from;

	if (nr < 0)
		return -errno;
	from = nr > HEADS_MAX ? nr - HEADS_MAX : 0;
	q->heads = calloc(HEADS_MAX, sizeof(*q->heads));
	for (int i = 0; i < nr; i++) {
		if (q->heads && i >= from)
			read_head(q, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return q->heads ? 0 : -ENOMEM;
}

int stream_query_find(struct stream_query *q, struct fleet_index *ix, const char *directory)
{
	char path[PATH_MAX];
	sqlite3_stmt *st;
	int ret;

	snprintf(path, sizeof(path), "%s/streams/%s/%s/%s", directory, q->host, q->boot, q->buffer);
	q->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (q->dir < 0)
		return -errno;
	ret = read_heads(q);
	st = index_select(ix, files_of, "issuu", q->host_id, q->boot, q->buffer, q->until, q->since);
	while (!ret && index_row(ix, st))
		ret = scan(q, index_u64(st, 0), index_u64(st, 1));
	index_end(st);
	if (q->nr)
		qsort(q->entry, q->nr, sizeof(*q->entry), by_order);
	if (q->nr_clocks)
		qsort(q->clock, q->nr_clocks, sizeof(*q->clock), by_ring);
	if (q->nr_missed)
		qsort(q->missed, q->nr_missed, sizeof(*q->missed), by_cpu);
	return ret;
}

void stream_query_free(struct stream_query *q)
{
	for (size_t i = 0; i < q->nr_heads; i++)
		stream_head_free(&q->heads[i]);
	free(q->heads);
	free(q->entry);
	free(q->clock);
	free(q->missed);
	if (q->dir >= 0)
		close(q->dir);
}
