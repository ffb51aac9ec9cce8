/* SPDX-License-Identifier: GPL-2.0-only */
/* Write the moments of a recording as the text that dat_times_parse() reads. */
#ifndef RBMAP_RECORDING_WRITE_TIMES_PRINT_H
#define RBMAP_RECORDING_WRITE_TIMES_PRINT_H

#include "base/buf.h"

struct dat_times;

/* Append the known moments; nothing, if none is known. */
void dat_times_print(const struct dat_times *times, struct buf *out);

#endif /* RBMAP_RECORDING_WRITE_TIMES_PRINT_H */
