/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of the administrator. Those that were executed are in a list, so that each of them
 * is executed once: the file "commands" of the spool, a line "SECONDS STATE ID GIVEN" for each.
 * A line "before GIVEN" has the time of the newest command that the list has forgotten. Members
 * of the fleet may be able to send a command of before again, so the list is as long as it can be,
 * and older commands are refused. The times GIVEN are those of the administrator's clock, so that
 * the clock of the host can be wrong.
 *
 * The answer to a command is the file answers/ID until it was sent. The only action is a snapshot.
 */
#ifndef RBMAP_FLEET_AGENT_COMMANDS_COMMANDS_H
#define RBMAP_FLEET_AGENT_COMMANDS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/incident/intake.h"
#include "base/buf.h"
#include "message/message.h"

#define EXECUTED_MAX		1024
#define EXECUTED_SECONDS	7200	/* A transport keeps commands for an hour. */
#define EXECUTED_ANSWER_MAX	4096

#define SNAPSHOT_SECONDS	30
#define SNAPSHOT_WORDS		32
#define SNAPSHOT_SIZE		1024

struct logged_command {
	char id[SOURCE_NAME_SIZE];
	uint64_t time;		/* seconds since 1970, by this host's clock */
	uint64_t given;		/* the time in the command, in ns; 0: it has none */
	bool answered;
};

/**
 * struct command_log - what was executed
 * @dir: the spool
 * @answers: its folder with answers
 * @v: the commands, the oldest first
 * @before: no command that was given at this time, or before, is a new one
 */
struct command_log {
	int dir;
	int answers;
	struct logged_command *v;
	size_t nr;
	uint64_t before;
};

/*
 * Read the list. A command that a killed process was executing gets an answer. Return 0
 * or a negative errno.
 */
int command_log_load(struct command_log *c, int dir, int answers);
void command_log_free(struct command_log *c);

bool command_log_has(const struct command_log *c, const char *id);

/* Return whether a command that the list does not have can be one that it has forgotten. */
bool command_log_is_old(const struct command_log *c, uint64_t given);

/*
 * Remember that a command is executed from now on. Return 0 when that is on the disk, or
 * a negative errno; -EBUSY: there were too many commands in two hours.
 */
int command_log_begin(struct command_log *c, const char *id, uint64_t given);

/* Store the answer to a command. Return 0 or a negative errno. */
int command_log_answer(struct command_log *c, const char *id, const struct buf *answer);

/*
 * Let the flight recorder write a file: run a command, whose words are separated by spaces,
 * without a shell. Wait for its end and for the incident that is @wanted. On failure, return
 * false and store the cause.
 */
bool snapshot_take(const char *command, struct intake *in, struct ingest_wanted *wanted,
		   char *error, size_t size);

#endif /* RBMAP_FLEET_AGENT_COMMANDS_COMMANDS_H */
