// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "command.h"

struct hint {
	const char *pattern;
	const char *instead;
};

static const struct hint commands[] = {
	{ "check-events", "'rbmap list -v' prints the fields of all events" },
	{ "check", "'rbmap doctor' finds what keeps rbmap from working" },
	{ "clear", "'echo 1 > /sys/kernel/rbmap/reset' empties the rings" },
	{ "data", "'rbmap convert' writes for other viewers, and 'rbmap report --json' JSON" },
	{ "dump", "'rbmap report' prints a recording" },
	{ "evlist", "'rbmap report' prints the events of a recording" },
	{ "extract", "'rbmap snapshot' saves what the rings hold" },
	{ "filter", "'rbmap enable --filter EXPR EVENT' sets a filter" },
	{ "ftrace", "'rbmap stream -e EVENT' prints events as they come" },
	{ "hist", "'rbmap latency --histogram' counts times, and 'rbmap top' events" },
	{ "listen", "'rbmap collect' receives recordings, and 'rbmap ship' sends them" },
	{ "lock", "'rbmap latency -k lock' sums up waits for locks" },
	{ "reset", "'echo 1 > /sys/kernel/rbmap/reset' empties the rings" },
	{ "restore", "'rbmap recover' completes a recording that was cut off" },
	{ "sched", "'rbmap latency' sums up waits of tasks, and 'rbmap why' explains one" },
	{ "script", "'rbmap report' prints a recording" },
	{ "show", "'rbmap stream --no-follow' prints what the rings hold" },
	{ "split", "'rbmap cut' writes a part of a recording" },
	{ "start", "'rbmap enable EVENT' starts recording into the rings" },
	{ "stop", "'rbmap disable EVENT' stops recording into the rings" },
	{ "timechart", "'rbmap report --html' draws a recording" },
	{ "trace", "'rbmap stream -e EVENT' prints events as they come" },
	/* tools of bpftrace and bcc */
	{ "biolatency", "'rbmap latency --live -k block-device --histogram' shows that" },
	{ "biosnoop", "'rbmap latency --live -k block-device --worst 100' shows that" },
	{ "cpudist", "'rbmap latency --live -k oncpu --histogram' shows that" },
	{ "execsnoop", "'rbmap stream -e sched_process_exec' shows that" },
	{ "hardirqs", "'rbmap latency --live -k irq' shows that" },
	{ "offcputime", "'rbmap latency --live -k offcpu' shows that" },
	{ "runqlat", "'rbmap latency --live -k runqueue --histogram' shows that" },
	{ "runqslower", "'rbmap latency --live -k runqueue --worst 100' shows that" },
	{ "softirqs", "'rbmap latency --live -k softirq' shows that" },
	{ "syscount", "'rbmap latency --live -k syscall' shows that" },
	{ "syscallcount", "'rbmap latency --live -k syscall' shows that" },
	{ "wakeuptime", "'rbmap latency --live -k offcpu --worst 100' shows who woke whom" },
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
	{ NULL, NULL }
};

/* For a kernel that has no events of system calls by name */
static const struct hint syscalls[] = {
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
	{ "record", "call-graph", "call stacks are not recorded; perf record -g has them" },
	{ "record", "D", "the recording begins at once: 'sleep' before it" },
	{ "record", "G", "--cgroup PATH records the tasks of a cgroup" },
	{ "record", "k", "-C NAME chooses the clock" },
	{ "record", "N", "-o - writes to standard output, which ssh can take" },
	{ "record", "R", "all fields are recorded anyway: leave it out" },
	{ "record", "switch-output", "--rotate LIMIT begins new files, and --keep N removes the oldest" },
	{ "record", "u", "--cgroup PATH or -p PID chooses tasks; there is no option for users" },
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
	{ "report", "a", "all CPUs are printed anyway, and --cpu chooses some: leave it out" },
	{ "report", "g", "call stacks are printed as events, if the recording has some: leave it out" },
	{ "report", "L", "times are those of the recording's clock; --wall has the time of day" },
	{ "report", "R", "--json has the values of all fields" },
	{ "report", "S", "--comm PATTERN prints only events of such tasks" },
	{ "report", "sort", "events are in the order of time; rbmap latency --sort sorts sums" },
	{ "report", "stat", "the sums are printed at the end: leave it out" },
	{ "report", "stdio", "the output is text anyway: leave it out" },
	{ "report", "T", "--relative prints the time since the first event" },
	{ "report", "tid", "--pid TASK prints only events of a task" },
	{ "report", "time", "--since TIME and --until TIME choose" },
	{ "report", "ts-diff", "--json has nanoseconds, to compute with" },
	{ "report", "v", "--filter '!(EXPR)' leaves out events" },
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
	{ "stat", "p", "rbmap top -p PID counts the events of a process" },
	{ "top", "d", "-i SECONDS is the time from one picture to the next" },
	{ "probe", "a", "rbmap probe add makes an event of a tracepoint; for a function: 'perf probe', then record it here" },
	{ "probe", "add", "rbmap probe add makes an event of a tracepoint; for a function: 'perf probe', then record it here" },
	{ "probe", "d", "rbmap probe remove removes one" },
	{ "probe", "del", "rbmap probe remove removes one" },
	{ "probe", "l", "rbmap probe list lists them" },
	{ "probe", "list", "rbmap probe list lists them" },
	{ "probe", "x", "make it with 'perf probe', and record it here as SYSTEM:EVENT" },
	{ "list", "l", "all events are listed anyway: leave it out" },
	{ "convert", "to-ctf", "babeltrace2 reads recordings with rbmap's plugin, and writes CTF" },
	{ "convert", "to-json", "rbmap report --json prints JSON" },
	{ "", "c", "rbmap record -e EVENT COMMAND records a command" },
	{ "", "e", "there is no language of programs; rbmap stream -e EVENT prints events, rbmap top counts them, rbmap latency sums up times" },
	{ "", "f", "--json is an option of the commands" },
	{ "", "l", "rbmap list PATTERN lists events" },
	{ "", "lv", "rbmap list -v PATTERN lists events with their fields" },
	{ "", "p", "rbmap stream -p PID and rbmap record -p PID choose a process" },
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

const char *syscall_hint(const char *pattern)
{
	return find(syscalls, pattern);
}

const char *option_hint(const char *command, int letter, const char *word)
{
	const char name[2] = { letter, '\0' };
	const char *wanted = letter && strncmp(word, "--", 2) ? name : word + strspn(word, "-");
	size_t len = strcspn(wanted, "=");

	for (const struct option_hint *o = options; o->command; o++)
		if (!strcmp(o->command, command) && strlen(o->option) == len &&
		    !strncmp(o->option, wanted, len))
			return o->instead;
	return NULL;
}
