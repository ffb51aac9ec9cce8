// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap enable, rbmap disable
 */
#include "base/complain.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "live/event_select.h"

extern const struct command command_enable;
extern const struct command command_disable;

static int switch_events(const struct command *cmd, int argc, char **argv,
			 bool on)
{
	struct control_events events;
	struct event_select event_select = { 0 };
	int status, ret;

	if (!parse_options(cmd, argc, argv, &event_select, &status))
		return status;
	if (optind == argc)
		return usage_error(cmd, "the name of an event is missing: 'rbmap list' lists the events");
	/* An event that the buffer does not have yet is disabled already. */
	if (on ? control_events_read(&events) : control_events_read_available(&events))
		return STATUS_ERROR;
	ret = on ? control_events_demand(&events, argv + optind, argc - optind) : 0;
	/* Change nothing if a name is unknown. */
	if (!ret)
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
	"EVENT is SYSTEM:EVENT, the name of an event, or a system for all its events.\n" \
	"It may contain the wildcards of the shell: 'sched:*', '*wakeup*'.\n"

static const struct cli_option enable_options[] = {
	BUFFER_OPTION,
	{ .name = "filter", .arg = "EXPR", .kind = "text",
	  .target = STRING(struct event_select, filter),
	  .help = "record an event only if EXPR is true, in ftrace's syntax:\n"
		  "'next_pid == 1 || prev_comm ~ \"ssh*\"'; 0 removes the filter" },
	{ 0 }
};

const struct command command_enable = {
	.name		= "enable",
	.synopsis	= "[-B NAME] [--filter EXPR] EVENT...",
	.summary	= "Enable events",
	.options	= enable_options,
	.help		= NAMES,
	.run		= enable,
};

static int refuse_filter(const struct command *cmd, void *to, char *value)
{
	(void)to;
	(void)value;
	return usage_error(cmd, "--filter is an option of 'rbmap enable' only");
}

static const struct cli_option disable_options[] = {
	BUFFER_OPTION,
	{ .name = "filter", .arg = "EXPR", .kind = "text",
	  .target = { .set = refuse_filter } },
	{ 0 }
};

const struct command command_disable = {
	.name		= "disable",
	.synopsis	= "[-B NAME] EVENT...",
	.summary	= "Disable events",
	.options	= disable_options,
	.help		= NAMES,
	.run		= disable,
};
