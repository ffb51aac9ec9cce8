// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "commands.h"
#include "merge_command.h"
static int fleet(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "merge"))
		return fleet_merge.run(argc - 1, argv + 1);
	return usage_error(&command_fleet, "want an action");
}
const struct command command_fleet = { .name = "fleet", .synopsis = "merge", .summary = "x", .in_order = true, .run = fleet };
