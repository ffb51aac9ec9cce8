// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap enable, rbmap disable
 */
#include "cli.h"
#include "control.h"

static int switch_events(const struct command *cmd, int argc, char **argv,
			 bool on)
{
	static const struct option longs[] = {
		BUFFER_OPTION,
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct control_events events;
	int status, ret;

	if (next_option(cmd, argc, argv, "B:", longs, &status) != -1)
		return status;
	if (optind == argc)
		return usage_error(cmd, "which events? 'rbmap list' has them all");
	if (control_events_read(&events))
		return STATUS_ERROR;
	/* All names are known, or nothing is changed. */
	ret = control_select(&events, argv + optind, argc - optind);
	if (!ret)
		ret = control_enable_selected(&events, on);
	control_events_free(&events);
	return ret ? STATUS_ERROR : STATUS_OK;
}

static int enable(int argc, char **argv)
{
	return switch_events(&command_enable, argc, argv, true);
}

static int disable(int argc, char **argv)
{
	return switch_events(&command_disable, argc, argv, false);
}

#define NAMES								\
	"  -B, --buffer NAME  of the buffer that 'rbmap create NAME' has made\n\n" \
	"EVENT is system:event, an event, or a system for all of its events; the\n" \
	"wildcards of the shell go: 'sched:*', '*wakeup*'.\n"

const struct command command_enable = {
	.name		= "enable",
	.synopsis	= "[-B NAME] EVENT...",
	.summary	= "Enable events",
	.help		= NAMES,
	.run		= enable,
};

const struct command command_disable = {
	.name		= "disable",
	.synopsis	= "[-B NAME] EVENT...",
	.summary	= "Disable events",
	.help		= NAMES,
	.run		= disable,
};
