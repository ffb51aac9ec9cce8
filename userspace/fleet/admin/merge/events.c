// SPDX-License-Identifier: GPL-2.0-only
#include <rbmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/array.h"
#include "base/complain.h"
#include "events.h"
#include "formats/format_text.h"

#define STAMP_MASK	((1ULL << 59) - 1)	/* bits of a time stamp event */

/*
 * Split a format at its line with the id. Return the text before that line, and store the
 * rest and the id; NULL: the text has no such line.
 */
static const char *find_id(const char *text, const char **rest, uint32_t *id)
{
	const char *line = format_find_id(text, id, rest);

	return line && *id ? line : NULL;
}

/* Return a format with another id, or NULL if memory is short. */
static char *with_id(const char *text, const char *line, const char *rest, unsigned int id)
{
	char *made;

	return asprintf(&made, "%.*s\nID: %u\n%s", (int)(line - text), text, id, rest) < 0 ?
	       NULL : made;
}

/* Store the kind of a format. Return false if memory is short. */
static bool make_kind(struct event_kind *kind, const char *system, const char *text,
		      const char *line, const char *rest)
{
	*kind = (struct event_kind){ .system = strdup(system), .text = with_id(text, line, rest, 0) };
	if (kind->system && kind->text)
		return true;
	free(kind->system);
	free(kind->text);
	return false;
}

static int compare_kinds(const void *left, const void *right)
{
	const struct event_kind *a = left, *b = right;
	int order = strcmp(a->system, b->system);

	return order ? order : strcmp(a->text, b->text);
}

/* Doubles in the order of their recordings */
static int by_kind(const void *left, const void *right)
{
	const struct event_kind *a = left, *b = right;
	int order = compare_kinds(a, b);

	return order ? order : (a->by > b->by) - (a->by < b->by);
}

static void drop_doubles(struct event_ids *ids)
{
	size_t nr = 0;

	if (ids->nr)
		qsort(ids->kind, ids->nr, sizeof(*ids->kind), by_kind);
	for (size_t i = 0; i < ids->nr; i++) {
		if (nr && !compare_kinds(&ids->kind[nr - 1], &ids->kind[i])) {
			free(ids->kind[i].system);
			free(ids->kind[i].text);
		} else {
			ids->kind[nr++] = ids->kind[i];
		}
	}
	ids->nr = nr;
}

/* Remove what the last recording has added. */
static void drop_last(struct event_ids *ids)
{
	size_t nr = 0;

	for (size_t i = 0; i < ids->nr; i++) {
		if (ids->kind[i].by != ids->added) {
			ids->kind[nr++] = ids->kind[i];
			continue;
		}
		free(ids->kind[i].system);
		free(ids->kind[i].text);
	}
	ids->nr = nr;
}

int event_ids_add(struct event_ids *ids, const struct merge_input *input)
{
	const struct dat_text *format;
	size_t nr = dat_formats(input->reader, &format);

	ids->added++;
	for (size_t i = 0; i < nr; i++) {
		const char *rest, *line;
		uint32_t id;

		line = find_id(format[i].text, &rest, &id);
		if (!line)
			continue;
		if (!array_grow_from(ids->kind, ids->nr, 256) || !make_kind(&ids->kind[ids->nr], format[i].system,
						  format[i].text, line, rest)) {
			complain("out of memory");
			return STATUS_ERROR;
		}
		ids->kind[ids->nr++].by = ids->added;
	}
	drop_doubles(ids);
	if (ids->nr <= UINT16_MAX)
		return STATUS_OK;
	complain("%s: %zu different events are too many: at most %u can be merged", input->path,
		 ids->nr, UINT16_MAX);
	drop_last(ids);
	return STATUS_CUT;
}

/* Find the fields of type pid_t. */
static void find_pids(struct event_kind *kind, const struct rbmap_format *format)
{
	const struct rbmap_format_field *field;

	for (unsigned int i = 0; (field = rbmap_format_field(format, i)); i++)
		if (!strcmp(field->type, "pid_t") && field->size == sizeof(int32_t) &&
		    !(field->flags & RBMAP_FIELD_COMMON) && kind->nr_pids < EVENT_PIDS_MAX)
			kind->pid[kind->nr_pids++] = field->offset;
}

/* Give each kind its id. A format that cannot be parsed has no fields to change. */
static bool give_ids(struct event_ids *ids, struct rbmap_formats *parsed)
{
	for (size_t i = 0; i < ids->nr; i++) {
		struct event_kind *kind = &ids->kind[i];
		const struct rbmap_format *format;
		const char *rest, *line;
		uint32_t none;
		char *text;

		line = format_find_id(kind->text, &none, &rest);
		text = with_id(kind->text, line, rest, i + 1);
		if (!text)
			return false;
		ids->formats[i] = (struct dat_format){ kind->system, text };
		if (rbmap_formats_add(parsed, kind->system, text, strlen(text)))
			continue;
		format = rbmap_formats_by_id(parsed, i + 1);
		if (format)
			find_pids(kind, format);
	}
	return true;
}

bool event_ids_finish(struct event_ids *ids)
{
	struct rbmap_formats *parsed = NULL;
	bool ok;

	ids->formats = calloc(ids->nr + 1, sizeof(*ids->formats));
	ok = ids->formats && !rbmap_formats_new(&parsed) && give_ids(ids, parsed);
	if (!ok)
		complain("out of memory");
	rbmap_formats_free(parsed);
	return ok;
}

void event_ids_free(struct event_ids *ids)
{
	for (size_t i = 0; i < ids->nr; i++) {
		free(ids->kind[i].system);
		free(ids->kind[i].text);
		if (ids->formats)
			free((char *)ids->formats[i].text);
	}
	free(ids->kind);
	free(ids->formats);
}

static uint16_t find_kind(const struct event_ids *ids, const struct event_kind *wanted)
{
	const struct event_kind *kind = ids->nr ?
		bsearch(wanted, ids->kind, ids->nr, sizeof(*ids->kind), compare_kinds) : NULL;

	return kind ? kind - ids->kind + 1 : 0;
}

void event_id_map_make(struct event_id_map *map, const struct event_ids *ids,
		       const struct merge_input *input)
{
	const struct dat_text *format;
	size_t nr = dat_formats(input->reader, &format);

	memset(map, 0, sizeof(*map));
	for (size_t i = 0; i < nr; i++) {
		struct event_kind kind;
		const char *rest, *line;
		uint32_t id;

		line = find_id(format[i].text, &rest, &id);
		if (!line || !make_kind(&kind, format[i].system, format[i].text, line, rest))
			continue;
		map->id[id] = find_kind(ids, &kind);
		free(kind.system);
		free(kind.text);
	}
}

static uint32_t load(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void add_to_pid(unsigned char *at, int first_pid)
{
	int32_t pid = (int32_t)load(at);

	if (pid <= 0)
		return;
	pid += first_pid;
	memcpy(at, &pid, sizeof(pid));
}

static void change_event(const struct subbuf_change *c, unsigned char *event, size_t size)
{
	struct rbmap_event_common common;
	const struct event_kind *kind;
	uint16_t id;

	if (size < sizeof(common))
		return;
	memcpy(&common, event, sizeof(common));
	id = c->map->id[common.type];
	memcpy(event + offsetof(struct rbmap_event_common, type), &id, sizeof(id));
	add_to_pid(event + offsetof(struct rbmap_event_common, pid), c->first_pid);
	if (!id)
		return;
	kind = &c->ids->kind[id - 1];
	for (unsigned int i = 0; i < kind->nr_pids; i++)
		if (size >= sizeof(int32_t) && kind->pid[i] <= size - sizeof(int32_t))
			add_to_pid(event + kind->pid[i], c->first_pid);
}

/* Change a time stamp, which has the low bits of the time. */
static void change_stamp(const struct subbuf_change *c, unsigned char *at)
{
	uint64_t stamp = (load(at) >> 5) + ((uint64_t)load(at + 4) << RBMAP_TS_SHIFT);
	uint32_t word;

	stamp = (stamp + c->later) & STAMP_MASK;
	word = RBMAP_TYPE_TIME_STAMP | (uint32_t)(stamp << 5);
	memcpy(at, &word, sizeof(word));
	word = stamp >> RBMAP_TS_SHIFT;
	memcpy(at + 4, &word, sizeof(word));
}

/* Change the record that begins at @at. Return its size, or 0: the rest has no events. */
static size_t change_one(const struct subbuf_change *c, unsigned char *at, size_t left)
{
	uint32_t type = load(at) & 31, delta = load(at) >> 5;
	size_t head = 4, len = 4 * (size_t)type;

	if (type == RBMAP_TYPE_PADDING && !delta)
		return 0;
	if (type == 0 || type >= RBMAP_TYPE_PADDING) {
		head = 8;
		if (left < head)
			return 0;
		len = load(at + 4);
		if (type == RBMAP_TYPE_TIME_STAMP)
			change_stamp(c, at);
		if (type == RBMAP_TYPE_TIME_STAMP || type == RBMAP_TYPE_TIME_EXTEND)
			return head;
		if (len < 4)
			return 0;
		len -= 4;
	}
	if (len > left - head || (len + 3) / 4 * 4 > left - head)
		return 0;
	if (type != RBMAP_TYPE_PADDING)
		change_event(c, at + head, len);
	return head + (len + 3) / 4 * 4;
}

void subbuf_change(const struct subbuf_change *c, unsigned char *subbuf, size_t size)
{
	unsigned char *at = subbuf + RBMAP_SUBBUF_HEADER_SIZE, *end = at + size;
	uint64_t time;
	size_t done;

	memcpy(&time, subbuf, sizeof(time));
	time += c->later;
	memcpy(subbuf, &time, sizeof(time));
	while (end - at >= 4 && (done = change_one(c, at, end - at)))
		at += done;
}
