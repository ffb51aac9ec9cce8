/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a recording with the names of its block devices (recording/dat_devices.h). */
#ifndef RBMAP_RECORDING_WRITE_DEVICES_TEXT_H
#define RBMAP_RECORDING_WRITE_DEVICES_TEXT_H

#include <stddef.h>

struct buf;
struct dat_devices;

/* Append the text, at most @limit bytes. Return the number of devices that do not fit. */
size_t devices_text(const struct dat_devices *devices, struct buf *out, size_t limit);

#endif /* RBMAP_RECORDING_WRITE_DEVICES_TEXT_H */
