/* SPDX-License-Identifier: LGPL-2.1-only */
/* Append events as JSON, one object per line: rbmap-json(5) has their keys. */
#ifndef RBMAP_PRINT_JSON_LINES_H
#define RBMAP_PRINT_JSON_LINES_H

#include "base/buf.h"
#include "line.h"
#include "time_view.h"

/* Append the number of events that a CPU lost. @buffer: its name, or NULL */
void json_lines_lost(const struct print_session *s, int cpu, uint64_t lost, const char *buffer,
		     struct buf *out);

/* Append an event without a known format: its time, its CPU and its bytes. */
void json_lines_raw(const struct print_session *s, const struct rbmap_event *ev,
		    const char *buffer, struct buf *out);

/*
 * Append an event. The text needs print_session_with_json(). @body is for use between the calls.
 * Return 0 or -ENOMEM.
 */
int json_lines_event(struct print_line *line, const struct rbmap_event *ev,
		     const struct event_parts *parts, struct buf *body, struct buf *out);

/*
 * Find the parts of an event and append the event, after the number of events that were
 * lost before it. @raw: the event is that of a kernel module, without rbmap's fields.
 * Return 0 or a negative errno.
 */
int json_lines_add(struct print_line *line, const struct rbmap_event *ev, bool raw,
		   struct buf *body, struct buf *out);

#define JSON_VERSION	1	/* grows when a key changes its meaning, or goes */

/*
 * json_head.c: append the first line, which says what the other lines are. @clock: the ring's clock, or NULL; @uname: "SYSTEM HOST RELEASE
 * MACHINE", or NULL; both: it is not known. @file: the name of the recording, if there are
 * several, or NULL
 */
void json_head_add(const char *clock, const char *uname, const struct time_view *time,
		   const char *file, struct buf *out);

#endif /* RBMAP_PRINT_JSON_LINES_H */
