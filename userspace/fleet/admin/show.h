/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_SHOW_H
#define RBMAP_FLEET_ADMIN_SHOW_H

#include "options.h"

/* Print a command with its answers, or an incident with its manifest. */
int fleet_show(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_SHOW_H */
