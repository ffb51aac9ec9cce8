// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap unload
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/complain.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/holders.h"
#include "kernel/module_load.h"

extern const struct command command_unload;

#define MODULE	"rbmap"
#define DEVICES	"/dev/rbmap"

/* A selftest that was killed leaves this module, which then has no use. */
#define SELFTEST	"rbmap_selftest"

static void complain_busy(void)
{
	struct buf who = { 0 };
	bool mounted;

	holders_find_mounts(&who);
	mounted = who.size;
	holders_find_modules(&who);
	holders_find(&who, DEVICES);
	if (who.size && !who.failed)
		complain("the module is in use by %s: end or unload these users first%s",
			 who.data, mounted ?
			 ", and remove directories by 'rbmap tracefs-dir --remove DIR'" : "");
	else
		complain("the module is in use by a process that is not visible here: look for it in other containers, or wait until the module is loaded");
	buf_free(&who);
}

static int unload(int argc, char **argv)
{
	int status, ret;

	if (!parse_options(&command_unload, argc, argv, NULL, &status))
		return status;
	status = STATUS_ERROR;
	if (optind < argc)
		return usage_error(&command_unload, "unexpected argument '%s'",
				   argv[optind]);
	if (access("/sys/module/" MODULE, F_OK)) {
		complain("the module is not loaded");
		return STATUS_ERROR;
	}
	module_remove(SELFTEST);
	ret = module_remove(MODULE);
	switch (ret) {
	case 0:
		status = STATUS_OK;
		break;
	case -EAGAIN:
	case -EBUSY:
		complain_busy();
		break;
	case -EPERM:
		if (geteuid())
			complain("no permission to unload a module: run 'rbmap unload' as root");
		else
			complain("root may not unload a module here: kernel.modules_disabled is 1, or a container or a security policy forbids it");
		break;
	default:
		complain("cannot unload the module: %s", strerror(-ret));
	}
	return status;
}

const struct command command_unload = {
	.name		= "unload",
	.synopsis	= "",
	.summary	= "Unload the module and discard all events in its rings",
	.run		= unload,
};
