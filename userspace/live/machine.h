/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This machine, as its recordings describe it: moments, which say how its clocks belong
 * together, and the names of its block devices.
 */
#ifndef RBMAP_LIVE_MACHINE_H
#define RBMAP_LIVE_MACHINE_H

#include <stddef.h>

#include "recording/dat_devices.h"
#include "recording/dat_times.h"

/* Add the block devices that sysfs has now. Return how many have no room. */
size_t block_devices_scan(struct dat_devices *devices);

/* Return the buffer's clock, an enum rbmap_clock, or -1: it is not known. */
int moment_clock(void);

/*
 * Read the ring's clock together with the clocks of user space, and store the present moment.
 * @clock is an enum rbmap_clock. If the ring's clock cannot be read, the moment is not known.
 */
void moment_take(struct rbmap_moment *moment, int clock);

#endif /* RBMAP_LIVE_MACHINE_H */
