/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Texts that rbmap adds to the counters of a recording: its moments, which dat_times_parse()
 * reads, the cgroups of its tasks (recording/dat_cgroups.h) and the names of its block
 * devices (recording/dat_devices.h).
 */
#ifndef RBMAP_RECORDING_WRITE_STAT_TEXTS_H
#define RBMAP_RECORDING_WRITE_STAT_TEXTS_H

#include <stddef.h>

struct buf;
struct dat_cgroups;
struct dat_devices;
struct dat_times;

/* Append the known moments; nothing, if none is known. */
void dat_times_print(const struct dat_times *times, struct buf *out);

/* Append the text, at most @limit bytes. Return the number of tasks that do not fit. */
size_t cgroups_text(const struct dat_cgroups *cgroups, struct buf *out, size_t limit);

/* Append the text, at most @limit bytes. Return the number of devices that do not fit. */
size_t devices_text(const struct dat_devices *devices, struct buf *out, size_t limit);

#endif /* RBMAP_RECORDING_WRITE_STAT_TEXTS_H */
