/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_INCIDENTS_H
#define RBMAP_FLEET_ADMIN_INCIDENTS_H

#include "options.h"

/* List the incidents of a time. */
int fleet_incidents(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_INCIDENTS_H */
