// SPDX-License-Identifier: GPL-2.0-only
/* A dynamic event as the registry wants it: its fields, and how it is printed. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "dynamic_event.h"
#include "program.h"

static const char *rbmap_dynamic_type(const struct rbmap_fetch *fetch)
{
	static const char *const types[2][4] = {
		{ "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" },
	};

	if (fetch->kind == RBMAP_FETCH_STRING)
		return "__data_loc char[]";
	return types[fetch->form == 's'][ilog2(fetch->size)];
}

static void rbmap_dynamic_fields(struct rbmap_dynamic_event *event)
{
	const struct rbmap_fetch_program *program = &event->line.program;
	struct rbmap_field *field = event->fields;
	unsigned int i;

	*field++ = (struct rbmap_field)RBMAP_FIELD(u32, __faults);
	for (i = 0; i < program->nr; i++) {
		const struct rbmap_fetch *fetch = &program->fetch[i];

		*field++ = (struct rbmap_field) {
			.type	= rbmap_dynamic_type(fetch),
			.name	= fetch->name,
			.size	= fetch->size * (fetch->elements ?: 1),
			.align	= fetch->size,
			.len	= fetch->elements,
			.is_signed = fetch->kind == RBMAP_FETCH_STRING ?
				     rbmap_is_signed(char) :
				     fetch->form == 's',
		};
	}
}

static bool rbmap_dynamic_texts(struct rbmap_dynamic_event *event,
				const char *text, size_t len)
{
	const struct rbmap_fetch_program *program = &event->line.program;
	int size = rbmap_fetch_print_fmt(program, NULL, 0) + 1;

	/* The text is long if fields are arrays. */
	event->print_fmt = kvmalloc(size, GFP_KERNEL);
	event->text = kmalloc(len + 1, GFP_KERNEL);
	if (!event->print_fmt || !event->text)
		return false;
	rbmap_fetch_print_fmt(program, event->print_fmt, size);
	memcpy(event->text, text, len);
	event->text[len] = '\n';
	event->len = len + 1;
	return true;
}

/**
 * rbmap_dynamic_event_create - create a dynamic event
 * @line: parsed line; copied
 * @text: text of the line; copied
 * @len: bytes of @text
 *
 * Context: may sleep.
 * Return: the event, not registered yet; NULL: no memory.
 */
struct rbmap_dynamic_event *
rbmap_dynamic_event_create(const struct rbmap_dynamic_line *line,
			   const char *text, size_t len)
{
	struct rbmap_dynamic_event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event)
		return NULL;
	event->line = *line;
	if (!rbmap_dynamic_texts(event, text, len)) {
		rbmap_dynamic_event_destroy(event);
		return NULL;
	}
	rbmap_dynamic_fields(event);
	event->event = (struct rbmap_event_type) {
		.system		= event->line.group,
		.name		= event->line.event,
		.tracepoint	= event->line.tracepoint,
		.fields		= event->fields,
		.print_fmt	= event->print_fmt,
		.probe		= rbmap_dynamic_probe,
		.waits		= true,
		.checks		= true,
	};
	return event;
}

/**
 * rbmap_dynamic_event_destroy - free a dynamic event
 * @event: the event, which is not registered, or no longer registered
 *
 * Context: may sleep.
 */
void rbmap_dynamic_event_destroy(struct rbmap_dynamic_event *event)
{
	kvfree(event->print_fmt);
	kfree(event->text);
	kfree(event);
}
