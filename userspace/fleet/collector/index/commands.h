/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that were given, and the answers of hosts. */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_COMMANDS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "database.h"
#include "message/message.h"

struct index_command {
	int64_t id;
	char name[SOURCE_NAME_SIZE];
	char hosts[256];	/* pattern of the names */
	char reason[256];
	int64_t time;
};

/* Numbers: INDEX_UNKNOWN if the answer does not say */
struct index_answer {
	char state[16];
	char error[256];
	char incident[SOURCE_NAME_SIZE];
	uint64_t oldest, late, received, clock_error;
};

/* Add a snapshot command, and remove those beyond the newest thousand. */
void index_command_add(struct fleet_index *ix, const struct index_command *command);
void index_command_remove(struct fleet_index *ix, const char *name);
bool index_command_find(struct fleet_index *ix, const char *name, struct index_command *command);

/* Store the answer of a host. A later answer replaces it. */
void index_answer(struct fleet_index *ix, int64_t command, int64_t host,
		  const struct index_answer *answer, int64_t now);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_COMMANDS_H */
