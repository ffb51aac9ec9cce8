/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters of recorded events, in the language of the kernel's filters. The parser and the
 * matcher are those of the module (module/filter), compiled for a process.
 */
#ifndef RBMAP_FILTER_EVENT_FILTER_H
#define RBMAP_FILTER_EVENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <rbmap.h>

struct event_filter;

/**
 * struct event_filter_error - why an expression was refused
 * @message: the message that tracefs has for it
 * @at: position of the character that tracefs would point at
 * @field: the first name in the expression that the event does not have; NULL: there is
 * another reason
 * @field_len: its bytes
 */
struct event_filter_error {
	const char *message;
	size_t at;
	const char *field;
	size_t field_len;
};

/*
 * Compile an expression for the events of a format. Return 0, -ENOMEM, -EINVAL: the expression
 * is not valid, or -ENOENT: the event lacks a field that is named in it.
 */
int event_filter_new(struct event_filter **filter, const char *expression,
		     const struct rbmap_format *format, struct event_filter_error *error);
void event_filter_free(struct event_filter *filter);

/* Does the expression have the name of the event's task (COMM)? */
bool event_filter_needs_comm(const struct event_filter *filter);

/* Do expressions know this name, although no format has it: CPU, COMM? */
bool event_filter_is_generic(const char *name, size_t len);

/*
 * Return whether the expression is true. @comm: the name of the event's task. An event that
 * is shorter than its fields is refused.
 */
bool event_filter_match(const struct event_filter *filter, const struct rbmap_event *ev,
			const char *comm);

#endif /* RBMAP_FILTER_EVENT_FILTER_H */
