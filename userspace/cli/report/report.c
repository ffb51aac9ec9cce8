// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap report: print a recording as text, in the format of trace-cmd report.
 */
#include <errno.h>
#include <stddef.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "input/crash_guard.h"
#include "input/input.h"
#include "report.h"
#include "report/html/html_options.h"

extern const struct command command_report;

static int set_threads(const struct command *cmd, void *to, char *value)
{
	uint64_t *threads = to;

	if (!parse_u64(value, threads) || !*threads || *threads > PIPELINE_THREADS)
		return usage_error(cmd, "invalid number of threads '%s': 1 to %d", value,
				   PIPELINE_THREADS);
	return STATUS_OK;
}

static const struct cli_option options[] = {
	EVENT_SELECTION_OPTIONS(struct report, "print"),
	{ .name = "json", .letter = 'j', .target = FLAG(struct report, as_json),
	  .help = "print one JSON object per line" },
	{ .name = "no-plugins", .letter = 'N',
	  .target = FLAG(struct report, no_plugins),
	  .help = "print each event by its format alone, without the plugins\n"
		  "of libtraceevent" },
	{ .name = "with-cgroup", .target = FLAG(struct report, with_cgroup),
	  .help = "print the cgroup of each event's task before it" },
	INPUT_BUFFER_OPTION(struct report, "print"),
	INPUT_TIME_OPTIONS(struct report, "print"),
	{ .name = "threads", .arg = "N", .kind = "number",
	  .target = OPTION_TO(set_threads, uint64_t, struct report, threads),
	  .help = "print with N threads; default: one for each CPU, at\n"
		  "most 2, or for JSON 4" },
	HTML_OPTIONS(struct report),
	{ 0 }
};

/* The notes say which events were printed. */
static bool again(void *arg)
{
	(void)arg;
	return true;
}

static int print_report(struct report *r)
{
	struct crash_guard guard = { .run = report_run, .again = again, .arg = r, .command = &command_report };
	int status = report_open_sources(r);

	if (status)
		return status;
	for (unsigned int i = 0; i < r->nr_sources; i++)
		if (report_prepare_session(r, &r->source[i]))
			return input_failed(&r->in, -ENOMEM);
	for (unsigned int i = 0; i < r->nr_sources; i++)
		r->path[i] = r->source[i].in.path;
	guard.path = r->path;
	guard.nr_paths = r->nr_sources;
	status = crash_guard(&guard);
	return status == CRASH_GUARD_FAILED ? STATUS_CUT : status;
}

/* The page has all tasks: those that are chosen get a lane of their own. */
static int choose_lanes(struct report *r)
{
	struct selection *selection = &r->in.selection;
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < selection->nr_tasks; i++) {
		char *name = (char *)selection->task[i].name;

		status = name ? html_add_task(&command_report, &r->html, name) :
				html_add_pid(&command_report, &r->html, selection->task[i].pid);
	}
	for (size_t i = 0; !status && i < selection->nr_comms; i++)
		status = html_add_task(&command_report, &r->html, (char *)selection->comm[i]);
	selection->nr_tasks = 0;
	selection->nr_comms = 0;
	return status;
}

static int check_html(struct report *r)
{
	const struct html *html = &r->html;

	if (!r->as_html && (html->output || html->nr_tasks))
		return usage_error(&command_report, "-o and --task need --html");
	if (r->as_html && (r->as_json || r->threads))
		return usage_error(&command_report,
				   "--html writes a page: leave out --json and --threads");
	if (r->as_html && (r->in.relative || r->in.wall || r->in.utc))
		return usage_error(&command_report,
				   "--html has all styles of times: leave out --wall, --utc and --relative");
	return r->as_html ? choose_lanes(r) : STATUS_OK;
}

static int check_times(const struct report *r)
{
	if (r->as_json && (r->in.relative || r->in.wall || r->in.utc))
		return usage_error(&command_report, "--json prints the ring's times: leave out --wall, --utc and --relative");
	if (r->with_cgroup && (r->as_json || r->as_html))
		return usage_error(&command_report, "--with-cgroup is for text: leave out --json and --html");
	return input_check_times(&r->in, &command_report);
}

/* Messages name the first file. */
static int choose_files(struct report *r, int nr, char **path)
{
	if (nr > 1 && r->as_html)
		return usage_error(&command_report, "unexpected argument '%s': --html shows one recording",
				   path[1]);
	if (nr > MOST_FILES)
		return usage_error(&command_report, "report prints at most %d recordings",
				   MOST_FILES);
	for (int i = 0; i < nr; i++)
		r->path[i] = path[i];
	r->nr_sources = nr ? nr : 1;
	if (nr)
		r->in.path = path[0];
	r->path[0] = r->in.path;
	return STATUS_OK;
}

static int report(int argc, char **argv)
{
	static struct report r = { .in.path = DEFAULT_INPUT, .html.command = &command_report };
	int status;

	if (!parse_options(&command_report, argc, argv, &r, &status))
		return status;
	status = check_html(&r);
	if (!status)
		status = check_times(&r);
	if (status)
		return status;
	status = choose_files(&r, argc - optind, argv + optind);
	if (status)
		return status;
	return r.as_html ? html_report(&r.html, &r.in) : print_report(&r);
}

const struct command command_report = {
	.name		= "report",
	.synopsis	= "[-p TASK]... [--comm PATTERN]... [--cgroup GROUP]...\n"
			  "                    [-c LIST]... [-e EVENT]... [--filter EXPR]\n"
			  "                    [--buffer NAME] [--wall | --utc | --relative]\n"
			  "                    [--since TIME] [--until TIME] [--json] [--no-plugins]\n"
			  "                    [--with-cgroup] [--threads N] [FILE]...\n"
			  "       rbmap report --html [-o PAGE] [--task PATTERN]... [-p TASK]...\n"
			  "                    [-c LIST]... [-e EVENT]... [--filter EXPR]\n"
			  "                    [--buffer NAME] [--since TIME] [--until TIME] [FILE]",
	.summary	= "Print a recording of all CPUs in the order of time",
	.options	= options,
	.help		=
	"FILE is a trace.dat of rbmap record or trace-cmd record (version 6, or version 7\n"
	"uncompressed or compressed by zstd); default: " DEFAULT_INPUT "; -: standard input.\n"
	"Events of several files, such as those of a host and of its guests, are printed\n"
	"in one order of time. The lines are those of trace-cmd report.\n"
	"Exit status 3: the recording is truncated or damaged; its readable events were\n"
	"printed.\n",
	.run		= report,
};
