// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap report: print a recording as text, in the format of trace-cmd report.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli.h"
#include "common/control.h"
#include "common/json.h"
#include "common/options.h"
#include "common/progress.h"
#include "crash_guard.h"
#include "report_json.h"
#include "text.h"
#include "trace_dat/dat_read.h"

#define MAX_CPUS	64	/* --cpu options */
#define DEFAULT_INPUT	"trace.dat"
#define NAME_WIDTH	20
#define WRITE_SIZE	65536
#define PROGRESS_EVENTS	4096	/* between two looks at the clock */

struct report {
	const char *input;
	struct patterns patterns;
	uint64_t cpu[MAX_CPUS];
	size_t nr_cpus;
	bool as_json;
	bool no_plugins;

	struct dat_reader *reader;
	struct text *text;
	struct buf out;		/* text that is not written yet */
	struct buf body;	/* text of an event, for report_json_event() */
	uint64_t events;
	uint64_t lost;
	bool lost_unknown;	/* more than the number that is known */
	struct progress progress;
};

static int add_cpu(const struct command *cmd, void *to, char *value)
{
	struct report *r = to;

	if (r->nr_cpus == MAX_CPUS)
		return usage_error(cmd, "option --cpu was given more than %d times",
				   MAX_CPUS);
	if (!parse_u64(value, &r->cpu[r->nr_cpus++]))
		return usage_error(cmd, "invalid CPU number '%s'", value);
	return STATUS_OK;
}

static const struct cli_option options[] = {
	{ .name = "event", .letter = 'e', .arg = "EVENT", .kind = "event",
	  .target = PATTERNS(struct report, patterns),
	  .help = "print only EVENT (SYSTEM:EVENT, wildcards allowed); may be\n"
		  "given more than once" },
	{ .name = "cpu", .letter = 'c', .arg = "N", .kind = "number",
	  .target = { .set = add_cpu },
	  .help = "print only events of CPU N; may be given more than once" },
	{ .name = "json", .letter = 'j', .target = FLAG(struct report, as_json),
	  .help = "print one JSON object per line" },
	{ .name = "no-plugins", .letter = 'N',
	  .target = FLAG(struct report, no_plugins),
	  .help = "print each event by its format alone, without the plugins\n"
		  "of libtraceevent" },
	{ 0 }
};

/* Read the formats and the names of threads. */
static void add_cmdlines(struct report *r)
{
	const struct dat_text *cmdlines = dat_cmdlines(r->reader);
	char *line, *end, *comm;
	long pid;

	for (line = cmdlines->text; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		pid = strtol(line, &comm, 10);
		if (comm != line && *comm == ' ' && pid > 0 && pid <= INT32_MAX)
			text_add_comm(r->text, pid, comm + 1);
	}
}

static int load_text(struct report *r)
{
	const struct dat_text *formats, *kallsyms = dat_kallsyms(r->reader);
	size_t nr = dat_formats(r->reader, &formats);
	const char *clock = dat_clock(r->reader);

	r->text = text_new();
	if (!r->text)
		return -ENOMEM;
	/* The layout of trace-cmd report */
	text_set_layout(r->text, 5, false, NAME_WIDTH);
	if (!r->no_plugins)
		text_load_plugins(r->text);
	/* An event whose format cannot be parsed is printed as bytes. */
	for (size_t i = 0; i < nr; i++)
		text_add_format(r->text, formats[i].system, formats[i].text,
				formats[i].size);
	/* A thread has one name in the whole report, as in trace-cmd's. */
	add_cmdlines(r);
	text_comm_keep(r->text, true);
	if (kallsyms->size)
		text_set_kallsyms(r->text, kallsyms->text, kallsyms->size);
	text_time_is_counter(r->text, clock && (!strcmp(clock, "x86-tsc") ||
						!strcmp(clock, "counter")));
	return 0;
}

/* ---- events */
static bool wanted_cpu(const struct report *r, int cpu)
{
	for (size_t i = 0; i < r->nr_cpus; i++)
		if (r->cpu[i] == (uint64_t)cpu)
			return true;
	return !r->nr_cpus;
}

static bool wanted(const struct report *r, const struct rbmap_event *ev)
{
	const char *system, *name;

	if (!r->patterns.nr)
		return true;
	system = text_event_system(r->text, ev);
	name = text_event_name(r->text, ev);
	for (size_t i = 0; name && i < r->patterns.nr; i++)
		if (control_match(r->patterns.pattern[i], system, name))
			return true;
	return false;
}

static void count_lost(struct report *r, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN)
		r->lost_unknown = true;
	else
		r->lost += lost;
}

static void add_lost(struct report *r, int cpu, uint64_t lost)
{
	if (!lost)
		return;
	if (r->as_json)
		report_json_lost(cpu, lost, &r->out);
	else if (lost == RBMAP_LOST_UNKNOWN)
		buf_printf(&r->out, "CPU:%d [EVENTS DROPPED]\n", cpu);
	else
		buf_printf(&r->out, "CPU:%d [%" PRIu64 " EVENTS DROPPED]\n", cpu, lost);
}

static int add_event(struct report *r, const struct rbmap_event *ev)
{
	struct text_parts parts;
	int ret;

	ret = text_parts(r->text, ev, &parts);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		if (!r->as_json)
			buf_printf(&r->out, "CPU:%d [event of %" PRIu32 " bytes]\n",
				   ev->cpu, ev->size);
		return 0;
	}
	return r->as_json ? report_json_event(r->text, ev, &parts, &r->body, &r->out) :
			    text_add_event(r->text, ev, &parts, &r->out);
}

/* Write the text. finish_stdout() reports an error. */
static int write_out(struct report *r)
{
	bool failed = r->out.failed;

	if (!failed)
		fwrite(r->out.data, 1, r->out.size, stdout);
	r->out.size = 0;
	return failed ? -ENOMEM : 0;
}

static void show_progress(struct report *r)
{
	if (progress_due(&r->progress))
		progress_show(&r->progress, "%s: %.0f %%, %" PRIu64 " events", r->input,
			      100 * dat_done(r->reader), r->events);
}

static int print_events(struct report *r)
{
	unsigned int seen = 0;
	struct rbmap_event ev;
	int ret;

	while ((ret = dat_next(r->reader, &ev)) == 1) {
		if (!(++seen % PROGRESS_EVENTS))
			show_progress(r);
		if (!wanted_cpu(r, ev.cpu))
			continue;
		/* Lost events may have been wanted ones. */
		count_lost(r, ev.lost);
		add_lost(r, ev.cpu, ev.lost);
		if (!wanted(r, &ev))
			continue;
		r->events++;
		ret = add_event(r, &ev);
		if (ret)
			return ret;
		if (r->out.size < WRITE_SIZE)
			continue;
		ret = write_out(r);
		if (ret || ferror(stdout))
			return ret;
	}
	for (unsigned int cpu = 0; !ret && cpu < dat_cpus(r->reader); cpu++) {
		if (!wanted_cpu(r, cpu))
			continue;
		count_lost(r, dat_lost_last(r->reader, cpu));
		add_lost(r, cpu, dat_lost_last(r->reader, cpu));
	}
	return ret;
}

static int tell_damage(const struct report *r)
{
	struct dat_damage damage;

	dat_damage(r->reader, &damage);
	if (damage.busy)
		complain("%s is still being recorded: its events up to now were printed",
			 r->input);
	else if (damage.unfinished)
		complain("%s was not finished, because its recorder was killed: its complete events were printed; 'rbmap recover %s' completes the file",
			 r->input, r->input);
	if (damage.lacking)
		complain("%s lacks the files of %u CPUs, %s.cpuN: their events were not printed",
			 r->input, damage.lacking, r->input);
	if (damage.missing)
		complain("%s is truncated, %" PRIu64 " bytes of events are missing: the remaining events were printed",
			 r->input, damage.missing);
	if (damage.broken)
		complain("%s is damaged, %" PRIu64 " sub-buffers are invalid: the rest of each was skipped",
			 r->input, damage.broken);
	return damage.unfinished || damage.missing || damage.broken ?
	       STATUS_CUT : STATUS_OK;
}

static int run(void *arg)
{
	struct report *r = arg;
	int ret, error;

	ret = dat_open(&r->reader, r->input);
	if (ret) {
		if (ret == -ENOENT)
			complain("%s does not exist: 'rbmap record' makes a recording, 'rbmap report FILE' reads another",
				 r->input);
		else if (ret < DAT_ERR_LAST)
			complain("%s %s", r->input, dat_strerror(ret));
		else
			complain("cannot read %s: %s", r->input,
				 dat_strerror(ret));
		return ret == DAT_ERR_CUT ? STATUS_CUT : STATUS_ERROR;
	}
	progress_begin(&r->progress);
	/* On a terminal, the events themselves show the progress. */
	r->progress.wanted &= !isatty(STDOUT_FILENO);
	ret = load_text(r);
	if (!ret) {
		if (!r->as_json)
			printf("cpus=%u\n", dat_cpus(r->reader));
		ret = print_events(r);
		/* After an error, the events before it are still printed. */
		error = write_out(r);
		if (!ret)
			ret = error;
	}
	progress_end(&r->progress);
	if (ret) {
		complain("cannot read %s: %s", r->input, dat_strerror(ret));
		return STATUS_ERROR;
	}
	if (fflush(stdout) || ferror(stdout))
		return STATUS_ERROR;	/* finish_stdout() reports the cause */
	fprintf(stderr, "%" PRIu64 " events, %s%" PRIu64 " lost\n", r->events,
		r->lost_unknown ? "more than " : "", r->lost);
	return tell_damage(r);
}

static int report(int argc, char **argv)
{
	struct report r = { .input = DEFAULT_INPUT };
	int status;

	if (!parse_options(&command_report, argc, argv, &r, &status))
		return status;
	if (optind < argc)
		r.input = argv[optind++];
	if (optind < argc)
		return usage_error(&command_report, "unexpected argument '%s': report prints one recording",
				   argv[optind]);
	status = crash_guard(run, &r);
	if (status >= 0)
		return status;
	complain("%s is damaged: it contains an invalid event format",
		 r.input);
	return STATUS_CUT;
}

const struct command command_report = {
	.name		= "report",
	.synopsis	= "[-e EVENT]... [--cpu N]... [--json] [--no-plugins] [FILE]",
	.summary	= "Print a recording of all CPUs in the order of time",
	.options	= options,
	.help		=
	"FILE is a trace.dat of rbmap record or trace-cmd record (version 6, or version 7\n"
	"uncompressed or compressed by zstd); default: " DEFAULT_INPUT ".\n"
	"The lines are those of trace-cmd report.\n"
	"Exit status 3: the recording is truncated or damaged; its readable events were\n"
	"printed.\n",
	.run		= report,
};
