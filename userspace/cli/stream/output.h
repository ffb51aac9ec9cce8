/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of events on standard output. It is known which events have not been written. */
#ifndef RBMAP_STREAM_OUTPUT_H
#define RBMAP_STREAM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/**
 * struct output - text that is not written yet
 * @text: the caller appends to it
 * @end: where the text of each event ends
 * @unwritten: number of events that cannot be written any more
 * @error: errno of a write, after which nothing is written; 0: none
 */
struct output {
	struct buf text;
	size_t *end;
	size_t nr, room;
	uint64_t unwritten;
	int error;
};

/* The text of an event is complete. Return false if memory is lacking. */
bool output_end_event(struct output *o);

/*
 * Write the text. A write goes on after a signal whose handler has SA_RESTART, and ends with
 * the error EINTR at others. Return false after an error.
 */
bool output_write(struct output *o);

void output_free(struct output *o);

#endif /* RBMAP_STREAM_OUTPUT_H */
