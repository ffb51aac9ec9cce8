/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap fleet merge: one recording of the recordings of several hosts. */
#ifndef RBMAP_FLEET_MERGE_COMMAND_H
#define RBMAP_FLEET_MERGE_COMMAND_H

#include "common/cli.h"

extern const struct command fleet_merge;

#endif /* RBMAP_FLEET_MERGE_COMMAND_H */
