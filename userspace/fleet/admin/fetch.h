/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_FETCH_H
#define RBMAP_FLEET_ADMIN_FETCH_H

#include "options.h"

/*
 * Copy the files of an incident, or of all hosts of a command, to --output: HOST-ID.dat
 * each, and manifest.txt. No file is replaced.
 */
int fleet_fetch(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_FETCH_H */
