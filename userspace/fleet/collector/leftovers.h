/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_COLLECTOR_LEFTOVERS_H
#define RBMAP_FLEET_COLLECTOR_LEFTOVERS_H

#include "collector.h"

/* Remove files of parts that the index does not know, from a collector that was killed. */
void leftovers_remove(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_LEFTOVERS_H */
