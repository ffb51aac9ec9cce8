// SPDX-License-Identifier: GPL-2.0-only
/* rbmap top: which events, tasks and CPUs write most, and what is lost. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "follow.h"
#include "kernel/control.h"

extern const struct command command_top;

#define DEFAULT_INTERVAL	1.0	/* s */
#define DEFAULT_ROWS		20

static int set_key(const struct command *cmd, void *to, char *value)
{
	struct top *top = to;

	return choose_one(cmd, "--by", value, row_key_name, NR_ROW_KEYS, &top->view.key);
}

static int set_sort(const struct command *cmd, void *to, char *value)
{
	struct top *top = to;

	return choose_one(cmd, "--sort", value, row_sort_name, NR_ROW_SORTS, &top->view.sort);
}

static int set_search(const struct command *cmd, void *to, char *value)
{
	struct top *top = to;

	if (strlen(value) >= SEARCH_SIZE)
		return usage_error(cmd, "--search takes at most %d bytes", SEARCH_SIZE - 1);
	strcpy(top->view.search, value);
	return STATUS_OK;
}

static int set_number(const struct command *cmd, void *to, char *value)
{
	uint64_t *number = to;

	if (!parse_u64(value, number) || *number > INT32_MAX)
		return usage_error(cmd, "invalid number '%s': 0 to %d", value, INT32_MAX);
	return STATUS_OK;
}

static const struct cli_option options[] = {
	BUFFER_OPTION,
	{ .name = "event", .letter = 'e', .arg = "EVENT", .kind = "event",
	  .target = PATTERNS(struct top, live.patterns),
	  .help = "count EVENT (SYSTEM:EVENT, wildcards allowed); may be given\n"
		  "more than once (sched and irq)" },
	{ .name = "filter", .arg = "EXPR", .kind = "text",
	  .target = STRING(struct top, live.event_select.filter),
	  .help = "count an EVENT only if EXPR is true, in ftrace's syntax" },
	{ .name = "pid", .letter = 'p', .arg = "PID", .kind = "pid",
	  .target = PIDS(struct top, live.event_select),
	  .help = "count only events of this process and its children;\n"
		  "may be given more than once" },
	CGROUP_OPTIONS(struct top, live.event_select),
	{ .name = "interval", .letter = 'i', .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct top, view.interval),
	  .help = "time from one picture to the next (1)" },
	{ .name = "by", .arg = "KEY", .kind = "event,task,cpu,cgroup", .target = { .set = set_key },
	  .help = "a row for each event, task, cpu or cgroup (event)" },
	{ .name = "sort", .arg = "KEY", .kind = "rate,name", .target = { .set = set_sort },
	  .help = "order of the rows: rate or name (rate)" },
	{ .name = "search", .arg = "TEXT", .kind = "text", .target = { .set = set_search },
	  .help = "show only rows with TEXT in their name" },
	{ .name = "count", .letter = 'n', .arg = "N", .kind = "number",
	  .target = OPTION_TO(set_number, uint64_t, struct top, pictures),
	  .help = "end after N pictures; 0: at Ctrl-C (0)" },
	{ .name = "self-cost", .target = FLAG(struct top, self_cost),
	  .help = "measure the time that rbmap's own probes take" },
	{ .name = "batch", .target = FLAG(struct top, batch),
	  .help = "print text, for a file or a pipe" },
	{ .name = "rows", .arg = "N", .kind = "number",
	  .target = OPTION_TO(set_number, uint64_t, struct top, rows),
	  .help = "rows of a picture with --batch; 0: all (20)" },
	{ .name = "json", .letter = 'j', .target = FLAG(struct top, as_json),
	  .help = "print a line of JSON for each interval" },
	PRIVATE_BUFFER_OPTIONS(struct top),
	{ 0 }
};

/* An own buffer needs events. Those of another buffer belong to its reader. */
static void choose_events(struct top *top)
{
	static char sched[] = "sched", irq[] = "irq";
	struct patterns *patterns = &top->live.patterns;

	if (control_buffer())
		top->own.use_default = true;
	top->live.own = &top->own;
	top->live.observe = top->own.use_default;
	top->live.survives = true;
	if (patterns->nr || top->own.use_default)
		return;
	patterns->pattern[patterns->nr++] = sched;
	patterns->pattern[patterns->nr++] = irq;
}

static bool begin(struct top *top)
{
	char *clocks;

	if (!live_events_open(&top->live) || !control_has_formats())
		return false;
	live_events_tell_selection(&top->live);
	clocks = control_read("trace_clock");
	/* Threads that exist by then are left out of an own buffer. */
	if (clocks && private_buffer_is_private(&top->own))
		top->comm_events = comm_events_begin(control_clock_of(clocks));
	free(clocks);
	return live_events_enable(&top->live) && top_begin(top);
}

static bool measure_probes(bool on)
{
	return control_set("/self_cost", on ? "1" : "0");
}

/* Return whether the command must end the measurement that it begins. */
static bool begin_self_cost(const struct top *top)
{
	uint64_t on;

	return top->self_cost && !control_read_u64("/self_cost", &on) && !on &&
	       measure_probes(true);
}

static int run(struct top *top)
{
	struct live_loss loss;
	bool measures, ok;

	live_events_catch_signals();
	choose_events(top);
	ok = begin(top);
	measures = ok && begin_self_cost(top);
	ok = ok && top_follow(top);
	if (measures)
		measure_probes(false);
	live_events_disable(&top->live);
	top_end(top);
	if (ok) {
		loss = live_events_loss(&top->live);
		ok = live_events_print_loss(&top->live, top->all_read, &loss);
	}
	live_events_close(&top->live);
	return ok ? finish_stdout(STATUS_OK) : STATUS_ERROR;
}

static int top(int argc, char **argv)
{
	static struct top top = { .view.interval = DEFAULT_INTERVAL, .rows = DEFAULT_ROWS };
	const struct command *cmd = &command_top;
	int status;

	if (!parse_options(cmd, argc, argv, &top, &status))
		return status;
	if (optind < argc)
		return usage_error(cmd, "unexpected argument '%s': -e names events, -i an interval",
				   argv[optind]);
	if (top.live.event_select.filter && !top.live.patterns.nr)
		return usage_error(cmd, NO_FILTER_EVENTS);
	top.batch |= top.as_json;
	status = private_buffer_check(&top.own, cmd);
	return status ? status : run(&top);
}

const struct command command_top = {
	.name		= "top",
	.synopsis	= "[-e EVENT]... [--filter EXPR] [-p PID]... [--cgroup PATH]...\n"
			  "                 [--unit NAME]... [--container NAME]... [-i SECONDS]\n"
			  "                 [--by KEY] [--sort KEY] [--search TEXT] [-n N]\n"
			  "                 [--self-cost] [--batch [--rows N] | --json] [-B NAME]\n"
			  "                 [-b SIZE] [--subbuf SIZE] [-C NAME] [--cpus LIST]\n"
			  "                 [--default] [--self]",
	.summary	= "Show which events, tasks and CPUs write most, and what is lost",
	.options	= options,
	.help		=
	"The events go to a buffer of the command's own. With -B and --default the\n"
	"command observes a buffer, and leaves the events to its reader.\n"
	"\n"
	"Keys: e, t and c choose a row for each event, task or CPU; s the order; / a text\n"
	"to search for; space pauses; + and - change the interval; h shows all keys; q\n"
	"quits. At the end the command prints how many events were read and lost.\n",
	.run		= top,
};
