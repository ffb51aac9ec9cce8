/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of threads from the kernel's events of new, renamed and exiting threads, and their
 * cgroups.
 *
 * A thread that lives for milliseconds is not in /proc any more when its events are
 * read. These events name each thread, whatever a recording consists of. They are
 * in a small buffer of their own, which a thread reads.
 */
#ifndef RBMAP_LIVE_COMM_EVENTS_H
#define RBMAP_LIVE_COMM_EVENTS_H

#include "recording/dat_cgroups.h"
#include "recording/write/cmdlines.h"

struct comm_events;

/*
 * Create the buffer with this clock, an enum rbmap_clock, and begin to read it. On
 * failure, say that names may be missing and return NULL.
 */
struct comm_events *comm_events_begin(int clock);

/* Add all names until now to @to, and all cgroups to @cgroups, unless that is NULL. */
void comm_events_merge(struct comm_events *events, struct cmdlines *to,
		       struct dat_cgroups *cgroups);

/* Remove the buffer. @events may be NULL. */
void comm_events_end(struct comm_events *events);

#endif /* RBMAP_LIVE_COMM_EVENTS_H */
