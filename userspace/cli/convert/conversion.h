/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the events of a recording, and pass them to a writer of another format. */
#ifndef RBMAP_CLI_CONVERT_CONVERSION_H
#define RBMAP_CLI_CONVERT_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

#include "input/input.h"
#include "output.h"

struct conversion;
struct print_line;
struct print_session;
struct event_parts;

/**
 * struct converter - a writer of a format
 * @suffix: the end of a file's name
 * @is_binary: the format is not for a terminal
 * @load: load the libraries that it needs, while files can be opened; or NULL
 * @begin: write the head of the file
 * @event: write an event. @parts is NULL if its common fields are missing.
 * @lost: write that a CPU has lost so many events before its next one. @lost may be
 * RBMAP_LOST_UNKNOWN.
 * @end: write the end of the file
 * @free: free what @begin has allocated, also if it failed
 *
 * The functions append to conversion.out. They return 0 or a negative errno.
 */
struct converter {
	const char *suffix;
	bool is_binary;
	void (*load)(void);
	int (*begin)(struct conversion *c);
	int (*event)(struct conversion *c, const struct rbmap_event *ev,
		     const struct event_parts *parts);
	int (*lost)(struct conversion *c, unsigned int cpu, uint64_t lost);
	int (*end)(struct conversion *c);
	void (*free)(struct conversion *c);
};

/**
 * struct conversion - a recording on its way to another format
 * @in: the recording, which is open
 * @session: the formats of its events, and the names of its tasks
 * @line: prints events; begin() makes it when the settings of @session are complete
 * @state: for the converter alone
 * @events, @lost: sums, as rbmap report prints them
 * @lost_unknown: more than @lost
 * @left_out: events that are not selected
 * @from_cycles: the ring's clock counts cycles, and events get the time since boot
 */
struct conversion {
	struct input *in;
	const struct converter *to;
	struct print_session *session;
	struct print_line *line;
	struct output out;
	void *state;
	uint64_t events;
	uint64_t lost;
	bool lost_unknown;
	uint64_t left_out;
	bool from_cycles;
};

/*
 * Return 0, an error of rbmap_recording_next(), or a negative errno: out.error is set if
 * writing failed.
 */
int conversion_run(struct conversion *c);

extern const struct converter convert_to_perfetto;
extern const struct converter convert_to_systrace;

#endif /* RBMAP_CLI_CONVERT_CONVERSION_H */
