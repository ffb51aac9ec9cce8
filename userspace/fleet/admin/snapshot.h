/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_SNAPSHOT_H
#define RBMAP_FLEET_ADMIN_SNAPSHOT_H

#include "options.h"

/* Tell the hosts to take a snapshot, wait for them, and print their answers. */
int fleet_snapshot(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_SNAPSHOT_H */
