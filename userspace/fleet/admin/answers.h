/* SPDX-License-Identifier: GPL-2.0-only */
/* The answers of hosts to a command, with the hosts that have not answered. */
#ifndef RBMAP_FLEET_ADMIN_ANSWERS_H
#define RBMAP_FLEET_ADMIN_ANSWERS_H

#include "collector/index/hosts.h"
#include "options.h"

/**
 * struct answers - sums over the hosts that a command means
 * @known: hosts that were known when the command was given, and those that answered
 * @answered: those that answered, also that they failed
 * @failed: those that failed
 * @stored: those of which the incident is stored
 */
struct answers {
	unsigned int known, answered, failed, stored;
};

struct answers answers_count(struct fleet_index *ix, const struct index_command *command);

/* Print the command, a line for each host, and the sums. Return STATUS_OK or STATUS_CUT. */
int answers_print(struct fleet_index *ix, const struct index_command *command, bool json);

#endif /* RBMAP_FLEET_ADMIN_ANSWERS_H */
