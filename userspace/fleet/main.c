// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap-fleet: the commands that rbmap runs from the package of the same name. `rbmap ship`
 * runs it with the arguments `ship ...`.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "admin/fleet.h"
#include "agent/ship.h"
#include "base/complain.h"
#include "collector/collect.h"
#include "command/command.h"

static const struct command *const commands[] = {
	&command_collect,
	&command_fleet,
	&command_ship,
	NULL
};

int main(int argc, char **argv)
{
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	for (const struct command *const *c = commands; argc > 1 && *c; c++)
		if (!strcmp((*c)->name, argv[1]))
			return finish_stdout((*c)->run(argc - 1, argv + 1));
	complain("run it as 'rbmap ship', 'rbmap collect' or 'rbmap fleet'");
	return STATUS_USAGE;
}
