/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of the administrator. Those that were executed are in a list, so that each of them
 * is executed once: the file "commands" of the spool, a line "SECONDS STATE ID" for each. The
 * answer to a command is the file answers/ID until it was sent. The only action is a snapshot.
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
	uint64_t time;		/* seconds since 1970 */
	bool answered;
};

/**
 * struct command_log - what was executed
 * @dir: the spool
 * @answers: its folder with answers
 * @v: the commands, the oldest first
 */
struct command_log {
	int dir;
	int answers;
	struct logged_command *v;
	size_t nr;
};

/*
 * Read the list. A command that a killed process was executing gets an answer. Return 0
 * or a negative errno.
 */
int command_log_load(struct command_log *c, int dir, int answers);
void command_log_free(struct command_log *c);

bool command_log_has(const struct command_log *c, const char *id);

/*
 * Remember that a command is executed from now on. Return 0 when that is on the disk, or
 * a negative errno; -EBUSY: there were too many commands in two hours.
 */
int command_log_begin(struct command_log *c, const char *id);

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
