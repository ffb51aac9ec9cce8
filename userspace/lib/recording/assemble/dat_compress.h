/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_RECORDING_ASSEMBLE_DAT_COMPRESS_H
#define RBMAP_RECORDING_ASSEMBLE_DAT_COMPRESS_H

#include "dat_assemble.h"

struct rbmap_recording;

/*
 * Replace a recording of version 6 by one of version 7, compressed by zstd. The recording
 * stays as it is until the other one is complete. Return 0, 1 if @a->go_on has stopped the
 * work, or a negative errno; only 0 changes the recording.
 */
int dat_compress(struct rbmap_recording *r, struct dat_assembly *a);

#endif /* RBMAP_RECORDING_ASSEMBLE_DAT_COMPRESS_H */
