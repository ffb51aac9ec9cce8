// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stddef.h>

#include "foreign.h"

struct foreign {
	const char *pattern;
	const char *instead;
};

static const struct foreign commands[] = {
	{ "check", "'rbmap doctor' finds what keeps rbmap from working" },
	{ "clear", "'echo 1 > /sys/kernel/rbmap/reset' empties the rings" },
	{ "reset", "'echo 1 > /sys/kernel/rbmap/reset' empties the rings" },
	{ "dump", "'rbmap report' prints a recording" },
	{ "extract", "'rbmap snapshot' saves what the rings hold" },
	{ "filter", "'rbmap enable --filter EXPR EVENT' sets a filter" },
	{ "hist", "'rbmap report --json' is for programs that sum up events" },
	{ "script", "'rbmap report' prints a recording" },
	{ "show", "'rbmap stream --no-follow' prints what the rings hold" },
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

static const struct foreign events[] = {
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

static const char *find(const struct foreign *of, const char *name)
{
	for (; of->pattern; of++)
		if (!fnmatch(of->pattern, name, 0))
			return of->instead;
	return NULL;
}

const char *foreign_command(const char *name)
{
	return find(commands, name);
}

const char *foreign_event(const char *pattern)
{
	return find(events, pattern);
}
