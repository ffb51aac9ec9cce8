// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap latency: how long tasks wait for a CPU or do not run, and how long handlers,
 * system calls and disks take.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "input/crash_guard.h"
#include "intervals/summary/kinds.h"
#include "measure.h"

extern const struct command command_latency;

#define DEFAULT_ROWS	10
#define DEFAULT_WORST	3

static int set_kind(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;

	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		if (!strcmp(kinds[kind].name, value)) {
			l->kind[kind] = true;
			l->some_kinds = true;
			return STATUS_OK;
		}
	return usage_error(cmd, "no kind '%s': runqueue, offcpu, irq, softirq, syscall, block-queue, block-device, hrtimer, timer, workqueue, lock, reclaim, fault, throttled, irqs-off or oncpu",
			   value);
}

static int set_key(const struct command *cmd, void *to, char *value)
{
	struct latency *l = to;
	int choice = 0, status;

	status = choose_one(cmd, "--by", value, row_key_names, NR_ROW_KEYS, &choice);

	if (status)
		return status;
	l->key = choice;
	l->has_key = true;
	return STATUS_OK;
}

static int set_sort(const struct command *cmd, void *to, char *value)
{
	static const char *const sort[] = { "max", "total", "average", "p99", "count" };
	struct latency *l = to;
	int choice = 0, status = choose_one(cmd, "--sort", value, sort, 5, &choice);

	if (!status)
		l->view.sort = choice;
	return status;
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
	{ .name = "kind", .letter = 'k', .arg = "KIND",
	  .kind = "runqueue,offcpu,irq,softirq,syscall,block-queue,block-device,hrtimer,timer,"
		  "workqueue,lock,reclaim,fault,throttled,irqs-off,oncpu",
	  .target = { .set = set_kind },
	  .help = "show only KIND: runqueue, offcpu, irq, softirq, syscall,\n"
		  "block-queue, block-device, hrtimer, timer, workqueue, lock,\n"
		  "reclaim, fault, throttled, irqs-off or oncpu; may be given more than once" },
	{ .name = "by", .arg = "KEY", .kind = "task,cpu,cgroup,name", .target = { .set = set_key },
	  .help = "a row for each task, cpu, cgroup or name: a name is the\n"
		  "reason, the handler, the system call or the device" },
	{ .name = "all", .letter = 'a', .target = FLAG(struct latency, shows_all),
	  .help = "also the sleeps of kernel threads without work, and\n"
		  "rbmap's own threads" },
	{ .name = "sort", .arg = "KEY", .kind = "max,total,average,p99,count",
	  .target = { .set = set_sort },
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
	RESULT_SELECTION_OPTIONS(struct latency, "intervals"),
	{ .name = "json", .letter = 'j', .target = FLAG(struct latency, as_json),
	  .help = "print JSON" },
	INPUT_BUFFER_OPTION(struct latency, "use"),
	INPUT_TIME_OPTIONS(struct latency, "use"),
	{ .name = "live", .letter = 'l', .target = FLAG(struct latency, is_live),
	  .help = "use the kernel's events from now on, until Ctrl-C" },
	{ .name = "duration", .letter = 'd', .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct latency, seconds),
	  .help = "end after SECONDS; with --live" },
	PRIVATE_BUFFER_OPTIONS(struct latency),
	{ 0 }
};

static int run(void *l)
{
	return latency_of_recording(l);
}

/* The output comes at the end, where no format is used. */
static bool again(void *l)
{
	(void)l;
	return true;
}

/* The CPUs that are recorded are those that are shown. */
static int choose_cpus(struct latency *l)
{
	char *list = (char *)l->own.cpus;
	int status = list ? selection_add_cpus(&command_latency, &l->in.selection, list) :
			    STATUS_OK;

	if (!l->is_live)
		l->own.cpus = NULL;
	return status;
}

static int check(struct latency *l)
{
	const struct private_buffer *own = &l->own;
	int status = input_check_times(&l->in, &command_latency);

	if (!status)
		status = choose_cpus(l);
	if (status)
		return status;
	if (l->is_live && (l->in.selection.events.nr || l->in.selection.filter ||
			   l->in.selection.nr_cgroups))
		return usage_error(&command_latency,
				   "--event, --filter and --cgroup are for a recording: without --live");
	if (l->is_live && (l->in.since || l->in.until))
		return usage_error(&command_latency,
				   "--since and --until are for a recording: without --live");
	if (l->is_live && l->in.buffer)
		return usage_error(&command_latency, "--buffer is for a recording: without --live");
	if (!l->is_live && (l->seconds || own->use_default || own->size_kb || own->subbuf_kb ||
			    own->clock || own->records_self))
		return usage_error(&command_latency,
				   "-d, --default, -b, --subbuf, -C and --self need --live");
	return private_buffer_check(own, &command_latency);
}

static int latency(int argc, char **argv)
{
	static struct latency l = {
		.in.path = DEFAULT_INPUT,
		.most_worst = DEFAULT_WORST,
		.view.rows = DEFAULT_ROWS,
	};
	struct crash_guard guard = { .run = run, .again = again, .arg = &l, .command = &command_latency };
	int status;

	if (!parse_options(&command_latency, argc, argv, &l, &status))
		return status;
	status = check(&l);
	if (status)
		return status;
	if (optind < argc && !l.is_live)
		l.in.path = argv[optind++];
	if (optind < argc)
		return usage_error(&command_latency, "unexpected argument '%s': latency reads one recording, or the kernel's events",
				   argv[optind]);
	if (l.is_live)
		return latency_of_kernel(&l);
	status = input_open(&l.in);
	if (status)
		return status;
	guard.path = &l.in.path;
	guard.nr_paths = 1;
	status = crash_guard(&guard);
	return status == CRASH_GUARD_FAILED ? STATUS_CUT : status;
}

const struct command command_latency = {
	.name		= "latency",
	.synopsis	= "[-k KIND]... [--all] [--by KEY] [--sort KEY] [--rows N]\n"
			  "                     [--worst N] [--histogram] [-n PATTERN]...\n"
			  "                     [-p TASK]... [--comm PATTERN]... [--cgroup GROUP]...\n"
			  "                     [-c LIST]... [-e EVENT]... [--filter EXPR] [--buffer NAME]\n"
			  "                     [--wall | --utc | --relative]\n"
			  "                     [--json] [--since TIME] [--until TIME] [FILE]\n"
			  "       rbmap latency --live [-d SECONDS] [-b SIZE] [--subbuf SIZE] [-C NAME]\n"
			  "                     [--cpus LIST] [--default] [--self] [OPTION]...",
	.summary	= "Show how long tasks, interrupts and disks took",
	.options	= options,
	.help		=
	"FILE is a recording, as for 'rbmap report'; default: " DEFAULT_INPUT "; -: standard input.\n"
	"With --live the events that the kinds need go to a buffer of the command's own.\n"
	"The table of a kind has the number of intervals, the sum, the average, the\n"
	"lengths that 50, 99 and 99.9 % of them do not exceed, the longest one, and when\n"
	"that began. An interval in which events were lost is left out and counted.\n"
	"Exit status 3: the recording is truncated or damaged; its readable events were\n"
	"used.\n",
	.run		= latency,
};
