/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_INPUT_INPUT_FORMATTER_H
#define RBMAP_INPUT_INPUT_FORMATTER_H

struct input;
struct event_formatter;

/*
 * Give @t what the recording has for its events: their formats, the names of threads, and
 * symbols. The layout of @t must be set before. Return 0 or -ENOMEM.
 */
int input_load_formatter(const struct input *in, struct event_formatter *t);

#endif /* RBMAP_INPUT_INPUT_FORMATTER_H */
