// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "external.h"

/* An installed command is in DIR/bin; one that was only built is in the folder build. */
static const char *const places[] = { "../libexec/rbmap/rbmap-fleet", "fleet/rbmap-fleet" };

const struct external_command external_commands[] = {
	{ "ship", "Send what the flight recorder writes to a collector" },
	{ "collect", "Collect what hosts send" },
	{ "fleet", "Ask many hosts: snapshots, incidents, who answered" },
	{ NULL, NULL }
};

bool is_external_command(const char *name)
{
	for (const struct external_command *c = external_commands; c->name; c++)
		if (!strcmp(c->name, name))
			return true;
	return false;
}

int run_external_command(char **argv)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *directory;

	if (len < 0) {
		complain("cannot read /proc/self/exe: %s", strerror(errno));
		return STATUS_ERROR;
	}
	self[len] = '\0';
	directory = dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, places[i]);
		execv(path, argv);
		if (errno != ENOENT && errno != ENOTDIR) {
			complain("cannot run %s: %s", path, strerror(errno));
			return STATUS_ERROR;
		}
	}
	complain("'%s' is not installed: install the package rbmap-fleet, or 'make install-fleet'",
		 argv[1]);
	return STATUS_ERROR;
}
