/* SPDX-License-Identifier: LGPL-2.1-only */
/* A session gets what a recording has for the lines of its events. */
#ifndef RBMAP_PRINT_SESSION_RECORDING_H
#define RBMAP_PRINT_SESSION_RECORDING_H

#include "session.h"

/*
 * Give @s what the recording has for its events: their formats, the names of threads, and
 * symbols. The layout of @s is set before, and no event was read. Return 0 or -ENOMEM.
 */
int print_session_load_recording(struct print_session *s, struct rbmap_recording *r);

/* time_view_init() for a recording, whose times may also be those of the wall clock. */
bool time_view_init_recording(struct time_view *view, const struct rbmap_recording *r);

#endif /* RBMAP_PRINT_SESSION_RECORDING_H */
