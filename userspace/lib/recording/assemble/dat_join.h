/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_RECORDING_ASSEMBLE_DAT_JOIN_H
#define RBMAP_RECORDING_ASSEMBLE_DAT_JOIN_H

#include "dat_assemble.h"

struct rbmap_recording;

/*
 * Move the data of an unfinished recording from the files of the CPUs to the recording,
 * and mark it as finished. Each step leaves an unfinished recording that can be read, and
 * joined later. This works on a full disk, too: each piece that was copied frees space for
 * the next one. @fd: the recording, for writing. Return 0, 1 if @go_on has stopped the work,
 * or a negative errno.
 */
int dat_join(struct rbmap_recording *r, int fd, dat_go_on_fn *go_on, void *data);

#endif /* RBMAP_RECORDING_ASSEMBLE_DAT_JOIN_H */
