/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a recording, as far as the user wants them. */
#ifndef RBMAP_INPUT_INPUT_EVENTS_H
#define RBMAP_INPUT_INPUT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

struct input;

/* Both return 0, or a negative error that ends all. */
typedef int input_event_fn(void *data, const struct rbmap_event *ev);
typedef int input_lost_fn(void *data, unsigned int cpu, uint64_t lost);

/*
 * Call @each for each event in the order of time. Then call @lost_last with the events that
 * each CPU lost after its last one: RBMAP_LOST_UNKNOWN if they may lie behind @in->until. A CPU
 * that lost a known number, and an unknown one, has two calls. @lost_last may be NULL.
 * @what: the progress says that this is done; NULL: nothing. Return 0, the error of a function, or
 * one of rbmap_recording_next().
 */
int input_each_event(struct input *in, const char *what, input_event_fn *each,
		     input_lost_fn *lost_last, void *data);

/*
 * Print the sums to standard error. @more: an unknown number was lost, too. If @in has a
 * selection, @left_out is what it has left out. @noun: "intervals"; NULL: events
 */
void input_tell_sums(const struct input *in, uint64_t events, uint64_t lost, bool more,
		     uint64_t left_out, const char *noun);

#endif /* RBMAP_INPUT_INPUT_EVENTS_H */
