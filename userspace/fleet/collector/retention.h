/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_COLLECTOR_RETENTION_H
#define RBMAP_FLEET_COLLECTOR_RETENTION_H

#include "collector.h"

/* Count the bytes of all files that are stored. */
void retention_begin(struct collector *c);

/*
 * Remove the oldest files that exceed --keep-size or --keep-days, and those of hosts that
 * have too many. The index lists them as removed.
 */
void retention_apply(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_RETENTION_H */
