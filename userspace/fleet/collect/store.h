/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_STORE_H
#define RBMAP_FLEET_STORE_H

#include "collector.h"

/*
 * Check each incident of which all parts are here, give its file the name, and answer. Those
 * that a killed collector left behind are among them. If the disk does not take a file, the
 * next call tries again.
 */
void store_complete(struct collector *c);

#endif /* RBMAP_FLEET_STORE_H */
