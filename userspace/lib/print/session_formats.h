/* SPDX-License-Identifier: LGPL-2.1-only */
/* The formats of the events that a session prints. */
#ifndef RBMAP_PRINT_SESSION_FORMATS_H
#define RBMAP_PRINT_SESSION_FORMATS_H

#include "session.h"

#define NR_EVENT_IDS	65536	/* common_type has 16 bits */

struct tep_event;

/*
 * Add the format file of an event. If two systems have an event of this name, lines show
 * the systems of both from now on.
 */
int print_session_add_format(struct print_session *s, const char *system, const char *format,
			     size_t size);

/* Free all formats. */
void print_session_free_formats(struct print_session *s);

/*
 * Show the event @system:@name as @shown. Call this before its format is added. The strings
 * must live longer than @s. One event can have another name.
 */
void print_session_show_as(struct print_session *s, const char *system, const char *name,
			   const char *shown);

/*
 * Call @ask when the format of an event is needed and unknown, once for each id. @ask
 * adds the format if there is one.
 */
typedef void ask_format_fn(void *data, int id);
void print_session_ask_formats(struct print_session *s, ask_format_fn *ask, void *data);

/* Ask for a format now, if it is unknown. */
void print_session_want_format(struct print_session *s, int id);

/* Return what is known of an event, after a question if its format is unknown; or NULL. */
const struct event_info *print_session_event_info(struct print_session *s, uint16_t id);

/* Return the parsed format of an event, or NULL if its id has none. */
struct tep_event *print_session_event(const struct print_session *s, int id);
/* Append the name that lines show: with the system, if two systems have such an event. */
void print_session_add_name(const struct print_session *s, int id, struct buf *out);

/* Return whether a printer of our own prints an event: libtraceevent prints the others. */
bool print_session_has_printer(const struct print_session *s, int id);

#endif /* RBMAP_PRINT_SESSION_FORMATS_H */
