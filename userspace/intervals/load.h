/* SPDX-License-Identifier: GPL-2.0-only */
/* Prepare intervals for the events of a recording. */
#ifndef RBMAP_INTERVALS_LOAD_H
#define RBMAP_INTERVALS_LOAD_H

#include <stdbool.h>

struct rbmap_recording;
struct functions;
struct intervals;

/*
 * Add the formats, the system and the names of tasks and functions of a recording. The
 * intervals use @functions and the reader, so the caller frees the intervals first. Return
 * false if memory is lacking.
 */
bool intervals_load(struct intervals *intervals, const struct rbmap_recording *reader,
		    struct functions **functions);

#endif /* RBMAP_INTERVALS_LOAD_H */
