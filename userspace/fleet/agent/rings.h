/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of all rings of this host since they were made, and the lost ones */
#ifndef RBMAP_FLEET_AGENT_RINGS_H
#define RBMAP_FLEET_AGENT_RINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Store the sums. Return false, without a message, if the module or a number is missing. */
bool rings_read(uint64_t *events, uint64_t *lost);

#endif /* RBMAP_FLEET_AGENT_RINGS_H */
