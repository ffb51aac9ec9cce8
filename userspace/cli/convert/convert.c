// SPDX-License-Identifier: GPL-2.0-only
/* rbmap convert: write a recording in a format of other viewers. */
#include <stdio.h>
#include <stdlib.h>

#include "base/complain.h"
#include "base/files.h"
#include "command/command.h"
#include "command/options.h"
#include "conversion.h"
#include "input/crash_guard.h"
#include "input/input_events.h"
#include "input/output_file.h"
#include "recording/dat_read.h"

extern const struct command command_convert;

struct convert {
	struct input in;
	bool perfetto, systrace;
	char *name;		/* the name of the output, without -o */
	struct output_file file;
	struct conversion conversion;
};

static const struct cli_option options[] = {
	{ .name = "perfetto", .target = FLAG(struct convert, perfetto),
	  .help = "write Perfetto's own format, for ui.perfetto.dev and\n"
		  "trace_processor" },
	{ .name = "systrace", .target = FLAG(struct convert, systrace),
	  .help = "write ftrace's text, which Perfetto and others read" },
	{ .name = "output", .letter = 'o', .arg = "OUTPUT", .kind = "file",
	  .target = STRING(struct convert, file.path),
	  .help = "the file to write; default: FILE.perfetto-trace or\n"
		  "FILE.systrace; -: standard output" },
	EVENT_SELECTION_OPTIONS(struct convert, "convert"),
	INPUT_BUFFER_OPTION(struct convert, "convert"),
	INPUT_SPAN_OPTIONS(struct convert, "convert"),
	{ 0 }
};

/* Warn about cycles of an unknown length: the output then has cycles in place of ns. */
static void tell_cycles(const struct input *in)
{
	if (in->time.is_counter && !in->time.real)
		complain("warning: %s has times in cycles, and does not say how long one is: each cycle becomes a nanosecond",
			 in->path);
}

/* The part that reads the formats of the recording. */
static int run(void *arg)
{
	struct convert *c = arg;
	struct conversion *conversion = &c->conversion;
	struct input *in = &c->in;
	int ret;

	if (selection_begin(&in, 1))
		return STATUS_ERROR;
	ret = conversion_run(conversion);
	if (conversion->out.error) {
		output_file_failed(&c->file, conversion->out.error);
		return STATUS_ERROR;
	}
	if (ret)
		return input_failed(&c->in, ret);
	input_tell_sums(&c->in, conversion->events, conversion->lost, conversion->lost_unknown,
			conversion->left_out, NULL);
	return input_tell_damage(&c->in, "converted");
}

static bool choose_output(struct convert *c)
{
	if (c->file.path)
		return true;
	if (asprintf(&c->name, "%s%s",
		     is_standard_file(c->in.path) ? DEFAULT_INPUT : c->in.path,
		     c->conversion.to->suffix) < 0) {
		complain("out of memory");
		return false;
	}
	c->file.path = c->name;
	return true;
}

static bool again(void *arg)
{
	struct convert *c = arg;

	return output_file_again(&c->file);
}

static void dies(void *arg)
{
	struct convert *c = arg;

	output_file_remove(&c->file);
}

static int convert_to_file(struct convert *c)
{
	const struct crash_guard guard = {
		.run = run, .again = again, .dies = dies, .arg = c, .command = &command_convert,
		.path = &c->in.path, .nr_paths = 1,
	};
	int status;

	/* The command ends here if the library of the format is missing. */
	if (c->conversion.to->load)
		c->conversion.to->load();
	c->file.noun = "trace";
	if (!output_file_begin(&c->file, !c->conversion.to->is_binary, dat_fd(c->in.reader)))
		return STATUS_ERROR;
	c->conversion.out.fd = c->file.fd;
	status = crash_guard(&guard);
	if (status == CRASH_GUARD_FAILED) {
		status = STATUS_CUT;
		output_file_end(&c->file, false);
	} else if (!output_file_end(&c->file, status == STATUS_OK || status == STATUS_CUT)) {
		status = STATUS_ERROR;
	}
	return status;
}

static int convert_recording(struct convert *c)
{
	int status = STATUS_ERROR;

	c->conversion.in = &c->in;
	if (!choose_output(c))
		return STATUS_ERROR;
	status = input_open(&c->in);
	if (!status)
		status = input_choose_one_buffer(&c->in);
	if (status)
		return status;
	if (!input_set_times(&c->in))
		return STATUS_ERROR;
	tell_cycles(&c->in);
	status = convert_to_file(c);
	rbmap_recording_close(c->in.reader);
	return status;
}

static int convert(int argc, char **argv)
{
	static struct convert c = { .in.path = DEFAULT_INPUT };
	int status;

	if (!parse_options(&command_convert, argc, argv, &c, &status))
		return status;
	if (c.perfetto == c.systrace)
		return usage_error(&command_convert, "name one format: --perfetto or --systrace");
	if (optind < argc)
		c.in.path = argv[optind++];
	if (optind < argc)
		return usage_error(&command_convert, "unexpected argument '%s': convert reads one recording",
				   argv[optind]);
	c.conversion.to = c.perfetto ? &convert_to_perfetto : &convert_to_systrace;
	status = convert_recording(&c);
	free(c.name);
	return status;
}

const struct command command_convert = {
	.name		= "convert",
	.synopsis	= "--perfetto | --systrace [-o OUTPUT] [-p TASK]...\n"
			  "                     [--comm PATTERN]... [--cgroup GROUP]... [-c LIST]...\n"
			  "                     [-e EVENT]... [--filter EXPR] [--buffer NAME]\n"
			  "                     [--since TIME] [--until TIME] [FILE]",
	.summary	= "Write a recording in the format of another viewer",
	.options	= options,
	.help		=
	"FILE is a recording, as for 'rbmap report'; default: " DEFAULT_INPUT "; -: standard input.\n"
	"The output has all selected events, and the number of those lost.\n"
	"Exit status 3: the recording is truncated or damaged; its readable events were\n"
	"converted.\n",
	.run		= convert,
};
