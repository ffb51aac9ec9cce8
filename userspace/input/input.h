/* SPDX-License-Identifier: GPL-2.0-only */
/* The recording that a command shows. Functions report the errors that they find. */
#ifndef RBMAP_INPUT_INPUT_H
#define RBMAP_INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "print/time_view.h"
#include "selection.h"

#define DEFAULT_INPUT	"trace.dat"

struct command;
struct rbmap_recording;

/**
 * struct input - a recording
 * @path: its path, or "-" for standard input
 * @since, @until: texts of the options; NULL: from the first, to the last event
 * @wall, @utc, @relative: the style of times; at most one is set
 * @buffer: the buffer whose events are wanted; NULL: those of all
 * @selection: the options that choose events
 * @selector: their choice; NULL: everything
 * @from, @to: the ring's times of the bounds
 */
struct input {
	const char *path;
	const char *since, *until;
	const char *buffer;
	bool wall, utc, relative;
	struct selection selection;
	struct selector *selector;
	struct rbmap_recording *reader;
	struct time_view time;
	uint64_t from, to;
};

/* The structure has a member in, a struct input. */
#define INPUT_TIME_OPTIONS(structure, verb)				\
	{ .name = "wall", .letter = 'w', .target = FLAG(structure, in.wall), \
	  .help = "print date and time of day" },			\
	{ .name = "utc", .target = FLAG(structure, in.utc),		\
	  .help = "print date and time of day as UTC" },		\
	{ .name = "relative", .target = FLAG(structure, in.relative),	\
	  .help = "print the time since the first event" },		\
	INPUT_SPAN_OPTIONS(structure, verb)

#define TOP_BUFFER	"top"	/* the name for users of the buffer without a name */

#define INPUT_BUFFER_OPTION(structure, verb)				\
	{ .name = "buffer", .letter = 'B', .arg = "NAME", .kind = "text",	\
	  .target = STRING(structure, in.buffer),			\
	  .help = verb " only the events of buffer NAME; top: those of\n" \
		  "the buffer that has no name" }

#define INPUT_SPAN_OPTIONS(structure, verb)				\
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

/* Check the options of times. Return STATUS_OK, or the status of a usage error. */
int input_check_times(const struct input *in, const struct command *cmd);
enum time_style input_time_style(const struct input *in);

/* Are the events of several buffers shown, so that their names have to be shown, too? */
bool input_has_buffers(const struct input *in);
/*
 * Choose the only buffer that has events, for a view that shows one. Return STATUS_ERROR if
 * there are several, and the user has chosen none.
 */
int input_choose_one_buffer(const struct input *in);

/*
 * Set the times, their style, and the bounds. Return false if the user's texts are
 * invalid, or if the style needs what the recording does not say.
 */
bool input_set_times(struct input *in);

/* After the last event: tell what damage was found. Return STATUS_OK or STATUS_CUT. */
int input_tell_damage(const struct input *in, const char *done);

#endif /* RBMAP_INPUT_INPUT_H */
