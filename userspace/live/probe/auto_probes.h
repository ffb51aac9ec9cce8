/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that -e names and that are not built in. A recorder makes them at run time from
 * the tracepoints of these names. They go when the last recorder that uses them ends.
 *
 * Each of these events has a file in MADE_DIR. A recorder holds a shared lock on the files
 * of the events that it uses, and the kernel drops the lock when the recorder dies. A
 * helper process waits for the recorder's end and then removes the events that nobody
 * else uses, so kill -9 of the recorder leaves nothing behind.
 */
#ifndef RBMAP_LIVE_PROBE_AUTO_PROBES_H
#define RBMAP_LIVE_PROBE_AUTO_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "command/options.h"
#include "kernel/control.h"

#define MADE_DIR	"/run/rbmap"

/**
 * struct auto_probes - the made events that this process uses
 * @fd: files of these events, which are locked
 * @helper: the process that removes the events; 0: none
 * @alive: the helper waits until nobody has the other end of this pipe
 * @quiet: do not say what was made
 */
struct auto_probes {
	bool quiet;
	struct auto_probe {
		char *name;		/* SYSTEM:EVENT */
		int fd;
	} *v;
	size_t nr;
	pid_t helper;
	int alive;
};

/*
 * Make the events that @patterns name and @events lacks, if the kernel has tracepoints of
 * these names, and say so on stderr. Wildcards make nothing. Read @events again after
 * that. A name that cannot be made is left to control_select(), which reports it. On
 * failure, report the error.
 */
bool auto_probes_begin(struct auto_probes *made, struct control_events *events,
		       const struct patterns *patterns);
void auto_probes_end(struct auto_probes *made);

/* A user has made or removed an event of that name: it belongs to no recorder. */
void auto_probes_forget(const char *system, const char *event);

/* Return true if recorders that no longer run have made the event. */
bool auto_probes_left(const char *system, const char *event);

#endif /* RBMAP_LIVE_PROBE_AUTO_PROBES_H */
