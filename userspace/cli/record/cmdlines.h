/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of threads, for the table of command lines in a recording.
 *
 * A thread that lives for milliseconds is in no /proc by the time its events
 * are read: names come from events that carry them too.  Each recorder thread
 * has a table of its own, they are merged at the end, and the latest name of a
 * pid wins.
 */
#ifndef RBMAP_CLI_CMDLINES_H
#define RBMAP_CLI_CMDLINES_H

#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "common/buf.h"

#define COMM_SIZE	16

/* Which events have names in them, by the event's id. */
struct comm_fields;
struct comm_fields *comm_fields_new(void);
void comm_fields_free(struct comm_fields *fields);
/* Look for names in an event, given its format file. */
int comm_fields_add(struct comm_fields *fields, const char *format);

struct cmdlines;
struct cmdlines *cmdlines_new(void);
void cmdlines_free(struct cmdlines *cmdlines);

/* @comm is cut at COMM_SIZE - 1, at its 0, and where it would break a line. */
void cmdlines_learn(struct cmdlines *cmdlines, int pid, const char *comm, size_t size,
		    uint64_t ts);

/*
 * Every thread that there is now.  What events say is newer than any of these
 * times.
 */
enum { COMM_TS_BEGIN, COMM_TS_SEEN, COMM_TS_END };
void cmdlines_scan_proc(struct cmdlines *cmdlines, uint64_t ts);

/* What an event tells; its thread becomes one that the table must name. */
void cmdlines_learn_event(struct cmdlines *cmdlines, const struct comm_fields *fields,
			  const struct rbmap_event *ev);

void cmdlines_merge(struct cmdlines *to, const struct cmdlines *from);

/* "PID NAME" lines of the threads that events mention, at most @limit bytes. */
void cmdlines_print(const struct cmdlines *cmdlines, struct buf *out, size_t limit);

#endif /* RBMAP_CLI_CMDLINES_H */
