/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The common parts of `rbmap record` and `rbmap snapshot`: all of a file but its
 * events, and the report at the end.
 */
#ifndef RBMAP_LIVE_RECORDER_RECORDING_H
#define RBMAP_LIVE_RECORDER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "command/options.h"
#include "kernel/control.h"
#include "live/comm_events.h"
#include "recorder.h"
#include "recording/write/cmdlines.h"
#include "recording/write/dat_write.h"

#define DEFAULT_OUTPUT	"trace.dat"

/* Store the value of -o, which is not empty. */
set_option_fn recording_set_output;
#define OUTPUT_OPTION(structure, member) {				\
	.name = "output", .letter = 'o', .arg = "FILE", .kind = "file",	\
	.target = OPTION_TO(recording_set_output, const char *,		\
			    structure, member),				\
	.help = "default: " DEFAULT_OUTPUT "; -: standard output" }

#define NO_COMPRESS_OPTION(structure, member) {				\
	.name = "no-compress",						\
	.target = FLAG(structure, member),				\
	.help = "do not compress FILE (trace.dat of version 6, for\n"	\
		"trace-cmd before 3.1)" }

/* The same for each file of a run. */
struct recording {
	char *header_page, *header_event;
	struct dat_format *format;
	size_t nr_formats;
	bool symbols;			/* events have addresses of functions */
	bool hashed;			/* events have hashes of such addresses */
	struct comm_fields *fields;
	struct cmdlines *cmdlines;		/* names of threads at the beginning */
	struct comm_events *comm_events;	/* later names; NULL: none */
	bool only_wanted;		/* no other event can come to the buffer */
	bool quiet;			/* report losses only */
	bool no_compress;		/* write version 6 */
	struct dat_times times;		/* moments before a file is created */
	int times_clock;		/* clock of these moments */
	struct assembly *assembly;	/* completes the files; NULL: at once */
};

/*
 * Read the formats and the names. @wanted returns whether the file will contain
 * events of a kind. On failure, report the error.
 */
typedef bool recording_wanted_fn(const void *data,
				 const struct control_event *event);
bool recording_init(struct recording *r, const struct control_events *events,
		    recording_wanted_fn *wanted, const void *data);
void recording_free(struct recording *r);

/*
 * Store the present moment in r->times: a flight recorder begins, or the rings were
 * frozen. @reason is one line that says why; at most DAT_REASON_SIZE - 1 bytes of it are
 * stored.
 */
void recording_begins(struct recording *r);
void recording_triggers(struct recording *r, const char *reason);

/*
 * Create the file. @clocks is text in the format of trace_clock. On failure,
 * report the error and return NULL.
 */
struct dat_writer *recording_create(const struct recording *r, const char *path,
				    const struct recorder *recorder,
				    const char *clocks);

struct assembly_options recording_assembly_options(const struct recording *r);

/* Replace the file that has the name of the recording. */
bool recording_publish(struct dat_writer *writer, const char *path);

/*
 * Complete a file that no thread of @recorder writes any more, while the recording goes on in
 * another one. On failure, report the error and return false.
 */
bool recording_end_file(const struct recording *r, struct dat_writer *writer, const char *path,
			struct recorder *recorder);

/*
 * Complete a file with all that @recorder has read, and print the sums. On
 * failure, report the error and return false.
 */
bool recording_finish(const struct recording *r, struct dat_writer *writer,
		      const char *path, struct recorder *recorder);

#endif /* RBMAP_LIVE_RECORDER_RECORDING_H */
