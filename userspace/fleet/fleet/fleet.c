// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "commands.h"
#include "merge_command.h"
#include "setup.h"

static int fleet(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "setup"))
		return fleet_setup(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "merge"))
		return fleet_merge.run(argc - 1, argv + 1);
	return usage_error(&command_fleet, "want an action: setup or merge");
}

const struct command command_fleet = {
	.name		= "fleet",
	.synopsis	= "setup ... | merge ...",
	.summary	= "Ask many hosts",
	.in_order	= true,
	.run		= fleet,
};
