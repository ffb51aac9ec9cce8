/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands that were executed, so that each of them is executed once: the file "commands"
 * of the spool, a line "SECONDS STATE ID" for each. The answer to a command is the file
 * answers/ID until it was sent.
 */
#ifndef RBMAP_FLEET_AGENT_COMMANDS_EXECUTED_H
#define RBMAP_FLEET_AGENT_COMMANDS_EXECUTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/names.h"

#define EXECUTED_MAX		1024
#define EXECUTED_SECONDS	7200	/* A transport keeps commands for an hour. */
#define EXECUTED_ANSWER_MAX	4096

struct executed_command {
	char id[SOURCE_NAME_SIZE];
	uint64_t time;		/* seconds since 1970 */
	bool answered;
};

/**
 * struct executed - what was executed
 * @dir: the spool
 * @answers: its folder with answers
 * @v: the commands, the oldest first
 */
struct executed {
	int dir;
	int answers;
	struct executed_command *v;
	size_t nr;
};

/*
 * Read the list. A command that a killed process was executing gets an answer. Return 0
 * or a negative errno.
 */
int executed_load(struct executed *c, int dir, int answers);
void executed_free(struct executed *c);

bool executed_has(const struct executed *c, const char *id);

/*
 * Remember that a command is executed from now on. Return 0 when that is on the disk, or
 * a negative errno; -EBUSY: there were too many commands in two hours.
 */
int executed_begin(struct executed *c, const char *id);

/* Store the answer to a command. Return 0 or a negative errno. */
int executed_answer(struct executed *c, const char *id, const struct buf *answer);

#endif /* RBMAP_FLEET_AGENT_COMMANDS_EXECUTED_H */
