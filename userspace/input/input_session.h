/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_INPUT_INPUT_SESSION_H
#define RBMAP_INPUT_INPUT_SESSION_H

struct input;
struct print_session;

/*
 * Give @s what the recording has for its events: their formats, the names of threads, and
 * symbols. The layout of @s must be set before. Return 0 or -ENOMEM.
 */
int input_load_session(const struct input *in, struct print_session *s);

#endif /* RBMAP_INPUT_INPUT_SESSION_H */
