/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_HOSTS_H
#define RBMAP_FLEET_ADMIN_HOSTS_H

#include "options.h"

/* List the hosts with what they run, and what was refused from them. */
int fleet_hosts(const struct fleet_options *o);
/* List the hosts by lost events: what their last HELLO says. */
int fleet_top(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_HOSTS_H */
