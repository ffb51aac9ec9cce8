/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of this host, in ns */
#ifndef RBMAP_FLEET_AGENT_UPLINK_CLOCKS_H
#define RBMAP_FLEET_AGENT_UPLINK_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

uint64_t clock_real(void);
uint64_t clock_monotonic(void);

/* Store the time by CLOCK_TAI. Return false if the kernel does not know its offset. */
bool clock_tai(uint64_t *time);

/* Append the line clock-error: the most that this host's time can be wrong. */
void clock_add_error(struct buf *out);

#endif /* RBMAP_FLEET_AGENT_UPLINK_CLOCKS_H */
