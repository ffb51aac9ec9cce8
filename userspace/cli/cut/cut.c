// SPDX-License-Identifier: GPL-2.0-only
/* rbmap cut: write a part of a recording as a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/files.h"
#include "base/terminal.h"
#include "command/command.h"
#include "command/options.h"
#include "input/crash_guard.h"
#include "input/input.h"
#include "input/input_events.h"
#include "input/output_file.h"
#include "print/session_recording.h"
#include "recording/assemble/dat_cut.h"
#include "recording/dat_read.h"

extern const struct command command_cut;

#define PROGRESS_EVENTS	4096	/* between two looks at the clock */

/**
 * struct cut - the options, and the work
 * @spool: the file for data that was not written yet
 * @text: finds the names of tasks; NULL: no option needs them
 */
struct cut {
	struct input in;
	struct output_file file;
	int spool;
	struct print_session *session;
	struct dat_cut *part;
	uint64_t events, lost, left_out;
	bool lost_unknown;
	struct progress progress;
};

static const struct cli_option options[] = {
	{ .name = "output", .letter = 'o', .arg = "OUTPUT", .kind = "file",
	  .target = STRING(struct cut, file.path),
	  .help = "the file to write; -: standard output" },
	EVENT_SELECTION_OPTIONS(struct cut, "keep"),
	INPUT_BUFFER_OPTION(struct cut, "keep"),
	INPUT_SPAN_OPTIONS(struct cut, "keep"),
	{ 0 }
};

static bool keeps_cpu(const struct cut *c, int cpu)
{
	return !c->in.selector || selector_has_cpu(c->in.selector, cpu);
}

static void add_lost(struct cut *c, uint64_t lost)
{
	dat_sum_lost(&c->lost, &c->lost_unknown, lost);
}

/* Is the event kept? Return a negative errno without memory. */
static int is_kept(struct cut *c, const struct rbmap_event *ev)
{
	struct event_parts parts;
	int ret = 0;

	if (!c->in.selector)
		return true;
	if (c->session)
		ret = print_session_find_parts(c->session, ev, &parts);
	if (ret == -ENOMEM)
		return ret;
	return selector_wants(c->in.selector, ev, c->session && !ret ? parts.comm : NULL);
}

static int add_event(struct cut *c, const struct rbmap_event *ev)
{
	uint64_t lost = keeps_cpu(c, ev->cpu) ? ev->lost : 0;
	int kept = is_kept(c, ev);

	if (kept < 0)
		return kept;
	add_lost(c, lost);
	if (kept) {
		c->events++;
		return dat_cut_add(c->part, ev);
	}
	c->left_out++;
	dat_cut_leave_out(c->part, ev, lost);
	return 0;
}

static void show(struct cut *c)
{
	if (progress_due(&c->progress))
		progress_show(&c->progress, "%s: %.0f %%, %" PRIu64 " events", c->in.path,
			      100 * rbmap_recording_done(c->in.reader), c->events);
}

static int add_events(struct cut *c)
{
	struct rbmap_event ev;
	uint64_t seen = 0;
	int ret;

	progress_begin(&c->progress);
	/* Events come in the order of time. */
	while ((ret = rbmap_recording_next(c->in.reader, &ev)) == 1 && ev.ts <= c->in.to) {
		if (!(++seen % PROGRESS_EVENTS))
			show(c);
		if (ev.ts < c->in.from)
			continue;
		ret = add_event(c, &ev);
		if (ret)
			break;
	}
	progress_end(&c->progress);
	return ret < 0 ? ret : 0;
}

static void add_missed(struct cut *c, unsigned int cpu)
{
	for (unsigned int i = 0; i < rbmap_recording_buffers(c->in.reader); i++)
		if (dat_buffer_is_chosen(c->in.reader, i))
			add_lost(c, dat_missed(c->in.reader, i, cpu));
}

/*
 * Losses behind the last events, and events that the kernel missed, belong to the part if it goes
 * to the end. The counters of a CPU that is kept have the missed ones. If the part ends earlier,
 * nobody knows how many of them are in it.
 */
static void end_cpus(struct cut *c)
{
	struct dat_loss loss;

	for (unsigned int cpu = 0; cpu < rbmap_recording_cpus(c->in.reader); cpu++) {
		if (!keeps_cpu(c, cpu)) {
			dat_cut_drop_counters(c->part, cpu);
			continue;
		}
		if (!dat_stops_early(c->in.reader))
			add_missed(c, cpu);
		loss = dat_cut_add_lost_last(c->part, cpu);
		dat_sum_lost(&c->lost, &c->lost_unknown, loss.known);
		c->lost_unknown |= loss.more;
	}
}

static int load_names(struct cut *c)
{
	if (!c->in.selector || !selector_needs_comm(c->in.selector))
		return 0;
	c->session = print_session_new();
	return c->session ? print_session_load_recording(c->session, c->in.reader) : -ENOMEM;
}

/* The part that reads the formats of the recording. */
static int run(void *arg)
{
	struct cut *c = arg;
	struct input *in = &c->in;
	int ret;

	if (selection_begin(&in, 1))
		return STATUS_ERROR;
	ret = load_names(c);
	if (!ret)
		ret = dat_cut_new(&c->part, in->reader, c->spool);
	if (!ret)
		ret = add_events(c);
	if (!ret) {
		end_cpus(c);
		ret = dat_cut_write(c->part, c->file.fd);
	}
	if (c->part && dat_cut_write_error(c->part)) {
		output_file_failed(&c->file, dat_cut_write_error(c->part));
		return STATUS_ERROR;
	}
	if (ret)
		return input_failed(in, ret);
	input_tell_sums(in, c->events, c->lost, c->lost_unknown, c->left_out, NULL);
	return input_tell_damage(in, "kept");
}

static bool again(void *arg)
{
	struct cut *c = arg;

	return output_file_again(&c->file);
}

static void dies(void *arg)
{
	struct cut *c = arg;

	output_file_remove(&c->file);
}

static int cut_to_file(struct cut *c)
{
	const struct crash_guard guard = {
		.run = run, .again = again, .dies = dies, .arg = c, .command = &command_cut,
		.path = &c->in.path, .nr_paths = 1,
	};
	int status = STATUS_ERROR;

	c->file.noun = "recording";
	if (!output_file_begin(&c->file, false, dat_fd(c->in.reader)))
		return STATUS_ERROR;
	c->spool = output_file_spool(&c->file);
	if (c->spool >= 0) {
		status = crash_guard(&guard);
		close(c->spool);
	}
	if (status == CRASH_GUARD_FAILED) {
		status = STATUS_CUT;
		output_file_end(&c->file, false);
	} else if (!output_file_end(&c->file, status == STATUS_OK || status == STATUS_CUT)) {
		status = STATUS_ERROR;
	}
	return status;
}

static int cut(int argc, char **argv)
{
	static struct cut c = { .in.path = DEFAULT_INPUT };
	int status;

	if (!parse_options(&command_cut, argc, argv, &c, &status))
		return status;
	if (!c.file.path)
		return usage_error(&command_cut, "the name of the output is missing: -o OUTPUT");
	if (optind < argc)
		c.in.path = argv[optind++];
	if (optind < argc)
		return usage_error(&command_cut, "unexpected argument '%s': cut reads one recording",
				   argv[optind]);
	status = input_open(&c.in);
	if (status)
		return status;
	if (!input_set_times(&c.in))
		return STATUS_ERROR;
	status = cut_to_file(&c);
	rbmap_recording_close(c.in.reader);
	return status;
}

const struct command command_cut = {
	.name		= "cut",
	.synopsis	= "-o OUTPUT [-p TASK]... [--comm PATTERN]... [--cgroup GROUP]...\n"
			  "                 [-c LIST]... [-e EVENT]... [--filter EXPR] [--buffer NAME]\n"
			  "                 [--since TIME] [--until TIME] [FILE]",
	.summary	= "Write a part of a recording as a recording",
	.options	= options,
	.help		=
	"FILE is a recording, as for 'rbmap report' (" DEFAULT_INPUT "); -: standard input. It\n"
	"stays as it is. OUTPUT is a trace.dat for rbmap report, trace-cmd report and\n"
	"KernelShark, with the selected events, and the losses between them.\n"
	"Exit status 3: the recording is truncated or damaged; its readable events were\n"
	"kept.\n",
	.run		= cut,
};
