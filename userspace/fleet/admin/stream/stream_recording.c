// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <rbmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "admin/merge/recordings.h"
#include "base/complain.h"
#include "formats/format_text.h"
#include "message/stream/stream.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/write/dat_write.h"
#include "stream_recording.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE

/* The formats of several heads: each event once, as the last head has it. */
struct stream_formats {
	struct dat_format *v;	/* texts belong to the heads */
	size_t nr;
};

static int by_system(const void *a, const void *b)
{
	const struct dat_format *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->text, y->text);
}

/* Return 0 or -ENOMEM. */
static int stream_formats_make(struct stream_formats *f, const struct stream_head *heads,
			       size_t nr)
{
	struct dat_format *all = calloc(STREAM_FORMATS_MAX, sizeof(*all));
	const char *rest;
	uint32_t id;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		for (uint32_t j = 0; j < heads[i].nr_formats; j++)
			if (format_find_id(heads[i].formats[j].text, &id, &rest))
				all[id] = heads[i].formats[j];
	f->v = all;
	for (id = 0; id < STREAM_FORMATS_MAX; id++)
		if (all[id].text)
			all[f->nr++] = all[id];
	qsort(f->v, f->nr, sizeof(*f->v), by_system);
	return 0;
}

static void stream_formats_free(struct stream_formats *f)
{
	free(f->v);
}

/**
 * struct recording - a recording that is being written
 * @head: the last head
 * @in_ns: the ring's clock counts ns: events can be compared with the time
 * @source, @next, @totals: those in the last message
 * @number: number of the event behind it
 * @lost: events that were lost, and are not in the file yet
 * @missed: events that the kernel missed in that time, of each CPU; the counters have them
 * @piece: a part of a sub-buffer
 */
struct recording {
	const struct stream_query *query;
	struct stream_counts *counts;
	const struct stream_head *head;
	bool in_ns;
	struct dat_writer *writer;
	struct stream_source source;
	uint64_t next;
	struct stream_totals totals;
	uint64_t number;
	uint64_t lost;
	uint64_t *missed;
	struct buf piece;
};

/* The moments around the time: the last one before it, and the first one behind it */
static void find_moments(const struct recording *r, struct rbmap_moment *begin,
			 struct rbmap_moment *end)
{
	const struct stream_query *q = r->query;
	size_t first = 0, last = q->nr_clocks - 1;

	*begin = *end = (struct rbmap_moment){ 0 };
	if (!q->nr_clocks) {
		*begin = r->head->moment.moment;
		return;
	}
	while (first + 1 < q->nr_clocks && q->clock[first + 1].moment.real <= q->since)
		first++;
	while (last > first && q->clock[last - 1].moment.real >= q->until)
		last--;
	*begin = q->clock[first].moment;
	if (last > first)
		*end = q->clock[last].moment;
}

/* Return the moment that is nearest to a time of the ring, or NULL. */
static const struct rbmap_moment *nearest(const struct recording *r, uint64_t time)
{
	const struct stream_query *q = r->query;
	size_t low = 0, high = q->nr_clocks;

	if (!q->nr_clocks)
		return r->head->moment.moment.real ? &r->head->moment.moment : NULL;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (q->clock[middle].moment.ring <= time)
			low = middle;
		else
			high = middle;
	}
	return &q->clock[low].moment;
}

static unsigned int cpus_of(const struct recording *r)
{
	const struct stream_query *q = r->query;
	unsigned int nr = r->head->nr_cpus;

	for (size_t i = 0; i < q->nr; i++)
		if ((unsigned int)q->entry[i].source.cpu >= nr)
			nr = q->entry[i].source.cpu + 1;
	for (size_t i = 0; i < q->nr_missed; i++)
		if (q->missed[i].cpu >= nr)
			nr = q->missed[i].cpu + 1;
	return nr;
}

static int create(struct recording *r, const char *path, const struct stream_formats *formats)
{
	char clocks[64], page[DAT_HEADER_PAGE_ROOM];
	struct dat_source source = {
		.header_page = page, .header_event = new_recording_header_event,
		.formats = formats->v, .nr_formats = formats->nr,
		.clocks = clocks, .uname = r->head->uname,
		.version = r->head->version, .page_size = r->head->page_size,
		.nr_cpus = cpus_of(r),
	};
	struct rbmap_moment end;
	int ret;

	snprintf(clocks, sizeof(clocks), "[%s]", r->head->clock);
	dat_print_header_page(page, r->head->page_size);
	find_moments(r, &source.times.begin, &end);
	new_recording_allow_cpus(source.nr_cpus);
	ret = dat_create(&r->writer, path, &source);
	if (!ret && end.real)
		dat_set_end(r->writer, &end);
	return ret;
}

static void add_lost(struct recording *r, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || r->lost == RBMAP_LOST_UNKNOWN)
		r->lost = RBMAP_LOST_UNKNOWN;
	else
		r->lost = stream_sum(r->lost, lost);
	if (lost == RBMAP_LOST_UNKNOWN)
		r->counts->unknown++;
	else
		r->counts->lost = stream_sum(r->counts->lost, lost);
}

/* Write the losses of a CPU that has no more events. */
static int end_cpu(struct recording *r)
{
	struct rbmap_subbuf sb = { .lost = r->lost };

	r->lost = 0;
	return sb.lost ? dat_add(r->writer, r->source.cpu, &sb) : 0;
}

static uint64_t difference(uint64_t to, uint64_t from)
{
	return to > from ? to - from : 0;
}

/* Count what messages of the same source between the last one and this one had. */
static void miss_messages(struct recording *r, const struct stream_entry *e,
			  const struct batch_head *head)
{
	if (e->seq <= r->next)
		return;
	r->counts->missing = stream_sum(r->counts->missing, e->seq - r->next);
	add_lost(r, stream_sum(difference(head->before.events, r->totals.events),
			       difference(head->before.lost, r->totals.lost)));
	if (head->before.unknown > r->totals.unknown)
		add_lost(r, RBMAP_LOST_UNKNOWN);
}

/*
 * The agent has begun again, so the sums begin at 0, but events of a ring keep their numbers.
 * The last messages of the run before can be missing, and the first ones of this run. A ring
 * that was made again has lower numbers.
 */
static void miss_end_of_run(struct recording *r, const struct stream_entry *e,
			    const struct message *m, const struct batch_head *head)
{
	uint64_t own = stream_sum(head->before.events, head->before.lost);
	uint64_t lost = m->lost == MESSAGE_LOST_UNKNOWN ? 0 : m->lost;
	uint64_t hole = difference(difference(head->number, r->number), lost);

	/* How many messages had the events of the run before is not known. */
	r->counts->missing = stream_sum(r->counts->missing, e->seq + (hole > own));
	add_lost(r, hole > own ? hole : own);
	if (head->before.unknown)
		add_lost(r, RBMAP_LOST_UNKNOWN);
}

/* Count the losses between the last message and this one. */
static int follow(struct recording *r, const struct stream_entry *e, const struct message *m,
		  const struct batch_head *head)
{
	bool same_cpu = r->next && r->source.cpu == e->source.cpu;
	bool same_ring = same_cpu && r->source.generation == e->source.generation;
	int ret = 0;

	if (r->next && !same_cpu)
		ret = end_cpu(r);
	if (same_ring && r->source.incarnation == e->source.incarnation)
		miss_messages(r, e, head);
	else if (same_ring)
		miss_end_of_run(r, e, m, head);
	add_lost(r, m->lost);
	r->source = e->source;
	r->next = e->seq + 1;
	r->totals = batch_totals(head, m->lost);
	r->number = stream_sum(head->number, head->events);
	return ret;
}

/* Copy the events between two places to a sub-buffer of their own. */
static const struct buf *cut(struct recording *r, const struct buf *whole, uint64_t time,
			     size_t from, size_t to)
{
	struct rbmap_subbuf_header header = { .time_stamp = time, .commit = to - from };

	r->piece.size = 0;
	buf_add(&r->piece, &header, HEAD);
	buf_add(&r->piece, whole->data + HEAD + from, to - from);
	return &r->piece;
}

/* Return whether an event is in the time. */
static int place_of(const struct recording *r, uint64_t time)
{
	const struct rbmap_moment *m = r->in_ns ? nearest(r, time) : NULL;
	uint64_t real = m ? time - m->ring + m->real : 0;

	if (!m)
		return 0;
	return real < r->query->since ? -1 : real > r->query->until;
}

/* Add the events of a sub-buffer that are in the time. */
static int add_subbuf(struct recording *r, const struct buf *whole, const struct batch_subbuf *s)
{
	struct rbmap_cursor cursor = { 0 }, from = { 0 }, to = { 0 };
	struct rbmap_subbuf sb = { .id = s->id };
	const struct buf *piece = whole;
	struct rbmap_event ev;
	uint64_t events = 0;

	while (rbmap_decode(whole->data, whole->size, &cursor, &ev) == 1) {
		int place = place_of(r, ev.ts);

		if (place > 0)
			break;
		to = cursor;
		events += !place;
		if (place < 0) {
			from = cursor;
			/* They were lost before the time. */
			r->lost = 0;
		}
	}
	if (!events)
		return 0;
	if (from.offset || to.offset != s->size)
		piece = cut(r, whole, from.offset ? from.ts : s->time, from.offset, to.offset);
	if (piece->failed)
		return -ENOMEM;
	sb.start = piece->data;
	sb.size = piece->size - HEAD;
	memcpy(&sb.timestamp, piece->data, sizeof(sb.timestamp));
	sb.lost = r->lost;
	r->lost = 0;
	r->counts->events += events;
	dat_next_ring(r->writer, r->source.cpu);
	return dat_add(r->writer, r->source.cpu, &sb);
}

/*
 * An error of one message: the collector can remove its file meanwhile. Those before and behind
 * it are written.
 */
static int skip_entry(struct recording *r)
{
	r->counts->damaged++;
	return 0;
}

static bool is_of_process(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

static int add_entry(struct recording *r, const struct stream_entry *e, struct buf *bytes,
		     struct buf *space)
{
	struct batch_subbuf s;
	struct batch_reader b;
	struct batch_head head;
	struct message m;
	int ret = stream_query_read(r->query, e, &m, bytes, space);

	if (ret)
		return is_of_process(ret) ? ret : skip_entry(r);
	if (!batch_open(&b, &head, m.data, m.size))
		return skip_entry(r);
	ret = follow(r, e, &m, &head);
	while (!ret && (ret = batch_next(&b, &s)) == 1)
		ret = add_subbuf(r, &b.copy, &s);
	batch_close(&b);
	return ret;
}

static int add_all(struct recording *r)
{
	struct buf bytes = { 0 }, space = { 0 };
	int ret = 0;

	for (size_t i = 0; i < r->query->nr && !ret; i++)
		ret = add_entry(r, &r->query->entry[i], &bytes, &space);
	if (!ret && r->next)
		ret = end_cpu(r);
	buf_free(&bytes);
	buf_free(&space);
	return ret;
}

/*
 * Count what the kernel missed between two messages CLOCK. An agent of an earlier version sends no
 * numbers with the first ones. A CPU without a number at the beginning came later, and a counter
 * that is lower has begun again at 0.
 */
static int count_missed(struct recording *r)
{
	const struct stream_query *q = r->query;
	struct rbmap_moment begin, end;
	uint64_t from = UINT64_MAX, before = 0;

	r->missed = calloc(cpus_of(r), sizeof(*r->missed));
	if (!r->missed)
		return -ENOMEM;
	find_moments(r, &begin, &end);
	for (size_t i = 0; i < q->nr_missed; i++)
		from = q->missed[i].ring < from ? q->missed[i].ring : from;
	from = begin.ring > from ? begin.ring : from;
	for (size_t i = 0; i < q->nr_missed; i++) {
		const struct stream_missed *m = &q->missed[i];
		uint64_t added;

		if (!i || m->cpu != m[-1].cpu)
			before = 0;
		if (end.real && m->ring > from && m->ring <= end.ring) {
			added = m->missed < before ? m->missed : m->missed - before;
			r->missed[m->cpu] = stream_sum(r->missed[m->cpu], added);
			r->counts->missed = stream_sum(r->counts->missed, added);
			r->counts->lost = stream_sum(r->counts->lost, added);
		}
		before = m->missed;
	}
	return 0;
}

/* Return the texts of the counters, or NULL: out of memory. */
static char **make_stats(const struct recording *r, unsigned int nr_cpus)
{
	char **stats = calloc(nr_cpus, sizeof(*stats));

	for (unsigned int cpu = 0; stats && cpu < nr_cpus; cpu++)
		if (r->missed[cpu] &&
		    asprintf(&stats[cpu], "missed: %" PRIu64, r->missed[cpu]) < 0)
			stats[cpu] = NULL;
	return stats;
}

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static int finish(struct recording *r, const char *path)
{
	struct dat_assembly assembly = { .compress = true, .go_on = go_on };
	unsigned int nr_cpus = cpus_of(r);
	char **stats = make_stats(r, nr_cpus);
	struct buf names = { 0 };
	int fd = -1, ret;

	buf_add(&names, r->head->names, strlen(r->head->names));
	if (!stats || names.failed) {
		dat_discard(r->writer);
		ret = -ENOMEM;
	} else {
		ret = dat_finish(r->writer, &names, stats, &fd);
	}
	for (unsigned int cpu = 0; stats && cpu < nr_cpus; cpu++)
		free(stats[cpu]);
	free(stats);
	buf_free(&names);
	assembly.fd = fd;
	if (!ret)
		ret = dat_assemble(path, &assembly);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int write_with(struct recording *r, const char *path, const struct stream_formats *formats)
{
	int ret = create(r, path, formats);

	if (ret)
		return ret;
	ret = add_all(r);
	if (!ret)
		ret = count_missed(r);
	if (!ret)
		return finish(r, path);
	dat_discard(r->writer);
	return ret;
}

/* Return whether an error is that of the output, which all hosts have in common. */
static bool is_of_output(int error)
{
	switch (error) {
	case -EACCES:
	case -EDQUOT:
	case -EEXIST:
	case -EFBIG:
	case -EIO:
	case -EMFILE:
	case -ENFILE:
	case -ENOENT:
	case -ENOMEM:
	case -ENOSPC:
	case -EROFS:
		return true;
	default:
		return false;
	}
}

int stream_recording_write(const struct stream_query *q, const char *path,
			   struct stream_counts *counts)
{
	struct recording r = { .query = q, .counts = counts };
	struct stream_formats formats = { 0 };
	int ret;

	if (!q->nr_heads) {
		complain("%s has sent no formats for the buffer '%s' yet: %s is not written",
			 q->host, q->buffer, path);
		return STATUS_CUT;
	}
	r.head = &q->heads[q->nr_heads - 1];
	r.in_ns = strcmp(r.head->clock, "x86-tsc");
	ret = stream_formats_make(&formats, q->heads, q->nr_heads);
	if (!ret)
		ret = write_with(&r, path, &formats);
	stream_formats_free(&formats);
	buf_free(&r.piece);
	free(r.missed);
	if (!ret)
		return STATUS_OK;
	complain("cannot write %s: %s", path, rbmap_strerror(ret));
	return is_of_output(ret) ? STATUS_ERROR : STATUS_CUT;
}
