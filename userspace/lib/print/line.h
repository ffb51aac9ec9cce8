/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The text of events, in the line format of tracefs' trace_pipe:
 *
 *	            bash-1234    [001] d..1.  123.456789: sched_switch: ...
 *
 * A thread prints with a line of its own. Several threads may print with the lines of one
 * session, which must live longer. One finds the parts of the events, in the order of time, and
 * the others print these. This needs print_session_keep_comms(): other names that are replaced
 * are freed.
 */
#ifndef RBMAP_PRINT_LINE_H
#define RBMAP_PRINT_LINE_H

#include "session.h"

struct print_line;

/* Make a line. The settings of the session are complete. NULL: out of memory */
struct print_line *print_line_new(struct print_session *s);
void print_line_free(struct print_line *line);

/* Return the session that the line is of. */
struct print_session *print_line_session(const struct print_line *line);

/*
 * Append @ev as a line. If events were lost just before it, append "CPU:1 [LOST 412
 * EVENTS]" first. @ev may contain any bytes. The thread must be the one that finds the parts of
 * events.
 */
int print_line_add(struct print_line *line, const struct rbmap_event *ev, struct buf *out);

/* Append the line of an event, with its end. Return 0 or a negative errno. */
int print_line_add_event(struct print_line *line, const struct rbmap_event *ev,
			 const struct event_parts *parts, struct buf *out);

/* Append "CPU:1 [412 EVENTS DROPPED]", or without a number if it is not known. */
void print_line_add_dropped(const struct print_line *line, int cpu, uint64_t lost,
			    struct buf *out);
/* Append the line of an event without the common fields. */
void print_line_add_short(const struct print_line *line, const struct rbmap_event *ev,
			  struct buf *out);

/*
 * Append what the print format makes of the event, as one line without its end, even if
 * its strings contain newlines.
 */
int print_line_add_body(struct print_line *line, const struct rbmap_event *ev,
			const struct event_parts *parts, struct buf *out);

/*
 * Return a copy of the payload with zeros behind it, so that each offset of 16 bits
 * stays in it, or NULL: out of memory. It is valid until the next call.
 */
const char *print_line_copy(struct print_line *line, const struct rbmap_event *ev);

#endif /* RBMAP_PRINT_LINE_H */
