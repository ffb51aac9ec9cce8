// SPDX-License-Identifier: GPL-2.0-only
/* rbmap record: write the rings to a file without decoding them. */
#include <signal.h>
#include <string.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/settings.h"
#include "record.h"

extern const struct command command_record;

#define HOLDOFF		10	/* in seconds */

static int set_duration(const struct command *cmd, void *to, char *value)
{
	double *seconds = to;

	if (strcmp(value, "0"))
		return set_seconds(cmd, seconds, value);
	*seconds = 0;
	return STATUS_OK;
}

static int set_count(const struct command *cmd, void *to, char *value)
{
	uint64_t *count = to;

	if (parse_u64(value, count) && *count)
		return STATUS_OK;
	return usage_error(cmd, "invalid number '%s': want 1 or more", value);
}

static int set_trigger(const struct command *cmd, void *to, char *value)
{
	struct record *r = to;

	if (r->flight.trigger_options.pattern)
		return usage_error(cmd, "option --trigger was given twice: use a wildcard");
	r->flight.trigger_options.pattern = value;
	return STATUS_OK;
}

static int set_purpose(const struct command *cmd, void *to, char *value)
{
	struct record *r = to;

	if (!purpose_exists(value))
		return usage_error(cmd, "--for %s: the only such command is why", value);
	r->purpose = value;
	return STATUS_OK;
}

static const struct cli_option options[] = {
	BUFFER_OPTION,
	{ .name = "event", .letter = 'e', .arg = "EVENT", .kind = "event",
	  .target = PATTERNS(struct record, patterns),
	  .help = "record only EVENT (SYSTEM:EVENT, wildcards allowed),\n"
		  "and enable it until the recording ends; may be given\n"
		  "more than once (default: the events that are enabled)" },
	{ .name = "for", .arg = "COMMAND", .kind = "text",
	  .target = { .set = set_purpose },
	  .help = "record also what COMMAND needs, which reads the file\n"
		  "later: why" },
	{ .name = "filter", .arg = "EXPR", .kind = "text",
	  .target = STRING(struct record, event_select.filter),
	  .help = "record an EVENT only if EXPR is true, in ftrace's\n"
		  "syntax: 'prev_pid == 1 || next_comm ~ \"ssh*\"'" },
	{ .name = "pid", .letter = 'p', .arg = "PID", .kind = "pid",
	  .target = PIDS(struct record, event_select),
	  .help = "record only events of this process and its children;\n"
		  "may be given more than once" },
	CGROUP_OPTIONS(struct record, event_select),
	OUTPUT_OPTION(struct record, output),
	{ .name = "duration", .letter = 'd', .arg = "SECONDS", .kind = "number",
	  .target = OPTION_TO(set_duration, double, struct record, seconds),
	  .help = "end after SECONDS; 0 saves the events of the rings" },
	NO_COMPRESS_OPTION(struct record, recording.no_compress),
	{ .name = "flight-recorder", .letter = 'f',
	  .target = FLAG(struct record, is_flight),
	  .help = "keep the latest events in memory; write them to FILE\n"
		  "at the end and at SIGUSR1 (then FILE.1, FILE.2 ...)" },
	{ .name = "trigger", .letter = 't', .arg = "EVENT", .kind = "event",
	  .target = { .set = set_trigger },
	  .help = "write FILE when the recorded EVENT occurs, too" },
	{ .name = "trigger-if", .arg = "EXPR", .kind = "text",
	  .target = STRING(struct record, flight.trigger_options.filter),
	  .help = "only if EXPR is true for that event: 'delay > 5000000'" },
	{ .name = "holdoff", .arg = "SECONDS", .kind = "number",
	  .target = OPTION_TO(set_duration, double, struct record, flight.trigger_options.holdoff),
	  .help = "after a file, only count events of --trigger for\n"
		  "SECONDS (default: 10)" },
	{ .name = "rotate", .arg = "LIMIT", .kind = "text",
	  .target = OPTION_TO(rotation_set, struct rotation, struct record, rotation),
	  .help = "begin a new file at LIMIT, a size (100M) or a time\n"
		  "(10m): trace.0001.dat, trace.0002.dat ..." },
	{ .name = "directory", .arg = "DIR", .kind = "dir",
	  .target = STRING(struct record, flight.files.dir),
	  .help = "write the files of -f to DIR, named by the time" },
	{ .name = "keep", .arg = "N", .kind = "number",
	  .target = OPTION_TO(set_count, uint64_t, struct record, flight.files.keep),
	  .help = "keep N files of --rotate or in DIR, not the oldest" },
	{ .name = "keep-size", .arg = "SIZE", .kind = "number",
	  .target = OPTION_TO(set_size_kb, uint64_t, struct record, flight.files.keep_kb),
	  .help = "keep files of SIZE in all: KiB, or 8M, 1G" },
	SETTINGS_OPTION,
	PRIVATE_BUFFER_OPTIONS(struct record),
	{ .name = "quiet", .letter = 'q',
	  .target = FLAG(struct record, recording.quiet),
	  .help = "print losses only, no progress and no sums" },
	{ 0 }
};

static bool is_number(const char *text)
{
	return text && *text && !text[strspn(text, "0123456789")];
}

/* Return STATUS_OK, or the status of a usage error. */
static int check_arguments(struct record *r, int argc, char **argv)
{
	const struct command *cmd = &command_record;
	struct incident_files *files = &r->flight.files;

	if (optind < argc) {
		r->command = argv + optind;
	} else if (argc > 1 && !strcmp(argv[argc - 1], "--")) {
		return usage_error(cmd, "no command after --");
	}
	if (r->is_flight && r->command && r->command[0][strcspn(r->command[0], "=<>~&")])
		return usage_error(cmd, "'%s' is no command: -f keeps the latest events, and --filter EXPR is the filter",
				   r->command[0]);
	if (is_number(r->flight.trigger_options.pattern))
		return usage_error(cmd, "'%s' is no event: -t writes the file when an EVENT occurs, and -p PID records a process",
				   r->flight.trigger_options.pattern);
	if (r->flight.trigger_options.pattern && !r->is_flight)
		return usage_error(cmd, "--trigger needs --flight-recorder");
	if (r->flight.trigger_options.filter && !r->flight.trigger_options.pattern)
		return usage_error(cmd, "--trigger-if needs --trigger");
	if (r->is_flight && is_standard_file(r->output))
		return usage_error(cmd, "-f and '-o -' exclude each other: a flight recorder writes several files");
	if (rotation_is_wanted(&r->rotation) && (r->is_flight || is_standard_file(r->output)))
		return usage_error(cmd, "--rotate writes several files: leave out -f and '-o -'");
	if (rotation_is_wanted(&r->rotation)) {
		r->rotation.keep = files->keep;
		files->keep = 0;
	}
	if ((files->dir || files->keep || files->keep_kb) && !r->is_flight)
		return usage_error(cmd, "--directory and --keep-size need --flight-recorder, and --keep needs that or --rotate");
	if (files->dir && strcmp(r->output, DEFAULT_OUTPUT))
		return usage_error(cmd, "-o and --directory exclude each other");
	if ((files->keep || files->keep_kb) && !files->dir)
		return usage_error(cmd, "--keep and --keep-size need --directory");
	files->output = r->output;
	if (r->event_select.filter && (!r->patterns.nr || r->purpose))
		return usage_error(cmd, NO_FILTER_EVENTS);
	/* Without -e the events are those that are enabled already, and old ones. */
	if (!r->patterns.nr && !r->purpose && !control_buffer())
		r->own.use_default = true;
	return private_buffer_check(&r->own, cmd);
}

/* A SIGUSR1 that comes before the recording has begun must not end the command. */
static void keep_dump_request(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int record(int argc, char **argv)
{
	struct record r = { .output = DEFAULT_OUTPUT, .seconds = -1,
			    .flight = { .trigger_options.holdoff = HOLDOFF, .held_fd = -1, .lock_fd = -1,
					.files.next_number = 1 } };
	int status;
	bool ok, gone;

	if (!parse_options(&command_record, argc, argv, &r, &status))
		return status;
	if (r.is_flight)
		keep_dump_request();
	status = check_arguments(&r, argc, argv);
	if (status)
		return status;
	r.child.output_to_stderr = is_standard_file(r.output);
	if (!standard_output_begin(&r.standard_output, &r.output))
		return STATUS_ERROR;
	ok = record_run(&r);
	gone = r.recorder && recorder_buffer_is_gone(r.recorder);
	record_clean_up(&r, ok);
	if (!standard_output_end(&r.standard_output, ok))
		ok = false;
	return !ok ? STATUS_ERROR : gone ? STATUS_GONE : STATUS_OK;
}

const struct command command_record = {
	.name		= "record",
	.synopsis	= "[-e EVENT]... [--for COMMAND] [--filter EXPR]\n"
			  "                    [-p PID]... [--cgroup PATH]... [--unit NAME]...\n"
			  "                    [--container NAME]... [--self]\n"
			  "                    [-b SIZE] [--subbuf SIZE] [-C NAME] [--cpus LIST]\n"
			  "                    [-B NAME | --default] [-o FILE] [-d SECONDS] [-q]\n"
			  "                    [--rotate LIMIT [--keep N]]\n"
			  "                    [--no-compress] [-f [-t EVENT [--trigger-if EXPR]]\n"
			  "                    [--holdoff SECONDS]\n"
			  "                    [--directory DIR [--keep N] [--keep-size SIZE]]]\n"
			  "                    [--settings FILE] [[--] COMMAND...]",
	.summary	= "Record events to a file, until COMMAND ends, SECONDS pass or Ctrl-C",
	.options	= options,
	.help		=
	"With -e the events go to a buffer of the command's own. Neither other recorders\n"
	"nor the default buffer notice that. Without -e the command records the events\n"
	"that are enabled in the default buffer, and those that it holds.\n"
	"\n"
	"FILE is a trace.dat for rbmap report, trace-cmd report and KernelShark. At the\n"
	"end the command prints to stderr how many events were read and lost, with\n"
	"causes.\n",
	.in_order	= true,
	.run		= record,
};
