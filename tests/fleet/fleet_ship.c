// SPDX-License-Identifier: GPL-2.0-only
/* `rbmap ship` alone, to be built with sanitizers: fleet_ship ship ARGUMENTS... */
#include <signal.h>

#include "ship/ship.h"

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	return argc > 1 ? finish_stdout(command_ship.run(argc - 1, argv + 1)) : STATUS_USAGE;
}
