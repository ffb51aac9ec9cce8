// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap latency: how long tasks wait for a CPU or do not run, and how long handlers,
 * system calls and disks take.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli.h"
#include "common/options.h"
#include "common/progress.h"
#include "intervals/intervals.h"
#include "kinds.h"
#include "show/crash_guard.h"
#include "show/input.h"
#include "summary.h"
#include "trace_dat/dat_comms.h"
#include "trace_dat/dat_read.h"
#include "view.h"

#define MAX_NAMES	64
#define DEFAULT_ROWS	10
#define DEFAULT_WORST	3
#define PROGRESS_EVENTS	4096	/* between two looks at the clock */

struct latency {
	struct input in;
	bool kind[NR_INTERVAL_KINDS];
	bool some_kinds;		/* the user has chosen some */
	bool has_key;
	enum row_key key;
	const char *name[MAX_NAMES];	/* patterns of --name */
	size_t nr_names;
	bool has_pid, has_cpu;
	uint64_t pid, cpu;
	uint64_t most_worst;
	bool as_json, relative, wall, utc;
	struct view view;

	struct intervals *intervals;
	struct summary summary[NR_INTERVAL_KINDS];
	bool failed;			/* memory was lacking */
	struct progress progress;
};

/* ---- options */
static int set_kind(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;

	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		if (!strcmp(kinds[kind].name, value)) {
			l->kind[kind] = true;
			l->some_kinds = true;
			return STATUS_OK;
		}
	return usage_error(cmd, "no kind '%s': runqueue, offcpu, irq, softirq, syscall, block-queue or block-device",
			   value);
}

static int set_key(const struct command *cmd, void *to, char *value)
{
	static const char *const key[] = { "task", "cpu", "name" };
	struct latency *l = to;

	for (unsigned int i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (!strcmp(key[i], value)) {
			l->key = i;
			l->has_key = true;
			return STATUS_OK;
		}
	return usage_error(cmd, "invalid --by '%s': task, cpu or name", value);
}

static int set_sort(const struct command *cmd, void *to, char *value)
{
	static const char *const sort[] = { "max", "total", "average", "p99", "count" };
	struct latency *l = to;

	for (unsigned int i = 0; i < sizeof(sort) / sizeof(sort[0]); i++)
		if (!strcmp(sort[i], value)) {
			l->view.sort = i;
			return STATUS_OK;
		}
	return usage_error(cmd, "invalid --sort '%s': max, total, average, p99 or count", value);
}

static int add_name(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;

	if (l->nr_names == MAX_NAMES)
		return usage_error(cmd, "option --name was given more than %d times", MAX_NAMES);
	l->name[l->nr_names++] = value;
	return STATUS_OK;
}

static int set_number(const struct command *cmd, const char *what, char *value, uint64_t most,
		      uint64_t *number)
{
	if (!parse_u64(value, number) || *number > most)
		return usage_error(cmd, "invalid %s '%s': 0 to %" PRIu64, what, value, most);
	return STATUS_OK;
}

static int set_pid(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;

	l->has_pid = true;
	return set_number(cmd, "pid", value, INT32_MAX, &l->pid);
}

static int set_cpu(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;

	l->has_cpu = true;
	return set_number(cmd, "CPU number", value, INT32_MAX, &l->cpu);
}

static int set_rows(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;

	return set_number(cmd, "number of rows", value, INT32_MAX, &l->view.rows);
}

static int set_worst(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;

	return set_number(cmd, "number of intervals", value, MOST_WORST, &l->most_worst);
}

static const struct cli_option options[] = {
	{ .name = "kind", .letter = 'k', .arg = "KIND", .kind = "text",
	  .target = { .set = set_kind },
	  .help = "show only KIND: runqueue, offcpu, irq, softirq, syscall,\n"
		  "block-queue or block-device; may be given more than once" },
	{ .name = "by", .arg = "KEY", .kind = "text", .target = { .set = set_key },
	  .help = "a row for each task, cpu or name: a name is the reason,\n"
		  "the handler, the system call or the device" },
	{ .name = "sort", .arg = "KEY", .kind = "text", .target = { .set = set_sort },
	  .help = "order of the rows: max, total, average, p99 or count (max)" },
	{ .name = "rows", .arg = "N", .kind = "number", .target = { .set = set_rows },
	  .help = "print at most N rows of a table (10); 0: all" },
	{ .name = "worst", .arg = "N", .kind = "number",
	  .target = { .set = set_worst },
	  .help = "print the N longest intervals of each kind (3)" },
	{ .name = "histogram", .target = FLAG(struct latency, view.histogram),
	  .help = "print how many intervals have which length" },
	{ .name = "name", .letter = 'n', .arg = "PATTERN", .kind = "text",
	  .target = { .set = add_name },
	  .help = "only intervals with such a name: 'uninterruptible*', futex;\n"
		  "may be given more than once" },
	{ .name = "pid", .letter = 'p', .arg = "PID", .kind = "pid",
	  .target = { .set = set_pid }, .help = "only intervals of this task" },
	{ .name = "cpu", .letter = 'c', .arg = "N", .kind = "number",
	  .target = { .set = set_cpu }, .help = "only intervals that end on CPU N" },
	{ .name = "json", .letter = 'j', .target = FLAG(struct latency, as_json),
	  .help = "print JSON" },
	{ .name = "wall", .letter = 'w', .target = FLAG(struct latency, wall),
	  .help = "print date and time of day" },
	{ .name = "utc", .target = FLAG(struct latency, utc),
	  .help = "print date and time of day as UTC" },
	{ .name = "relative", .target = FLAG(struct latency, relative),
	  .help = "print the time since the first event" },
	INPUT_TIME_OPTIONS(struct latency, "use"),
	{ 0 }
};

/* ---- intervals */
static bool has_name(const struct latency *l, const char *name)
{
	for (size_t i = 0; i < l->nr_names; i++)
		if (!fnmatch(l->name[i], name, 0))
			return true;
	return !l->nr_names;
}

static void add_interval(void *data, const struct interval *interval)
{
	struct latency *l = data;

	if (!l->kind[interval->kind] ||
	    (l->has_pid && (uint64_t)interval->pid != l->pid) ||
	    (l->has_cpu && (uint64_t)interval->cpu != l->cpu) || !has_name(l, interval->name))
		return;
	if (!summary_add(&l->summary[interval->kind], l->intervals, interval))
		l->failed = true;
}

static bool begin(struct latency *l)
{
	l->intervals = intervals_new(add_interval, l);
	for (int kind = 0; l->intervals && kind < NR_INTERVAL_KINDS; kind++)
		if (!summary_init(&l->summary[kind], kind,
				  l->has_key ? l->key : kinds[kind].key, l->most_worst))
			return false;
	return l->intervals;
}

/* Without --kind, the kinds are those that have intervals. */
static void end(struct latency *l)
{
	intervals_end(l->intervals);
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++) {
		const struct summary *s = &l->summary[kind];
		uint64_t discarded = intervals_discarded(l->intervals, kind);

		l->view.discarded[kind] = discarded;
		if (l->kind[kind] && (l->some_kinds || s->all.count || s->unfinished ||
				      discarded))
			l->view.summary[kind] = s;
	}
}

static void add_lost(struct latency *l, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN)
		l->view.lost_unknown = true;
	else
		l->view.lost += lost;
}

/* ---- a recording */
static void add_comm(void *data, int pid, const char *comm)
{
	intervals_add_comm(data, pid, comm);
}

static bool load(struct latency *l)
{
	const struct dat_text *formats;
	size_t nr = dat_formats(l->in.reader, &formats);

	for (size_t i = 0; i < nr; i++)
		if (intervals_add_format(l->intervals, formats[i].system, formats[i].text,
					 formats[i].size))
			return false;
	dat_each_comm(l->in.reader, add_comm, l->intervals);
	return true;
}

/* The user has chosen a kind: its events must have been recorded. */
static bool check_kinds(struct latency *l)
{
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++) {
		if (!l->some_kinds)
			l->kind[kind] = true;
		if (!l->some_kinds || !l->kind[kind] ||
		    intervals_has_kind(l->intervals, kind))
			continue;
		complain("%s has no events for the kind %s: record -e %s -e %s",
			 l->in.path, kinds[kind].name, kinds[kind].events[0],
			 kinds[kind].events[1]);
		return false;
	}
	return true;
}

static void show_progress(struct latency *l)
{
	if (progress_due(&l->progress))
		progress_show(&l->progress, "%s: %.0f %%, %" PRIu64 " events", l->in.path,
			      100 * dat_done(l->in.reader), l->view.events);
}

/* Return 0, or an error of dat_next(). */
static int read_events(struct latency *l)
{
	struct rbmap_event ev;
	bool first = true;
	int ret;

	while ((ret = dat_next(l->in.reader, &ev)) == 1 && ev.ts <= l->in.to) {
		if (first && l->relative)
			l->in.time.ring = ev.ts;
		first = false;
		if (ev.ts < l->in.from)
			continue;
		if (!(++l->view.events % PROGRESS_EVENTS))
			show_progress(l);
		add_lost(l, ev.lost);
		if (intervals_event(l->intervals, &ev) || l->failed)
			return -ENOMEM;
	}
	for (unsigned int cpu = 0; !ret && !l->in.until && cpu < dat_cpus(l->in.reader); cpu++)
		add_lost(l, dat_lost_last(l->in.reader, cpu));
	return ret < 0 ? ret : 0;
}

static bool print(struct latency *l)
{
	l->view.time = l->in.time;
	return l->as_json ? view_json(&l->view, dat_clock(l->in.reader)) : view_text(&l->view);
}

static int run(void *arg)
{
	enum time_style style;
	struct latency *l = arg;
	int ret, status;

	status = input_open(&l->in);
	if (status)
		return status;
	progress_begin(&l->progress);
	if (!begin(l) || !load(l))
		return input_failed(&l->in, -ENOMEM);
	style = l->relative ? TIME_RELATIVE : l->utc ? TIME_WALL_UTC : l->wall ? TIME_WALL :
		TIME_RING;
	if (!check_kinds(l) || !input_set_times(&l->in, style))
		return STATUS_ERROR;
	ret = read_events(l);
	progress_end(&l->progress);
	if (ret)
		return input_failed(&l->in, ret);
	end(l);
	if (l->failed || !print(l))
		return input_failed(&l->in, -ENOMEM);
	if (fflush(stdout) || ferror(stdout))
		return STATUS_ERROR;	/* finish_stdout() reports the cause */
	fprintf(stderr, "%" PRIu64 " events, %s%" PRIu64 " lost\n", l->view.events,
		l->view.lost_unknown ? "more than " : "", l->view.lost);
	return input_tell_damage(&l->in, "used");
}

static int latency(int argc, char **argv)
{
	static struct latency l = {
		.in.path = DEFAULT_INPUT,
		.most_worst = DEFAULT_WORST,
		.view.rows = DEFAULT_ROWS,
	};
	int status;

	if (!parse_options(&command_latency, argc, argv, &l, &status))
		return status;
	if (l.relative + l.wall + l.utc > 1)
		return usage_error(&command_latency,
				   "--wall, --utc and --relative exclude each other");
	if (optind < argc)
		l.in.path = argv[optind++];
	if (optind < argc)
		return usage_error(&command_latency, "unexpected argument '%s': latency reads one recording",
				   argv[optind]);
	status = crash_guard(run, &l);
	if (status >= 0)
		return status;
	complain("%s is damaged: it contains an invalid event format", l.in.path);
	return STATUS_CUT;
}

const struct command command_latency = {
	.name		= "latency",
	.synopsis	= "[-k KIND]... [--by KEY] [--sort KEY] [--rows N]\n"
			  "                     [--worst N] [--histogram] [-n PATTERN]... [-p PID]\n"
			  "                     [-c N] [--wall | --utc | --relative] [--since TIME]\n"
			  "                     [--until TIME] [--json] [FILE]",
	.summary	= "Show how long tasks, interrupts and disks took",
	.options	= options,
	.help		=
	"FILE is a recording, as for 'rbmap report'; default: " DEFAULT_INPUT "; -: standard input.\n"
	"The table of a kind has the number of intervals, the sum, the average, the\n"
	"lengths that 50, 99 and 99.9 % of them do not exceed, the longest one, and when\n"
	"that began. An interval in which events were lost is left out and counted.\n"
	"Exit status 3: the recording is truncated or damaged; its readable events were\n"
	"used.\n",
	.run		= latency,
};
