// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "hints.h"

struct hint {
	const char *pattern;
	const char *instead;
};

static const struct hint commands[] = {
	{ "check", "'rbmap doctor' finds what keeps rbmap from working" },
	{ "clear", "'echo 1 > /sys/kernel/rbmap/reset' empties the rings" },
	{ "reset", "'echo 1 > /sys/kernel/rbmap/reset' empties the rings" },
	{ "dump", "'rbmap report' prints a recording" },
	{ "extract", "'rbmap snapshot' saves what the rings hold" },
	{ "filter", "'rbmap enable --filter EXPR EVENT' sets a filter" },
	{ "hist", "'rbmap report --json' is for programs that sum up events" },
	{ "script", "'rbmap report' prints a recording" },
	{ "show", "'rbmap stream --no-follow' prints what the rings hold" },
	{ "split", "'rbmap cut' writes a part of a recording" },
	{ "start", "'rbmap enable EVENT' starts recording into the rings" },
	{ "stop", "'rbmap disable EVENT' stops recording into the rings" },
	{ "trace", "'rbmap stream -e EVENT' prints events as they come" },
	{ NULL, NULL }
};

static const char no_probes[] =
	"make it with 'perf probe' or in tracefs (kprobe_events, uprobe_events), and name it here as SYSTEM:EVENT";
static const char no_tracers[] =
	"rbmap records events alone; trace-cmd and perf have tracers";
static const char no_counters[] =
	"rbmap records events alone; perf has counters";
static const char raw_syscalls[] =
	"raw_syscalls:sys_enter and raw_syscalls:sys_exit are all system calls, and --filter 'id == NUMBER' chooses one";

static const struct hint events[] = {
	{ "kprobe*", no_probes }, { "kretprobe*", no_probes },
	{ "uprobe*", no_probes }, { "uretprobe*", no_probes },
	{ "fprobe*", no_probes }, { "function", no_tracers },
	{ "function_graph", no_tracers }, { "ftrace:*", no_tracers },
	{ "cycles", no_counters }, { "instructions", no_counters },
	{ "cache-*", no_counters }, { "branch*", no_counters },
	{ "cpu-clock", no_counters }, { "task-clock", no_counters },
	{ "page-faults", no_counters }, { "faults", no_counters },
	{ "context-switches", no_counters }, { "cs", no_counters },
	{ "syscalls", raw_syscalls }, { "syscalls:*", raw_syscalls },
	{ "sys_enter_*", raw_syscalls }, { "sys_exit_*", raw_syscalls },
	{ NULL, NULL }
};

/* Options of trace-cmd's and perf's commands, by their letters or long names */
static const struct option_hint {
	const char *command, *option, *instead;
} options[] = {
	{ "record", "a", "all CPUs are recorded anyway, and --cpus chooses some: leave it out" },
	{ "record", "all-cpus", "all CPUs are recorded anyway, and --cpus chooses some: leave it out" },
	{ "record", "c", "-p PID follows the children of a process anyway: leave it out" },
	{ "record", "F", "-p PID records one process and its children alone" },
	{ "record", "g", "call stacks are not recorded; perf record -g has them" },
	{ "record", "i", "a pattern that fits no event is an error: leave it out" },
	{ "record", "l", "no functions are recorded; trace-cmd record -p function has them" },
	{ "record", "m", "-b SIZE sets the size of each CPU's ring, in KiB or as 8M" },
	{ "record", "n", "no functions are recorded; trace-cmd record -p function has them" },
	{ "record", "O", "ftrace's own options are in /sys/kernel/tracing" },
	{ "record", "P", "-p PID records a process" },
	{ "record", "s", "the recorder waits for data, and needs no interval: leave it out" },
	{ "record", "T", "call stacks are not recorded; trace-cmd record -T has them" },
	{ "record", "v", "name the events that are wanted; all others are left out" },
	{ "report", "f", "name the file alone: rbmap report FILE" },
	{ "report", "F", "--filter EXPR prints only events for which it is true, -e EVENT those of a name" },
	{ "report", "i", "name the file alone: rbmap report FILE" },
	{ "report", "l", "the columns are those of trace_pipe: leave it out" },
	{ "report", "O", "there are no options of plugins; --no-plugins leaves all out" },
	{ "report", "s", "rbmap latency --sort sorts sums" },
	{ "report", "t", "times are in microseconds; --json has nanoseconds" },
	{ "latency", "i", "name the file alone: rbmap latency FILE" },
	{ "latency", "s", "--sort KEY sorts: max, total, average, p99 or count" },
	{ "why", "i", "name the file alone: rbmap why FILE" },
	{ "convert", "i", "name the file alone: rbmap convert FILE" },
	{ "stream", "a", "all CPUs are shown anyway: leave it out" },
	{ "stream", "F", "-p PID chooses a process" },
	{ "stream", "P", "-p PID chooses a process" },
	{ "stream", "s", "lines come at once, and need no interval: leave it out" },
	{ "top", "a", "all CPUs are shown anyway: leave it out" },
	{ "top", "s", "the keys e, t and c show events, tasks and CPUs" },
	{ "list", "e", "all events are listed anyway: leave it out" },
	{ "list", "F", "-v EVENT prints the fields of an event" },
	{ "list", "f", "no functions are recorded" },
	{ "stat", "a", "all CPUs are counted anyway: leave it out" },
	{ "stat", "e", "rbmap top -e EVENT counts events" },
	{ NULL, NULL, NULL }
};

static const char *find(const struct hint *of, const char *name)
{
	for (; of->pattern; of++)
		if (!fnmatch(of->pattern, name, 0))
			return of->instead;
	return NULL;
}

const char *command_hint(const char *name)
{
	return find(commands, name);
}

const char *event_hint(const char *pattern)
{
	return find(events, pattern);
}

const char *option_hint(const char *command, int letter, const char *word)
{
	const char name[2] = { letter, '\0' };
	const char *wanted = strncmp(word, "--", 2) ? name : word + 2;

	for (const struct option_hint *o = options; o->command; o++)
		if (!strcmp(o->command, command) && !strcmp(o->option, wanted))
			return o->instead;
	return NULL;
}
