/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots: what the rings of all CPUs held at one time, to a file.  Functions
 * complain.
 */
#ifndef RBMAP_CLI_FROZEN_H
#define RBMAP_CLI_FROZEN_H

#include <stdbool.h>

#include "recording.h"

/* One that is there already is somebody's: it is left alone. */
bool frozen_none(void);
bool frozen_take(void);
/* It is still there if it could not be written, and where to go on is said. */
bool frozen_write(const struct recording *recording, const char *path);
bool frozen_free(void);

#endif /* RBMAP_CLI_FROZEN_H */
