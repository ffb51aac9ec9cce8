/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of threads, for the table of command lines in a recording.
 *
 * A thread that lives for milliseconds is in no /proc by the time its events
 * are read: names come from events that carry them too.  Each recorder thread
 * has a table of its own, they are merged at the end, and the latest name of a
 * pid wins.
 */
#ifndef RBMAP_CLI_COMMS_H
#define RBMAP_CLI_COMMS_H

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

struct comms;
struct comms *comms_new(void);
void comms_free(struct comms *comms);

/* @comm is cut at COMM_SIZE - 1, at its 0, and where it would break a line. */
void comms_learn(struct comms *comms, int pid, const char *comm, size_t size,
		 uint64_t ts);

/*
 * Every thread that there is now.  What events say is newer than any of these
 * times.
 */
enum { COMM_TS_BEGIN, COMM_TS_SEEN, COMM_TS_END };
void comms_scan_proc(struct comms *comms, uint64_t ts);

/* What an event tells; its thread becomes one that the table must name. */
void comms_learn_event(struct comms *comms, const struct comm_fields *fields,
		       const struct rbmap_event *ev);

void comms_merge(struct comms *to, const struct comms *from);

/* "PID NAME" lines of the threads that events mention, at most @limit bytes. */
void comms_print(const struct comms *comms, struct buf *out, size_t limit);

#endif /* RBMAP_CLI_COMMS_H */
