// SPDX-License-Identifier: GPL-2.0-only
/* rbmap stat: print the counters of each CPU. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/complain.h"
#include "base/json.h"
#include "base/terminal.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"
#include "kernel/selfcost.h"

extern const struct command command_stat;

/* A column. A table ends with an empty one, and fits 80 columns of a terminal. */
struct column {
	enum cpustat stat;
	const char *title;
};

static const struct column events[] = {
	{ CPUSTAT_EMITTED,	"EMITTED" },
	{ CPUSTAT_READ,		"READ" },
	{ CPUSTAT_UNREAD,	"UNREAD" },
	{ CPUSTAT_LOST,		"LOST" },
	{ CPUSTAT_DISABLED,	"DISABLED" },
	{ CPUSTAT_DISCARDED,	"DISCARDED" },
	{ 0 }
};

/* The sum of these columns and of MISSED is LOST. */
static const struct column causes[] = {
	{ CPUSTAT_OVERRUN,	"OVERWRITTEN" },
	{ CPUSTAT_FULL,		"FULL" },
	{ CPUSTAT_LAPPED,	"LAPPED" },
	{ CPUSTAT_NESTED,	"NESTED" },
	{ CPUSTAT_TOO_LARGE,	"TOO-LARGE" },
	{ CPUSTAT_NO_RING,	"NO-RING" },
	{ 0 }
};

/* The kernel had no record of these, so that they came to no ring. */
static const struct column missed[] = {
	{ CPUSTAT_MISSED,	"MISSED" },
	{ 0 }
};

/* Not lost: recorders have left these out. */
static const struct column excluded[] = {
	{ CPUSTAT_EXCLUDED,	"EXCLUDED" },
	{ 0 }
};

#define COLUMN_WIDTH	11

static void print_head(const struct column *c, const char *name)
{
	printf("%s%-5s", colour_begin(COLOUR_HEADING), name);
	for (; c->title; c++)
		printf(" %*s", COLUMN_WIDTH, c->title);
	printf("%s\n", colour_end(COLOUR_HEADING));
}

/* LOST, and its causes */
static bool is_loss(const struct column *table, const struct column *c)
{
	return table == causes || table == missed || c->stat == CPUSTAT_LOST;
}

static void print_row(const struct column *table, const char *name,
		      const uint64_t *value)
{
	printf("%-5s", name);
	for (const struct column *c = table; c->title; c++) {
		uint64_t v = value[c->stat];
		enum colour colour = colour_if(v && is_loss(table, c), COLOUR_BAD);

		printf(" %s%*" PRIu64 "%s", colour_begin(colour), COLUMN_WIDTH, v,
		       colour_end(colour));
	}
	putchar('\n');
}

static void print_cpu_row(const struct column *c, const struct cpustats *v)
{
	char name[32];

	snprintf(name, sizeof(name), "%u", v->cpu);
	print_row(c, name, v->value);
}

/* Print a table of the CPUs that have counted something as @stat. */
static void print_more(const struct cpustats *v, size_t nr, const uint64_t *sum,
		       const struct column *table, const char *name, enum cpustat stat)
{
	if (!sum[stat])
		return;
	putchar('\n');
	print_head(table, name);
	for (size_t i = 0; i < nr; i++)
		if (v[i].value[stat])
			print_cpu_row(table, &v[i]);
	print_row(table, "sum", sum);
}

/* Further tables have the causes of losses, and what was left out. */
static void print_text(const struct cpustats *v, size_t nr)
{
	uint64_t sum[NR_CPUSTATS] = { 0 };

	print_head(events, "CPU");
	for (size_t i = 0; i < nr; i++) {
		print_cpu_row(events, &v[i]);
		for (int s = 0; s < NR_CPUSTATS; s++)
			sum[s] += v[i].value[s];
	}
	print_row(events, "sum", sum);
	print_more(v, nr, sum, causes, "LOST", CPUSTAT_LOST);
	print_more(v, nr, sum, missed, "LOST", CPUSTAT_MISSED);
	print_more(v, nr, sum, excluded, "CPU", CPUSTAT_EXCLUDED);
}

static void print_json(const struct cpustats *v, size_t nr, bool compact)
{
	struct json j = { .out = stdout, .compact = compact };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < nr; i++) {
		json_open(&j, NULL, '{');
		json_unsigned(&j, "cpu", v[i].cpu);
		for (int s = 0; s < NR_CPUSTATS; s++)
			json_unsigned(&j, cpustat_name(s), v[i].value[s]);
		json_close(&j, '}');
	}
	json_close(&j, ']');
}

static volatile sig_atomic_t interrupted;

static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/*
 * Print the changes since @old. Return the present counters, which the caller frees, or
 * NULL after an error.
 */
static struct cpustats *print_changes(const struct cpustats *old, size_t nr_old, size_t *nr,
				      bool as_json)
{
	struct cpustats *now = cpustats_read(nr);
	struct cpustats *change = malloc(*nr * sizeof(*change) + 1);

	if (!now || !change) {
		free(now);
		free(change);
		return NULL;
	}
	memcpy(change, now, *nr * sizeof(*change));
	cpustats_subtract(change, *nr, old, nr_old);
	if (as_json)
		print_json(change, *nr, true);
	else
		print_text(change, *nr);
	free(change);
	return now;
}

static int repeat(double seconds, bool as_json)
{
	struct timespec pause = {
		.tv_sec = seconds,
		.tv_nsec = (seconds - floor(seconds)) * 1e9,
	};
	/* The first signal lets a write end, and a second one ends the command. */
	struct sigaction act = {
		.sa_handler = interrupt, .sa_flags = SA_RESTART | SA_RESETHAND,
	};
	struct cpustats *old, *now;
	size_t nr_old, nr;

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	old = cpustats_read(&nr_old);
	while (old && !interrupted && !nanosleep(&pause, NULL)) {
		now = print_changes(old, nr_old, &nr, as_json);
		free(old);
		old = now;
		nr_old = nr;
		if (!old || fflush(stdout))
			break;
		if (!as_json)
			putchar('\n');
	}
	if (!old)
		return STATUS_ERROR;
	free(old);
	return STATUS_OK;
}

static int self_cost(bool as_json)
{
	struct selfcost *sum = calloc(SELFCOST_CONTEXTS, sizeof(*sum));
	int status = STATUS_ERROR;
	struct cpustats *v = NULL;
	uint64_t on;
	size_t nr;

	if (!sum || !(v = cpustats_read(&nr)) || !selfcost_read(sum, v, nr))
		goto out;
	if (!control_read_u64("/self_cost", &on) && !on)
		complain("self_cost is off: echo 1 >/sys/kernel/rbmap/self_cost switches it on");
	if (as_json)
		selfcost_print_json(sum, stdout);
	else
		selfcost_print(sum, stdout);
	status = STATUS_OK;
out:
	free(v);
	free(sum);
	return status;
}

struct stat_options {
	bool as_json;
	bool self_cost;
	double seconds;		/* 0: print once */
};

static const struct cli_option options[] = {
	BUFFER_OPTION,
	JSON_OPTION(struct stat_options, as_json),
	{ .name = "interval", .letter = 'i', .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct stat_options, seconds),
	  .help = "print the differences every SECONDS, until Ctrl-C;\n"
		  "with --json one array per line" },
	{ .name = "self-cost", .target = FLAG(struct stat_options, self_cost),
	  .help = "print the time that rbmap's own probes take, in ns, by\n"
		  "context; /sys/kernel/rbmap/self_cost must be 1" },
	{ 0 }
};

static int stat(int argc, char **argv)
{
	const struct command *cmd = &command_stat;
	struct stat_options o = { 0 };
	struct cpustats *v;
	int status;
	size_t nr;

	if (!parse_options(cmd, argc, argv, &o, &status))
		return status;
	if (optind < argc)
		return usage_error(cmd, "unexpected argument '%s': give an interval with -i",
				   argv[optind]);
	if (o.self_cost && o.seconds)
		return usage_error(cmd, "--self-cost and -i exclude each other: self-cost is a total, not a rate");
	if (o.self_cost)
		return self_cost(o.as_json);
	if (o.seconds)
		return repeat(o.seconds, o.as_json);
	v = cpustats_read(&nr);
	if (!v)
		return STATUS_ERROR;
	if (o.as_json)
		print_json(v, nr, false);
	else
		print_text(v, nr);
	free(v);
	return STATUS_OK;
}

const struct command command_stat = {
	.name		= "stat",
	.synopsis	= "[-B NAME] [--json] [-i SECONDS] [--self-cost]",
	.summary	= "Show the events that each CPU wrote, read and lost, with causes",
	.options	= options,
	.help		=
	"LOST is the number of lost events. Further tables have the causes, if there are\n"
	"lost events:\n"
	"  OVERWRITTEN  overwritten before a reader read them\n"
	"  FULL         dropped because the ring was full (overwrite is 0)\n"
	"  LAPPED       dropped because interrupts filled the ring during one event\n"
	"  NESTED       dropped because events nested too deep\n"
	"  TOO-LARGE    dropped because they do not fit into a sub-buffer\n"
	"  NO-RING      dropped because there was no memory for the CPU's ring\n"
	"  MISSED       the kernel had no record of its own event\n"
	"DISABLED counts events while tracing_on was 0, and those of CPUs that\n"
	"tracing_cpumask leaves out. DISCARDED counts unread events that a reset or a\n"
	"new recording threw away. LOST does not include either. A reset sets all\n"
	"counters but DISCARDED to 0.\n",
	.run		= stat,
};
