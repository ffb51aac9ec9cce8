/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names of threads for a recording's table of command lines.
 *
 * When the events of a thread that lives for milliseconds are read, /proc no
 * longer has the thread. So names are also taken from events that contain them:
 * from comm_events.h, and from the events that are in the rings when a recording
 * begins. At the end all tables are merged, and the latest name of a pid is used.
 */
#ifndef RBMAP_RECORDING_WRITE_CMDLINES_H
#define RBMAP_RECORDING_WRITE_CMDLINES_H

#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "base/buf.h"

#define COMM_SIZE	16

/* The fields with names of threads, by the id of the event. */
struct comm_fields;
struct comm_fields *comm_fields_new(void);
void comm_fields_free(struct comm_fields *fields);
/* Search the format of an event for such fields. */
int comm_fields_add(struct comm_fields *fields, const char *format);

struct cmdlines;
struct cmdlines *cmdlines_new(void);
void cmdlines_free(struct cmdlines *cmdlines);

/*
 * Store a name. @comm ends after COMM_SIZE - 1 bytes, at a 0, or at a character
 * that would break a line.
 */
void cmdlines_learn(struct cmdlines *cmdlines, int pid, const char *comm, size_t size,
		    uint64_t ts);

/*
 * Times of the names that threads have at the beginning. Names from events are
 * newer than each of these times.
 */
enum { COMM_TS_BEGIN, COMM_TS_SEEN, COMM_TS_END };
/*
 * Store the names that threads have now. /proc of another PID namespace has names for other
 * numbers: then the module tells them.
 */
void cmdlines_scan(struct cmdlines *cmdlines, uint64_t ts);

/*
 * Store the names in an event. The table must then name the event's own thread.
 */
void cmdlines_learn_event(struct cmdlines *cmdlines, const struct comm_fields *fields,
			  const struct rbmap_event *ev);

void cmdlines_merge(struct cmdlines *to, const struct cmdlines *from);

/* Return the name of a thread, or NULL: not known. It is valid until a name is added. */
const char *cmdlines_find(const struct cmdlines *cmdlines, int pid);

/*
 * Append lines "PID NAME" for all threads with a name, by pid, at most @limit bytes.
 */
void cmdlines_print(const struct cmdlines *cmdlines, struct buf *out, size_t limit);

#endif /* RBMAP_RECORDING_WRITE_CMDLINES_H */
