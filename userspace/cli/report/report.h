/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap report as text or JSON: the options, and how far the recordings were printed. */
#ifndef RBMAP_CLI_REPORT_REPORT_H
#define RBMAP_CLI_REPORT_REPORT_H

#include "base/buf.h"
#include "base/terminal.h"
#include "command/pipeline.h"
#include "input/input.h"
#include "report/html/html.h"
#include "report_batch.h"

#define MOST_BATCHES	(2 * PIPELINE_THREADS)
#define MOST_FILES	16	/* recordings that are printed as one */

/**
 * struct source - a recording
 * @next: its next event, if @got, the result of rbmap_recording_next(), is 1
 * @buffer: for each buffer of the recording
 */
struct source {
	struct input in;
	struct print_session *session;
	struct rbmap_event next;
	int got;
	struct report_buffer *buffer;
};

/* The options are in @in; each source has a copy of them. */
struct report {
	struct input in;
	const char *path[MOST_FILES];
	struct source *source;
	unsigned int nr_sources;
	bool as_json;
	bool as_html;
	bool no_plugins;
	bool with_cgroup;
	struct html html;

	/* The lines of each thread, by source */
	struct print_line *line[PIPELINE_THREADS][MOST_FILES];
	struct report_batch *batch[MOST_BATCHES];
	struct report_batch *filling;
	struct pipeline *pipeline;
	uint64_t threads;	/* 0: as many as there are CPUs */
	/*
	 * How far the recordings were read: READ_HEADS, and READ_EVENT for each event, also
	 * for those that are not printed. A process before this one, which crashed, has
	 * printed all up to @skipped.
	 */
	uint64_t position, skipped;
	/* A copy of a function's call, whose next event is not known yet */
	struct rbmap_event call;
	struct buf call_data;
	uint64_t events;
	uint64_t lost;
	bool lost_unknown;	/* more than the number that is known */
	uint64_t left_out;	/* events that are not selected */
	struct progress progress;
};

/*
 * report_sources.c: plugins are files, so load them before the formats, while files can be
 * opened. Return 0 or -ENOMEM.
 */
int report_prepare_session(const struct report *r, struct source *s);
/* Return STATUS_OK, or the status of an error that has been reported. */
int report_open_sources(struct report *r);
/* Give the sessions of the printer what the recordings have. Return 0 or -ENOMEM. */
int report_load_sources(struct report *r);

/* report_print.c: print the recordings, in the process of a crash guard; @arg: struct report */
int report_run(void *arg);

#endif /* RBMAP_CLI_REPORT_REPORT_H */
