/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_STORE_H
#define RBMAP_FLEET_STORE_H

#include "collector.h"

/*
 * Check each incident of which all parts are here, give its file the name, and answer. An
 * incident that a collector left behind that was killed is no different. If the disk does
 * not take it, the next call tries again.
 */
void store_complete(struct collector *c);

#endif /* RBMAP_FLEET_STORE_H */
