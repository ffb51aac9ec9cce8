/* SPDX-License-Identifier: GPL-2.0-only */
/* The recording that a command shows. Functions report the errors that they find. */
#ifndef RBMAP_CLI_INPUT_H
#define RBMAP_CLI_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "time_view.h"

#define DEFAULT_INPUT	"trace.dat"

struct dat_reader;

/**
 * struct input - a recording
 * @path: its path, or "-" for standard input
 * @since, @until: texts of the options; NULL: from the first, to the last event
 * @from, @to: the ring's times of these
 */
struct input {
	const char *path;
	const char *since, *until;
	struct dat_reader *reader;
	struct time_view time;
	uint64_t from, to;
};

/* The structure has a member in, a struct input. */
#define INPUT_TIME_OPTIONS(structure, verb)				\
	{ .name = "since", .arg = "TIME", .kind = "text",		\
	  .target = STRING(structure, in.since),			\
	  .help = verb " only events from TIME on: -SECONDS before the end,\n" \
		  "HH:MM:SS, 'YYYY-MM-DD HH:MM:SS' (UTC with a Z behind),\n" \
		  "or SECONDS of the ring's clock" },			\
	{ .name = "until", .arg = "TIME", .kind = "text",		\
	  .target = STRING(structure, in.until),			\
	  .help = verb " only events up to TIME" }

/* Open the recording. Return STATUS_OK or another status. */
int input_open(struct input *in);
/* Report that the recording could not be read on. Return the status. */
int input_failed(const struct input *in, int error);

/*
 * Set the times, their style, and the bounds. Return false if the user's texts are
 * invalid, or if the style needs what the recording does not say.
 */
bool input_set_times(struct input *in, enum time_style style);

/* After the last event: tell what damage was found. Return STATUS_OK or STATUS_CUT. */
int input_tell_damage(const struct input *in, const char *done);

#endif /* RBMAP_CLI_INPUT_H */
