/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_WHEN_H
#define RBMAP_FLEET_ADMIN_WHEN_H

#include <stdint.h>

#include "command/options.h"

/*
 * Store a time in ns since 1970, in an int64_t: "2026-11-26T14:03:12", "14:03:12" (today),
 * "@SECONDS" (since 1970), or "-10m" (before now; s, m, h or d).
 */
set_option_fn set_time;

#define TIME(structure, member)	OPTION_TO(set_time, int64_t, structure, member)

#endif /* RBMAP_FLEET_ADMIN_WHEN_H */
