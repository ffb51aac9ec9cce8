/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap ship status */
#ifndef RBMAP_FLEET_AGENT_STATUS_H
#define RBMAP_FLEET_AGENT_STATUS_H

#include <stdbool.h>

/* Print what waits in the spool @path. The agent may run meanwhile. Return a status. */
int status_print(const char *path, bool json);

#endif /* RBMAP_FLEET_AGENT_STATUS_H */
