/* SPDX-License-Identifier: GPL-2.0-only */
/* The recorders that run, and the snapshots that are kept, for rbmap status. */
#ifndef RBMAP_STATUS_RECORDERS_H
#define RBMAP_STATUS_RECORDERS_H

#include <stddef.h>

#include "base/json.h"

/* Print a line for each of the buffers that has a recorder or a snapshot. */
void recorders_print(char *const *buffers, size_t nr);

/* Add the members "recorders" and "snapshots" to an object. */
void recorders_print_json(struct json *j, char *const *buffers, size_t nr);

#endif /* RBMAP_STATUS_RECORDERS_H */
