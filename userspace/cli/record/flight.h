/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flight recorder: nobody reads the rings, which overwrite their oldest events. A
 * signal or a trigger freezes them by a snapshot, which goes to a file.
 *
 * Functions that return false have reported the error.
 */
#ifndef RBMAP_CLI_FLIGHT_H
#define RBMAP_CLI_FLIGHT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/recorder/recording.h"
#include "recording/write/incident_files.h"
#include "trigger.h"

/**
 * struct flight - options, and the state of a flight recorder
 * @trigger_options: events that make a file
 * @files: names of the files
 * @lock_fd: lock of the files' directory; -1: none
 * @held_fd: a marker, which keeps a shared buffer and the module; -1: none
 * @trigger: searches the rings for these events; NULL: there are none
 * @overwrite: value before this recorder changed it; NULL: unchanged
 * @counts: how many of the events that came to no ring the files have
 * @holds_snapshot: a snapshot in memory has no file yet
 * @dump_failed: the last file could not be written
 * @own_buffer: the buffer ends with the recorder, and so does a snapshot of it
 * @buffer_ends: if the next file cannot be written, the buffer ends before somebody else can
 *	save the snapshot
 */
struct flight {
	struct trigger_options trigger_options;
	struct incident_files files;

	int lock_fd;
	int held_fd;
	struct trigger *trigger;
	char *overwrite;
	struct recorder_counts counts;
	bool holds_snapshot;
	bool dump_failed;
	bool own_buffer;
	bool buffer_ends;
};

/* Lock the directory of the files, if they have one. */
bool flight_lock_directory(struct flight *f);

/*
 * Let the rings overwrite their oldest events, and search them for the trigger.
 * @starts_empty: free the rings of their readers, and of older events. @wanted returns
 * which of @events are recorded.
 */
bool flight_begin(struct flight *f, struct recording *recording, bool starts_empty,
		  const struct control_events *events, recording_wanted_fn *wanted,
		  const void *data);

/*
 * Write a file at a signal, or if the trigger has fired. Return whether the recorder goes
 * on: a full disk ends none that removes old files.
 */
bool flight_dump_at_signal(struct flight *f, struct recording *recording,
			   const siginfo_t *info);
bool flight_dump_at_trigger(struct flight *f, struct recording *recording);

/*
 * Write the last file. If the files have no directory and the write before failed, keep the
 * snapshot of that write, and write nothing.
 */
bool flight_dump_last(struct flight *f, struct recording *recording);

/* Print what the trigger has left out. */
void flight_tell_missed(const struct flight *f);

/* Undo flight_begin(), also if it has failed. */
bool flight_end(struct flight *f);

/* Release the buffer and the directory. @complete: all events are in files. */
void flight_release(struct flight *f, bool complete);

#endif /* RBMAP_CLI_FLIGHT_H */
