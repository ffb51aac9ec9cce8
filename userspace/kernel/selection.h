/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of threads and filters that restrict what a buffer records. A user has set them,
 * or a recorder of a shared buffer that was killed has left them.
 */
#ifndef RBMAP_KERNEL_SELECTION_H
#define RBMAP_KERNEL_SELECTION_H

#include <stdbool.h>

#include "base/buf.h"
#include "control.h"

/*
 * Describe what restricts the buffer, for a message. Return false if nothing does. The
 * text ends with a 0 byte.
 */
bool selection_describe(struct buf *text, const struct control_events *events);

/* Note on stderr what restricts the buffer, if anything does. */
void selection_tell(const struct control_events *events);

#endif /* RBMAP_KERNEL_SELECTION_H */
