// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/terminal.h"
#include "print/json_lines.h"
#include "report_batch.h"

#define BATCH_ITEMS	2048
#define BATCH_BYTES	(256 * 1024)
#define TEXT_BYTES	65536		/* text of a batch that prints at once */
#define TEXT_MAX	(1024 * 1024)	/* text that a batch keeps */

enum item_kind { EVENT, SHORT_EVENT, LOST };

/*
 * @offset: place of the event's bytes in the batch's data, which may move
 * @position: that of report_batch_set_position(), behind the item
 */
struct item {
	enum item_kind kind;
	struct rbmap_event ev;
	struct event_parts parts;
	const struct report_buffer *buffer;
	size_t offset;
	uint64_t position;
};

struct report_batch {
	struct item item[BATCH_ITEMS];
	unsigned int nr;
	unsigned int printed;		/* items whose text is, or was, in @out */
	uint64_t position;		/* behind the last item that is printed */
	struct print_line *const *lines;	/* to print at once; NULL: report_batch_print() */
	bool as_json;
	struct buf data;
	struct buf body;		/* for json_lines_event() */
	struct buf out;
};

struct report_batch *report_batch_new(void)
{
	return calloc(1, sizeof(struct report_batch));
}

void report_batch_free(struct report_batch *b)
{
	if (!b)
		return;
	buf_free(&b->data);
	buf_free(&b->body);
	buf_free(&b->out);
	free(b);
}

void report_batch_reset(struct report_batch *b)
{
	b->nr = 0;
	b->printed = 0;
	b->position = 0;
	b->data.size = 0;
	b->out.size = 0;
}

bool report_batch_is_full(const struct report_batch *b)
{
	return b->nr == BATCH_ITEMS || b->data.size >= BATCH_BYTES ||
	       b->out.size >= TEXT_BYTES;
}

bool report_batch_is_empty(const struct report_batch *b)
{
	return !b->nr && !b->out.size;
}

static void add_prefix(const struct report_buffer *buffer, struct buf *out)
{
	if (buffer->prefix.size)
		buf_add(out, buffer->prefix.data, buffer->prefix.size);
}

static void print_lost(int cpu, uint64_t lost, const struct report_buffer *buffer,
		       struct print_line *const *lines, bool as_json, struct buf *out)
{
	const struct print_line *line = lines[buffer->source];

	if (as_json) {
		json_lines_lost(print_line_session(line), cpu, lost, buffer->name, out);
		return;
	}
	add_prefix(buffer, out);
	buf_printf(out, "%s", colour_begin(COLOUR_BAD));
	print_line_add_dropped(line, cpu, lost, out);
	buf_printf(out, "%s\n", colour_end(COLOUR_BAD));
}

/* @parts: NULL if the common fields are missing */
static int print_event(struct report_batch *b, const struct rbmap_event *ev,
		       const struct event_parts *parts, const struct report_buffer *buffer,
		       struct print_line *const *lines, bool as_json)
{
	struct print_line *line = lines[buffer->source];

	if (!as_json)
		add_prefix(buffer, &b->out);
	if (parts)
		return as_json ? json_lines_event(line, ev, parts, &b->body, &b->out) :
				 print_line_add_event(line, ev, parts, &b->out);
	if (as_json) {
		json_lines_raw(print_line_session(line), ev, buffer->name, &b->out);
		return 0;
	}
	print_line_add_short(line, ev, &b->out);
	return 0;
}

static int print_item(struct report_batch *b, struct item *item, struct print_line *const *lines,
		      bool as_json)
{
	if (item->kind == LOST) {
		print_lost(item->ev.cpu, item->ev.lost, item->buffer, lines, as_json, &b->out);
		return 0;
	}
	item->ev.data = b->data.data + item->offset;
	return print_event(b, &item->ev, item->kind == EVENT ? &item->parts : NULL,
			   item->buffer, lines, as_json);
}

void report_batch_print_at_once(struct report_batch *b, struct print_line *const *lines,
				bool as_json)
{
	b->lines = lines;
	b->as_json = as_json;
}

void report_batch_set_position(struct report_batch *b, uint64_t position)
{
	if (b->nr)
		b->item[b->nr - 1].position = position;
	else
		b->position = position;
}

uint64_t report_batch_position(const struct report_batch *b)
{
	return b->position;
}

int report_batch_add_lost(struct report_batch *b, int cpu, uint64_t lost,
			  const struct report_buffer *buffer)
{
	if (b->lines) {
		print_lost(cpu, lost, buffer, b->lines, b->as_json, &b->out);
		return b->out.failed ? -ENOMEM : 0;
	}
	b->item[b->nr++] = (struct item){
		.kind = LOST,
		.buffer = buffer,
		.ev = { .cpu = cpu, .lost = lost },
	};
	return 0;
}

int report_batch_add_event(struct report_batch *b, const struct rbmap_event *ev,
			   const struct event_parts *parts, const struct report_buffer *buffer)
{
	struct item *item;

	if (b->lines)
		return print_event(b, ev, parts, buffer, b->lines, b->as_json);
	item = &b->item[b->nr++];
	item->kind = parts ? EVENT : SHORT_EVENT;
	item->ev = *ev;
	item->buffer = buffer;
	item->offset = b->data.size;
	if (parts)
		item->parts = *parts;
	buf_add(&b->data, ev->data, ev->size);
	return b->data.failed ? -ENOMEM : 0;
}

int report_batch_print(struct report_batch *b, struct print_line *const *lines, bool as_json)
{
	int ret = 0;

	for (; b->printed < b->nr && b->out.size < TEXT_MAX && !ret; b->printed++) {
		ret = print_item(b, &b->item[b->printed], lines, as_json);
		b->position = b->item[b->printed].position;
	}
	return b->out.failed ? -ENOMEM : ret;
}

bool report_batch_has_more(const struct report_batch *b)
{
	return b->printed < b->nr;
}

void report_batch_drop_text(struct report_batch *b)
{
	b->out.size = 0;
}

const struct buf *report_batch_text(const struct report_batch *b)
{
	return &b->out;
}
