// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/uplink/files.h"
#include "message/digest.h"
#include "message/message.h"
#include "spool.h"

#define TEXT_MAX	(64U << 10)	/* The record of a sum lists the id of each record in it, of at most 127 bytes. */
#define NAME_SIZE	32
#define VALUE_SIZE	256

static void parse_value(struct loss_sums *s, const char *name, const char *value)
{
	if (!strcmp(name, "file"))
		snprintf(s->file, sizeof(s->file), "%s", value);
	else if (!strcmp(name, "size"))
		text_u64(value, &s->size);
	else if (!strcmp(name, "events"))
		s->has_events = text_u64(value, &s->events);
	else if (!strcmp(name, "lost"))
		s->lost_unknown = !text_u64(value, &s->lost);
	else if (!strcmp(name, "incidents"))
		text_u64(value, &s->incidents);
	else if (!strcmp(name, "incidents-without-events"))
		text_u64(value, &s->unknown);
	else if (!strcmp(name, "sent"))
		s->sent = true;
}

static void parse(struct loss_sums *s, const struct buf *text)
{
	struct text t = { text->data, text->data + text->size };
	char name[NAME_SIZE], value[VALUE_SIZE];

	*s = (struct loss_sums){ .incidents = 1, .unknown = UINT64_MAX };
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		parse_value(s, name, value);
	if (s->unknown == UINT64_MAX)
		s->unknown = !s->has_events;
}

bool losses_read(int dir, const char *id, struct loss_sums *sums)
{
	struct buf text = { 0 };
	bool ok = !files_read(dir, id, &text, TEXT_MAX);

	if (ok)
		parse(sums, &text);
	buf_free(&text);
	return ok;
}

static void forget(struct losses *l, struct loss *loss)
{
	size_t at = loss - l->v;

	files_remove(l->dir, loss->id);
	l->nr--;
	memmove(loss, loss + 1, (l->nr - at) * sizeof(*loss));
}

/* A process was killed after it had written a sum, before it removed all records in it. */
static void remove_replaced(struct losses *l, const char *id)
{
	char name[NAME_SIZE], value[VALUE_SIZE];
	struct buf text = { 0 };
	struct text t;

	if (files_read(l->dir, id, &text, TEXT_MAX)) {
		buf_free(&text);
		return;
	}
	t = (struct text){ text.data, text.data + text.size };
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		if (!strcmp(name, "replaces") && is_source_name(value))
			files_remove(l->dir, value);
	buf_free(&text);
}

static int remove_replaced_of(void *data, int dir, const char *name)
{
	(void)dir;
	remove_replaced(data, name);
	return 0;
}

static int load_one(void *data, int dir, const char *name)
{
	struct losses *l = data;
	struct loss_sums sums;
	struct loss *loss = &l->v[l->nr];

	if (l->nr == LOSSES_MAX || !is_source_name(name) || !losses_read(dir, name, &sums))
		return 0;
	snprintf(loss->id, sizeof(loss->id), "%s", name);
	loss->sent = sums.sent;
	l->nr++;
	return 0;
}

int losses_load(struct losses *l, int dir)
{
	int ret;

	l->dir = dir;
	l->nr = 0;
	files_remove_temporary(dir);
	ret = files_each(dir, remove_replaced_of, l);
	return ret ? ret : files_each(dir, load_one, l);
}

struct loss *losses_find(struct losses *l, const char *id)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->v[i].id, id))
			return &l->v[i];
	return NULL;
}

static void add_sum(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

static void add_sums(struct loss_sums *sum, const struct loss_sums *one)
{
	memcpy(sum->file, one->file, sizeof(sum->file));
	add_sum(&sum->size, one->size);
	add_sum(&sum->events, one->events);
	add_sum(&sum->lost, one->lost);
	add_sum(&sum->incidents, one->incidents);
	add_sum(&sum->unknown, one->unknown);
	sum->lost_unknown |= one->lost_unknown;
}

static void add_sum_lines(struct buf *out, const struct loss_sums *sum)
{
	text_add(out, "file", sum->file);
	text_add_u64(out, "size", sum->size);
	text_add_u64(out, "events", sum->events);
	if (sum->lost_unknown)
		text_add(out, "lost", "unknown");
	else
		text_add_u64(out, "lost", sum->lost);
	text_add_u64(out, "incidents", sum->incidents);
	text_add_u64(out, "incidents-without-events", sum->unknown);
	text_add(out, "cause", "the sum of more losses than the host keeps apart");
}

/* Make the id of a sum, in the form of an incident's id. */
static bool name_sum(char id[SOURCE_NAME_SIZE], const char *like, const struct buf *text)
{
	char digits[DIGEST_TEXT_SIZE];
	const char *dash = strrchr(like, '-');
	size_t len = dash ? (size_t)(dash - like) : strlen(like);
	struct digest d;

	digest_begin(&d);
	digest_add(&d, text->data, text->size);
	if (text->failed || !digest_end(&d, digits))
		return false;
	snprintf(id, SOURCE_NAME_SIZE, "%.*s-%.8s", (int)(len < 80 ? len : 80), like, digits);
	return true;
}

/*
 * Records that were sent may be stored already, and would be counted twice. So the sum
 * leaves them out, unless all records were sent.
 */
static bool is_merged(const struct loss *loss, bool even_sent)
{
	return even_sent || !loss->sent;
}

static size_t count_unsent(const struct losses *l)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		nr += !l->v[i].sent;
	return nr;
}

static int write_sum(struct losses *l, bool even_sent, char id[SOURCE_NAME_SIZE])
{
	struct loss_sums sum = { 0 }, one;
	struct buf text = { 0 };
	const char *last = "";
	int ret = -ENOMEM;

	for (size_t i = 0; i < l->nr; i++) {
		if (!is_merged(&l->v[i], even_sent) || !losses_read(l->dir, l->v[i].id, &one))
			continue;
		add_sums(&sum, &one);
		last = l->v[i].id;
	}
	add_sum_lines(&text, &sum);
	for (size_t i = 0; i < l->nr; i++)
		if (is_merged(&l->v[i], even_sent))
			text_add(&text, "replaces", l->v[i].id);
	if (!text.failed && name_sum(id, last, &text))
		ret = files_replace(l->dir, id, text.data, text.size, true);
	buf_free(&text);
	return ret;
}

static int merge(struct losses *l)
{
	bool even_sent = count_unsent(l) < 2;
	char id[SOURCE_NAME_SIZE];
	int ret = write_sum(l, even_sent, id);

	if (ret)
		return ret;
	for (size_t i = l->nr; i > 0; i--)
		if (is_merged(&l->v[i - 1], even_sent))
			forget(l, &l->v[i - 1]);
	snprintf(l->v[l->nr].id, sizeof(l->v[l->nr].id), "%s", id);
	l->v[l->nr++].sent = false;
	return 0;
}

static void copy_lines(struct buf *out, const struct buf *from)
{
	static const char *const names[] = { "file", "size", "events", "lost" };
	struct text t = { from->data, from->data + from->size };
	char name[NAME_SIZE], value[VALUE_SIZE];

	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (!strcmp(name, names[i]))
				text_add(out, name, value);
}

int losses_add(struct losses *l, const char *id, const struct buf *manifest, const char *cause)
{
	struct buf text = { 0 };
	int ret = 0;

	if (losses_find(l, id))
		return 0;
	if (l->nr == LOSSES_MAX)
		ret = merge(l);
	if (ret)
		return ret;
	copy_lines(&text, manifest);
	text_add(&text, "cause", cause);
	ret = text.failed ? -ENOMEM : files_replace(l->dir, id, text.data, text.size, true);
	buf_free(&text);
	if (ret)
		return ret;
	snprintf(l->v[l->nr].id, sizeof(l->v[l->nr].id), "%s", id);
	l->v[l->nr++].sent = false;
	return 0;
}

void losses_stored(struct losses *l, const char *id)
{
	struct loss *loss = losses_find(l, id);

	if (loss)
		forget(l, loss);
}

bool losses_sent(struct losses *l, struct loss *loss)
{
	struct buf text = { 0 };

	if (loss->sent)
		return true;
	if (l->nr - count_unsent(l) >= LOSSES_SENT_MAX)
		return false;
	if (!files_read(l->dir, loss->id, &text, TEXT_MAX)) {
		text_add(&text, "sent", "yes");
		if (!text.failed && !files_replace(l->dir, loss->id, text.data, text.size, true))
			loss->sent = true;
	}
	buf_free(&text);
	return loss->sent;
}

int losses_text(const struct losses *l, const struct loss *loss, struct buf *out)
{
	char name[NAME_SIZE], value[VALUE_SIZE];
	struct buf text = { 0 };
	int ret = files_read(l->dir, loss->id, &text, TEXT_MAX);
	struct text t = { text.data, text.data + text.size };

	while (!ret && text_next(&t, name, sizeof(name), value, sizeof(value)))
		if (strcmp(name, "sent") && strcmp(name, "replaces"))
			text_add(out, name, value);
	buf_free(&text);
	return ret ? ret : out->failed ? -ENOMEM : 0;
}
