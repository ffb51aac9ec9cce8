/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The names of the threads that a session prints, and what their system calls say of them.
 * They change with the events, so events come in the order of time.
 */
#ifndef RBMAP_PRINT_SESSION_NAMES_H
#define RBMAP_PRINT_SESSION_NAMES_H

#include "session.h"
#include "task_names.h"

/* Add the name of a thread, from the table of command lines in a trace.dat. */
int print_session_add_comm(struct print_session *s, int pid, const char *comm);

/* Call @each for each known name of a thread, by pid. Return 0 or -ENOMEM. */
int print_session_each_comm(const struct print_session *s, task_name_fn *each, void *data);

/* Read the names of unknown threads from /proc. Off by default. */
void print_session_comm_from_proc(struct print_session *s, bool on);

/* Keep names that are replaced, for lines of other threads. This comes before the first name. */
void print_session_keep_comms(struct print_session *s);

/*
 * Look at all events of a recording before the first one is printed. Then events have the
 * names that threads had at that time, also those before the first event with a name. A
 * name of print_session_add_comm() stays if no event has one. Return 0 or -ENOMEM.
 */
int print_session_scan(struct print_session *s, const struct rbmap_event *ev);
/* After the last event of all */
void print_session_scan_end(struct print_session *s);
/* Is there a format of an event that print_session_scan() uses? */
bool print_session_needs_scan(const struct print_session *s);

/* For session_formats.c: find the fields that have names, and the size of all fields. */
void print_session_find_names(struct event_info *info);

/*
 * For session.c: learn what an event that has all its fields says of threads, and whether its
 * system call is that of a 32-bit program.
 */
void print_session_learn(struct print_session *s, const struct rbmap_event *ev,
			 struct event_parts *parts);

/* For session.c: find the name of the event's thread. */
const char *print_session_comm(struct print_session *s, const struct event_parts *parts);

#endif /* RBMAP_PRINT_SESSION_NAMES_H */
