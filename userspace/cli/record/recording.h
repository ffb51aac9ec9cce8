/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of `rbmap record` and `rbmap snapshot` have in common: all that
 * is in them beside events, and what is said of them at the end.
 */
#ifndef RBMAP_CLI_RECORDING_H
#define RBMAP_CLI_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buf.h"
#include "common/control.h"
#include "cmdlines.h"
#include "recorder.h"
#include "trace_dat/dat_write.h"

#define DEFAULT_OUTPUT	"trace.dat"
#define NO_OUTPUT_NAME	"option -o wants the name of a file"

/* The same for each file that is made. */
struct recording {
	char *header_page, *header_event;
	struct dat_format *format;
	size_t nr_formats;
	struct buf kallsyms;
	struct comm_fields *fields;
	struct cmdlines *cmdlines;		/* of the threads that there were at first */
	bool quiet;			/* no sums, but what was lost */
};

/*
 * Read it.  @wanted: will the events of that kind be in the file?  Complains.
 */
typedef bool recording_wanted_fn(const void *data,
				 const struct control_event *event);
bool recording_init(struct recording *r, const struct control_events *events,
		    recording_wanted_fn *wanted, const void *data);
void recording_free(struct recording *r);

/* Make the file.  @clocks: a text like that of trace_clock.  NULL: complained. */
struct dat_writer *recording_create(const struct recording *r, const char *path,
				    const struct recorder *recorder,
				    const char *clocks);

/*
 * Finish a file that has all that @recorder read, and tell of it.  False:
 * complained.
 */
bool recording_finish(const struct recording *r, struct dat_writer *writer,
		      const char *path, const struct recorder *recorder);

/* "12 KiB", on stderr. */
void print_size(uint64_t bytes);

#endif /* RBMAP_CLI_RECORDING_H */
