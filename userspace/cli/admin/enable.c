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
			return usage_error(cmd, "--filter is an option of 'rbmap enable' only");
		event_select.filter = optarg;
	}
	if (optind == argc)
		return usage_error(cmd, "the name of an event is missing: 'rbmap list' lists the events");
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
	"  -B, --buffer NAME  use the buffer NAME of 'rbmap create'\n\n" \
	"EVENT is SYSTEM:EVENT, the name of an event, or a system for all its events.\n" \
	"It may contain the wildcards of the shell: 'sched:*', '*wakeup*'.\n"

const struct command command_enable = {
	.name		= "enable",
	.synopsis	= "[-B NAME] [--filter EXPR] EVENT...",
	.summary	= "Enable events",
	.help		=
	"      --filter EXPR  record an event only if EXPR is true, in ftrace's syntax:\n"
	"                     'next_pid == 1 || prev_comm ~ \"ssh*\"'; 0 removes the filter\n"
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
