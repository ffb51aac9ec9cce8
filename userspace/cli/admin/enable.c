// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap enable, rbmap disable
 */
#include "common/cli.h"
#include "common/control.h"
#include "record/event_select.h"

static int switch_events(const struct command *cmd, int argc, char **argv,
			 bool on)
{
	static const struct option longs[] = {
		BUFFER_OPTION,
		{ "help", no_argument, NULL, 'h' },
		{ "filter", required_argument, NULL, 'F' },
		{ 0 }
	};
	struct control_events events;
	struct event_select event_select = { 0 };
	int c, status, ret;

	while ((c = next_option(cmd, argc, argv, "B:", longs, &status)) != -1) {
		if (c == OPTION_DONE)
			return status;
		if (!on)
			return usage_error(cmd, "--filter is for 'rbmap enable'");
		event_select.filter = optarg;
	}
	if (optind == argc)
		return usage_error(cmd, "which events? 'rbmap list' has them all");
	if (control_events_read(&events))
		return STATUS_ERROR;
	/* Change nothing if a name is unknown. */
	ret = control_select(&events, argv + optind, argc - optind);
	if (!ret && !event_select_filter(&event_select, &events))
		ret = -1;
	event_select_keep(&event_select, &events);
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
	.synopsis	= "[-B NAME] [--filter EXPR] EVENT...",
	.summary	= "Enable events",
	.help		=
	"      --filter EXPR  record only where this is true: 'next_pid == 1 ||\n"
	"                     prev_comm ~ \"ssh*\"'; ftrace's syntax; 0: no filter\n"
	NAMES,
	.run		= enable,
};

const struct command command_disable = {
	.name		= "disable",
	.synopsis	= "[-B NAME] EVENT...",
	.summary	= "Disable events",
	.help		= NAMES,
	.run		= disable,
};
