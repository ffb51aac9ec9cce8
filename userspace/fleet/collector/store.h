/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_COLLECTOR_STORE_H
#define RBMAP_FLEET_COLLECTOR_STORE_H

#include "collector.h"

/*
 * Check incidents of which all parts are here, in processes beside the collector. For a file
 * whose check has ended, give the file its name, and answer. Incidents that a killed
 * collector left behind are among them. If the disk does not take a file, it is tried again.
 */
void store_complete(struct collector *c);

/* Return whether checks run, or the file of one incident is checked. */
bool store_is_busy(const struct collector *c);
bool store_checks(const struct collector *c, int64_t incident);

/* End all checks. The next collector begins them again. */
void store_stop(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_STORE_H */
