// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "collector/index/stream_heads.h"
#include "collector/index/streams.h"
#include "incoming.h"
#include "message/message.h"
#include "message/stream/stream.h"
#include "streams.h"

#define STREAM_STORED	"stream"
/* Answers of a host in a batch: the sources of its messages, and of a HELLO */
#define STREAM_ANSWERS_OF_HOST	512

/* Numbers of hosts can be any: their sums must not wrap. */
static uint64_t difference(uint64_t to, uint64_t from)
{
	return to > from ? to - from : 0;
}

static void add_to(uint64_t *sum, uint64_t number)
{
	*sum = stream_sum(*sum, number);
}

/* The messages before @next that are not here will never come. */
static void lose(struct index_stream *s, const struct stream_totals *to, uint64_t number,
		 uint64_t next)
{
	add_to(&s->lost, difference(to->events, s->totals.events));
	add_to(&s->lost, difference(to->lost, s->totals.lost));
	add_to(&s->unknown, difference(to->unknown, s->totals.unknown));
	add_to(&s->gaps, next - s->next);
	s->totals = *to;
	s->number = number;
	s->next = next;
}

static void take(struct index_stream *s, const struct index_ahead *a)
{
	if (a->seq < s->next)
		return;
	if (a->seq > s->next)
		lose(s, &a->before, a->number, a->seq);
	add_to(&s->events, a->events);
	s->totals = a->before;
	add_to(&s->totals.events, a->events);
	if (a->lost == MESSAGE_LOST_UNKNOWN) {
		add_to(&s->unknown, 1);
		add_to(&s->totals.unknown, 1);
	} else {
		add_to(&s->lost, a->lost);
		add_to(&s->totals.lost, a->lost);
	}
	s->number = a->number;
	s->next = a->seq + 1;
}

/* Take the messages that have no missing one before them. */
static void advance(struct collector *c, struct index_stream *s)
{
	bool has_gap = s->gap_last != INDEX_UNKNOWN;
	struct index_ahead a;

	while (!c->index.code) {
		if (index_ahead_first(&c->index, s->id, &a) &&
		    (a.seq <= s->next || (has_gap && a.seq <= s->gap_last + 1))) {
			take(s, &a);
			index_ahead_remove(&c->index, s->id, a.seq);
		} else if (has_gap && s->next <= s->gap_last) {
			lose(s, &s->gap_totals, s->gap_number, s->gap_last + 1);
		} else {
			break;
		}
	}
	index_stream_put(&c->index, s, collector_time());
}

/* Store the file that the next message goes to. */
static bool find_file(struct collector *c, const struct index_host *host,
		      const struct message *m, const struct stream_source *source,
		      struct index_stream_file *f)
{
	bool has = index_stream_file_last(&c->index, host->id, m->boot, source->buffer, f);

	if (has && f->size < STREAM_FILE_SIZE)
		return true;
	f->number = has ? f->number + 1 : 1;
	f->host = host->id;
	snprintf(f->boot, sizeof(f->boot), "%s", m->boot);
	snprintf(f->buffer, sizeof(f->buffer), "%s", source->buffer);
	f->size = 0;
	f->begin = INT64_MAX;
	f->end = 0;
	f->changed = collector_time();
	return index_stream_file_add(&c->index, f);
}

static struct index_buffer buffer_of(const struct index_host *host, const struct message *m,
				     const struct stream_source *source)
{
	struct index_buffer b = { .host = host->id };

	memcpy(b.boot, m->boot, sizeof(b.boot));
	memcpy(b.buffer, source->buffer, sizeof(b.buffer));
	return b;
}

static int write_head(struct collector *c, const struct index_host *host,
		      const struct message *m, const struct stream_source *source,
		      const struct parcel *p)
{
	struct index_buffer b = buffer_of(host, m, source);
	uint64_t before = index_heads_bytes(&c->index, &b);
	int ret = stream_files_head(&c->streams, host->name, m->boot, source, p->data, p->size);

	index_head_put(&c->index, &b, source->incarnation, p->size, collector_time());
	c->stored_bytes += index_heads_bytes(&c->index, &b) - before;
	return ret;
}

/* The oldest file goes if a host has too many bytes, but heads stay as long as files do. */
static bool head_has_share(struct collector *c, const struct index_host *host,
			   const struct message *m, const struct stream_source *source,
			   const struct parcel *p)
{
	struct index_buffer b = buffer_of(host, m, source);

	return index_heads_beside(&c->index, &b, source->incarnation) + p->size <=
	       c->options->max_stream_kb << 10;
}

static int write_message(struct collector *c, const struct index_host *host,
			 const struct message *m, const struct stream_source *source,
			 const struct batch_head *head, const struct parcel *p)
{
	struct index_stream_file f = { 0 };
	int ret;

	if (m->kind == MESSAGE_HEAD)
		return write_head(c, host, m, source, p);
	if (!find_file(c, host, m, source, &f))
		return 0;
	ret = stream_files_append(&c->streams, host->name, &f, p->data, p->size);
	f.begin = head->begin < f.begin ? head->begin : f.begin;
	f.end = head->end > f.end ? head->end : f.end;
	f.changed = collector_time();
	index_stream_file_put(&c->index, &f);
	c->stored_bytes += p->size;
	return ret;
}

/* Check a payload, and store what it says of itself. */
static bool parse(struct batch_head *head, const struct message *m,
		  const struct stream_source *source)
{
	struct stream_head contents;
	struct batch_reader r;
	struct stream_clock clock;
	bool valid;

	*head = (struct batch_head){ 0 };
	if ((m->kind == MESSAGE_SUBBUFS) != (source->cpu != STREAM_CPU_HEAD) ||
	    m->seq > INT64_MAX - 1 || source->incarnation > INT64_MAX)
		return false;
	switch (m->kind) {
	case MESSAGE_SUBBUFS:
		valid = batch_is_valid(m->data, m->size) &&
			batch_open(&r, head, m->data, m->size);
		break;
	case MESSAGE_HEAD:
		valid = stream_head_decode(&contents, m->data, m->size);
		stream_head_free(&contents);
		break;
	default:
		if (stream_clock_parse(&clock, m->data, m->size))
			head->begin = head->end = clock.moment.real;
		else
			head->begin = INT64_MAX;
		valid = true;
		break;
	}
	/* The index has no numbers beyond INT64_MAX. */
	return valid && batch_numbers_fit(head, m->lost);
}

static int handle_data(struct collector *c, const struct index_host *host,
		       const struct message *m, const struct stream_source *source,
		       struct index_stream *s, const struct parcel *p)
{
	struct batch_head head;
	struct index_ahead a = { .seq = m->seq, .lost = m->lost };
	int ret;

	if (!parse(&head, m, source))
		return refuse(c, host->id, REFUSED_STREAM);
	if (m->seq < s->next || index_ahead_has(&c->index, s->id, m->seq))
		return 0;
	if (index_ahead_count(&c->index, s->id) >= INDEX_AHEAD_MAX && m->seq != s->next)
		return refuse(c, host->id, REFUSED_SHARE);
	if (m->kind == MESSAGE_HEAD && !head_has_share(c, host, m, source, p))
		return refuse(c, host->id, REFUSED_SHARE);
	ret = write_message(c, host, m, source, &head, p);
	if (ret)
		return ret;
	a.events = head.events;
	a.before = head.before;
	a.number = head.number + head.events;
	if (a.seq == s->next)
		take(s, &a);
	else
		index_ahead_add(&c->index, s->id, &a);
	return 0;
}

static void parse_gap(struct stream_totals *t, uint64_t *number, const struct message *m)
{
	struct text text = { m->data, (const char *)m->data + m->size };
	char name[32], value[32];
	uint64_t n;

	while (text_next(&text, name, sizeof(name), value, sizeof(value))) {
		if (!text_u64(value, &n) || n > INT64_MAX)
			continue;
		if (!strcmp(name, "events-before"))
			t->events = n;
		else if (!strcmp(name, "lost-before"))
			t->lost = n;
		else if (!strcmp(name, "unknown-before"))
			t->unknown = n;
		else if (!strcmp(name, "number"))
			*number = n;
	}
}

static int handle_gap(struct collector *c, const struct index_host *host,
		      const struct message *m, struct index_stream *s)
{
	if (m->seq > INT64_MAX - 1)
		return refuse(c, host->id, REFUSED_STREAM);
	if (s->gap_last != INDEX_UNKNOWN && m->seq <= s->gap_last)
		return 0;
	s->gap_last = m->seq;
	s->gap_totals = (struct stream_totals){ 0 };
	s->gap_number = 0;
	parse_gap(&s->gap_totals, &s->gap_number, m);
	return 0;
}

int handle_stream(struct collector *c, const struct index_host *host, const struct message *m,
		  const struct parcel *p)
{
	struct stream_source source;
	struct index_stream s;
	int ret;

	if (!stream_source_parse(&source, m->source))
		return refuse(c, host->id, REFUSED_NAME);
	if (!index_stream_get(&c->index, host->id, m->boot, &source, collector_time(), &s))
		return c->index.code ? 0 : refuse(c, host->id, REFUSED_SHARE);
	ret = m->kind == MESSAGE_GAP ? handle_gap(c, host, m, &s) :
				       handle_data(c, host, m, &source, &s, p);
	if (ret)
		return ret;
	advance(c, &s);
	streams_ask(c, host, m->source);
	return 0;
}

void streams_first(struct collector *c, const struct index_host *host, char *line)
{
	char *space = strchr(line, ' ');
	struct index_stream s;
	struct index_ahead a;
	uint64_t first;
	bool taken = false;

	if (!space || !text_u64(space + 1, &first))
		return;
	*space = '\0';
	if (!index_stream_find(&c->index, host->id, line, &s))
		return;
	/* The sums of the first message say what is lost. If it is not here yet, another HELLO comes. */
	while (s.next < first && index_ahead_first(&c->index, s.id, &a) && a.seq <= first) {
		take(&s, &a);
		index_ahead_remove(&c->index, s.id, a.seq);
		taken = true;
	}
	if (taken)
		advance(c, &s);
}

static unsigned int *chain_of(struct collector *c, int64_t host)
{
	return &c->answers_of[hash_u64_bits(host, STREAM_ANSWERS_BITS)];
}

void streams_ask(struct collector *c, const struct index_host *host, const char *source)
{
	struct stream_answer *a = &c->answers[c->nr_answers];
	unsigned int *chain = chain_of(c, host->id), nr = 0;

	for (unsigned int i = *chain; i; i = c->answers[i - 1].next) {
		const struct stream_answer *other = &c->answers[i - 1];

		if (other->host.id != host->id)
			continue;
		if (++nr == STREAM_ANSWERS_OF_HOST || !strcmp(other->source, source))
			return;
	}
	if (c->nr_answers == STREAM_ANSWERS_MAX)
		return;
	a->host = *host;
	snprintf(a->source, sizeof(a->source), "%s", source);
	a->added = false;
	a->next = *chain;
	*chain = ++c->nr_answers;
}

void streams_cut(struct collector *c, unsigned int nr)
{
	while (c->nr_answers > nr) {
		const struct stream_answer *last = &c->answers[--c->nr_answers];

		*chain_of(c, last->host.id) = last->next;
	}
}

/* Answer a host about all its sources. */
static void answer(struct collector *c, const struct index_host *host)
{
	char line[SOURCE_NAME_SIZE + 32];
	struct buf text = { 0 };
	struct stream_answer *a;

	for (unsigned int i = *chain_of(c, host->id); i; i = a->next) {
		a = &c->answers[i - 1];
		if (a->host.id != host->id)
			continue;
		snprintf(line, sizeof(line), "%s %" PRIu64, a->source,
			 index_stream_next(&c->index, host->id, a->source));
		text_add(&text, "stream", line);
		a->added = true;
	}
	if (!text.failed)
		replies_add(&c->replies, host, STREAM_STORED, MESSAGE_STORED, &text);
	buf_free(&text);
}

void streams_answer(struct collector *c)
{
	for (unsigned int i = 0; i < c->nr_answers; i++)
		if (!c->answers[i].added)
			answer(c, &c->answers[i].host);
	streams_cut(c, 0);
}
