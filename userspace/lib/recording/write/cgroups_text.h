/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a recording with the cgroups of its tasks (recording/dat_cgroups.h). */
#ifndef RBMAP_RECORDING_WRITE_CGROUPS_TEXT_H
#define RBMAP_RECORDING_WRITE_CGROUPS_TEXT_H

#include <stddef.h>

struct buf;
struct dat_cgroups;

/* Append the text, at most @limit bytes. Return the number of tasks that do not fit. */
size_t cgroups_text(const struct dat_cgroups *cgroups, struct buf *out, size_t limit);

#endif /* RBMAP_RECORDING_WRITE_CGROUPS_TEXT_H */
