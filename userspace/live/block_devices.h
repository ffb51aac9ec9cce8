/* SPDX-License-Identifier: GPL-2.0-only */
/* The block devices of this machine. */
#ifndef RBMAP_LIVE_BLOCK_DEVICES_H
#define RBMAP_LIVE_BLOCK_DEVICES_H

#include <stddef.h>

#include "recording/dat_devices.h"

/* Add those that sysfs has now. Return how many have no room. */
size_t block_devices_scan(struct dat_devices *devices);

#endif /* RBMAP_LIVE_BLOCK_DEVICES_H */
