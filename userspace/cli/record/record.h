/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap record: the options of a recording, and its state. */
#ifndef RBMAP_CLI_RECORD_RECORD_H
#define RBMAP_CLI_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"
#include "base/terminal.h"
#include "child.h"
#include "command/options.h"
#include "flight.h"
#include "kernel/control.h"
#include "live/event_select.h"
#include "live/private_buffer.h"
#include "live/probe/auto_probes.h"
#include "live/recorder/recording.h"
#include "live/shared_ring.h"
#include "rotation.h"

struct record {
	struct patterns patterns;
	const char *purpose;		/* NULL: none but -e */
	const char *output;
	double seconds;			/* < 0: no limit */
	char **command;			/* NULL: none */
	bool is_flight;			/* keep the rings unread until the file is to be written */
	struct flight flight;
	struct rotation rotation;
	struct event_select event_select;
	struct private_buffer own;
	struct auto_probes made;
	struct shared_ring shared;

	struct control_events events;
	struct recording recording;
	struct recorder *recorder;
	struct dat_writer *writer;
	const char *path;		/* the present file */
	uint64_t bytes;			/* in the files before it */
	char *clocks;
	int clock;			/* clock of the file */
	bool cpus_are_watched;		/* all are recorded, and a signal comes with the next */
	bool rotation_failed;
	bool began;			/* else it leaves no file */
	char *trigger_filter;		/* --filter and --trigger-if, if both are given */
	struct child child;

	struct standard_output standard_output;
	struct progress progress;
};

/* record_run.c: record until the end. On failure, report the error and return false. */
bool record_run(struct record *r);
/* Free all of it. @ok: what record_run() has returned */
void record_clean_up(struct record *r, bool ok);

/*
 * purpose.c: the events that a command needs which reads the recording later (--for). Return
 * whether there is such a purpose.
 */
bool purpose_exists(const char *name);

/*
 * Add the events of a purpose that this kernel has. Say which ones it lacks, unless @quiet.
 * Return false if the list of events cannot be read, or if the patterns are too many; the
 * error is reported.
 */
bool purpose_add_events(const char *name, struct patterns *patterns, bool quiet);

#endif /* RBMAP_CLI_RECORD_RECORD_H */
