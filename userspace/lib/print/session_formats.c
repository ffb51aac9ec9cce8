// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "crash_notes.h"
#include "json_layout.h"
#include "print/fields/fields.h"
#include "print/fields/format_check.h"
#include "print/fields/printer.h"
#include "session_formats.h"
#include "session_names.h"
#include "session_parts.h"

/* Each event can print all text of its format. That of a kernel has some KiB. */
#define FORMAT_MAX	65536

void print_session_show_as(struct print_session *s, const char *system, const char *name,
		       const char *shown)
{
	s->other.system = system;
	s->other.name = name;
	s->other.shown = shown;
}

static const char *shown_name(const struct print_session *s, const struct tep_event *event)
{
	if (s->other.shown && !strcmp(event->system, s->other.system) &&
	    !strcmp(event->name, s->other.name))
		return s->other.shown;
	return event->name;
}

/* Parse a format, and compile what is printed of it. */
static int add_format(struct print_session *s, const char *system, const char *format,
		      size_t size)
{
	struct tep_event *event = NULL;
	struct event_info *info;

	if (tep_parse_format(s->tep, &event, format, size, system) || !event)
		return -EINVAL;
	if (event->id < 0 || event->id >= NR_EVENT_IDS || s->event[event->id] ||
	    !format_has_sane_fields(event))
		return -EINVAL;
	info = calloc(1, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->event = event;
	info->mark = crash_mark(format, size);
	info->label = (struct event_label){
		.system = event->system, .name = shown_name(s, event),
	};
	if (!event_label_add(&s->labels, &info->label)) {
		free(info);
		return -ENOMEM;
	}
	/* libtraceevent prints the fields of an event by their kinds if its format failed. */
	if (!format_find_lengths(event, &info->lengths))
		event->flags |= TEP_EVENT_FL_FAILED;
	info->syscall = syscalls_event_new(event);
	info->tracer = tracer_event_new(event, tep_get_long_size(s->tep));
	if (!info->syscall && !info->tracer)
		info->printer = printer_compile(event);
	if (info->printer)
		printer_set_constants(info->printer, s->constants);
	info->is_plain = info->syscall || (info->tracer && tracer_event_is_plain(info->tracer)) ||
			 (info->printer && printer_is_plain(info->printer));
	print_session_find_names(info);
	s->event[event->id] = info;
	if (!s->with_json)
		return 0;
	info->json = json_layout_new(event, info->printer, info->syscall);
	return info->json ? 0 : -ENOMEM;
}

int print_session_add_format(struct print_session *s, const char *system, const char *format,
			 size_t size)
{
	int ret;

	if (size > FORMAT_MAX)
		return -EINVAL;
	if (!crash_enter_format(s->file, system, format, size))
		return -EINVAL;
	ret = add_format(s, system, format, size);
	crash_leave();
	return ret;
}

void print_session_free_formats(struct print_session *s)
{
	for (size_t i = 0; i < NR_EVENT_IDS; i++) {
		if (!s->event[i])
			continue;
		printer_free(s->event[i]->printer);
		json_layout_free(s->event[i]->json);
		free(s->event[i]->syscall);
		free(s->event[i]->tracer);
		free(s->event[i]->label.text);
		array_lengths_free(s->event[i]->lengths);
		free(s->event[i]);
	}
}

void print_session_ask_formats(struct print_session *s, ask_format_fn *ask, void *data)
{
	s->ask_format = ask;
	s->ask_data = data;
}

void print_session_want_format(struct print_session *s, int id)
{
	if (id < 0 || id >= NR_EVENT_IDS || s->event[id] || s->format_asked[id] || !s->ask_format)
		return;
	s->format_asked[id] = true;
	s->ask_format(s->ask_data, id);
}

const struct event_info *print_session_event_info(struct print_session *s, uint16_t id)
{
	if (!s->event[id])
		print_session_want_format(s, id);
	return s->event[id];
}

struct tep_event *print_session_event(const struct print_session *s, int id)
{
	return id >= 0 && id < NR_EVENT_IDS && s->event[id] ? s->event[id]->event : NULL;
}

/* The label has a colon behind the name, and then spaces. */
void print_session_add_name(const struct print_session *s, int id, struct buf *out)
{
	const struct event_label *label = &s->event[id]->label;
	size_t size = label->size;

	while (label->text[size - 1] == ' ')
		size--;
	buf_add(out, label->text, size - 1);
}

bool print_session_has_printer(const struct print_session *s, int id)
{
	const struct event_info *info = id >= 0 && id < NR_EVENT_IDS ? s->event[id] : NULL;

	return info && (info->printer || info->syscall || info->tracer);
}
