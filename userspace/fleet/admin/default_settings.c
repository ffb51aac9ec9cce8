// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "command/complete.h"
#include "command/settings.h"
#include "default_settings.h"

/* The shortest beginning of --settings that getopt_long() accepts */
#define SETTINGS_PREFIX	"--se"

/* Help must not depend on a valid file. */
static bool needs_no_file(const char *argument)
{
	return !strncmp(argument, SETTINGS_PREFIX, strlen(SETTINGS_PREFIX)) ||
	       !strcmp(argument, "--help") || !strcmp(argument, "-h") ||
	       !strcmp(argument, COMPLETE);
}

int read_default_settings(const struct command *cmd, int argc, char **argv,
			  struct fleet_options *o)
{
	char path[] = FLEET_SETTINGS;

	for (int i = 1; i < argc; i++)
		if (needs_no_file(argv[i]))
			return STATUS_OK;
	if (access(path, F_OK) && errno == ENOENT)
		return STATUS_OK;
	return read_settings(cmd, o, path);
}
