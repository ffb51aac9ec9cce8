// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap record: from the rings to a file, undecoded.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "child.h"
#include "cli.h"
#include "comms.h"
#include "control.h"
#include "dat_write.h"
#include "kallsyms.h"
#include "loss.h"
#include "recorder.h"

#define TICK_MS		500
#define DEFAULT_OUTPUT	"trace.dat"

struct record {
	struct patterns patterns;
	const char *output;
	double seconds;			/* < 0: no limit */
	bool quiet;
	char **command;			/* NULL: none */

	struct control_events events;
	struct recorder *recorder;
	struct dat_writer *writer;
	struct comm_fields *fields;
	struct comms *comms;
	struct child child;

	/* What the headers of the file are made of. */
	char *header_page, *header_event, *clocks;
	struct dat_format *format;
	size_t nr_formats;
	struct buf kallsyms;

	bool progress;			/* a line that changes is shown */
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int parse_options(struct record *r, int argc, char **argv, bool *done)
{
	static const struct option longs[] = {
		{ "event",	required_argument,	NULL, 'e' },
		{ "output",	required_argument,	NULL, 'o' },
		{ "duration",	required_argument,	NULL, 'd' },
		{ "quiet",	no_argument,		NULL, 'q' },
		{ "help",	no_argument,		NULL, 'h' },
		{ 0 }
	};
	const struct command *cmd = &command_record;
	int c, status = STATUS_OK;

	*done = true;
	while ((c = next_option(cmd, argc, argv, "+e:o:d:q", longs,
				&status)) != -1) {
		switch (c) {
		case 'e':
			status = add_pattern(cmd, &r->patterns, optarg);
			if (status)
				return status;
			break;
		case 'o':
			if (!*optarg)
				return usage_error(cmd, "option -o wants the name of a file");
			r->output = optarg;
			break;
		case 'd':
			if (!strcmp(optarg, "0"))
				r->seconds = 0;
			else if (!parse_seconds(optarg, &r->seconds))
				return usage_error(cmd, "'%s' is no number of seconds",
						   optarg);
			break;
		case 'q':
			r->quiet = true;
			break;
		case OPTION_DONE:
			return status;
		}
	}
	if (optind < argc) {
		if (strcmp(argv[optind - 1], "--"))
			return usage_error(cmd, "'%s' is no option: a command goes behind --, events behind -e",
					   argv[optind]);
		r->command = argv + optind;
	} else if (argc > 1 && !strcmp(argv[argc - 1], "--")) {
		return usage_error(cmd, "no command after --");
	}
	*done = false;
	return STATUS_OK;
}

/*
 * What goes to the head of the file.
 */
static char *read_or_complain(const char *file)
{
	char *text = control_read(file);

	if (!text)
		control_complain(CONTROL_READ, file, -errno);
	return text;
}

static bool wanted(const struct record *r, const struct control_event *ev)
{
	return !ev->unavailable && (r->patterns.nr ? ev->selected :
						     ev->enabled);
}

static bool read_formats(struct record *r, bool *has_symbols)
{
	*has_symbols = false;
	r->format = calloc(r->events.nr + 1, sizeof(*r->format));
	r->fields = comm_fields_new();
	if (!r->format || !r->fields) {
		complain("out of memory");
		return false;
	}
	for (size_t i = 0; i < r->events.nr; i++) {
		const struct control_event *ev = &r->events.v[i];
		char file[1024], *text;

		/* Without a tracepoint an event has no format either. */
		if (ev->unavailable)
			continue;
		snprintf(file, sizeof(file), "events/%s/%s/format", ev->system,
			 ev->name);
		text = read_or_complain(file);
		if (!text)
			return false;
		r->format[r->nr_formats++] =
			(struct dat_format){ ev->system, text };
		comm_fields_add(r->fields, text);
		if (wanted(r, ev) && kallsyms_wanted(text))
			*has_symbols = true;
	}
	return true;
}

static bool create_file(struct record *r)
{
	struct dat_source source = {
		.formats = r->format,
		.nr_formats = r->nr_formats,
		.kallsyms = &r->kallsyms,
		.page_size = recorder_page_size(r->recorder),
		.nr_cpus = recorder_nr_cpus(r->recorder),
	};
	char uname_text[sizeof(struct utsname)], version[64];
	struct utsname u;
	int ret;

	r->header_page = read_or_complain("events/header_page");
	r->header_event = read_or_complain("events/header_event");
	r->clocks = read_or_complain("trace_clock");
	if (!r->header_page || !r->header_event || !r->clocks)
		return false;
	uname(&u);
	snprintf(uname_text, sizeof(uname_text), "%s %s %s %s", u.sysname,
		 u.nodename, u.release, u.machine);
	snprintf(version, sizeof(version), "rbmap %s", rbmap_version());
	source.header_page = r->header_page;
	source.header_event = r->header_event;
	source.clocks = r->clocks;
	source.uname = uname_text;
	source.version = version;

	ret = dat_create(&r->writer, r->output, &source);
	switch (ret) {
	case 0:
		return true;
	case -ESPIPE:
		complain("%s is no regular file: a recording goes to one, name another with -o",
			 r->output);
		break;
	case -EFBIG:
		complain("cannot record to %s: the file system or 'ulimit -f' has no room for a file with holes, name a file elsewhere with -o",
			 r->output);
		break;
	case -ENOSPC:
	case -EDQUOT:
		complain("cannot record to %s: no space is left there, free some or name a file elsewhere with -o",
			 r->output);
		break;
	case -EACCES:
	case -EPERM:
	case -EROFS:
		complain("cannot create %s: %s, name a file elsewhere with -o",
			 r->output, strerror(-ret));
		break;
	case -ENOENT:
		complain("cannot create %s: its directory does not exist, create it or name a file elsewhere with -o",
			 r->output);
		break;
	default:
		complain("cannot create %s: %s", r->output, strerror(-ret));
	}
	return false;
}

static bool any_wanted(const struct record *r)
{
	for (size_t i = 0; i < r->events.nr; i++)
		if (wanted(r, &r->events.v[i]))
			return true;
	return false;
}

static bool prepare(struct record *r)
{
	bool has_symbols;
	uint64_t on;

	if (!control_present())
		return false;
	r->recorder = recorder_open();
	if (!r->recorder || control_events_read(&r->events))
		return false;
	if (r->patterns.nr &&
	    control_select(&r->events, r->patterns.pattern,
			   r->patterns.nr))
		return false;
	/* Without events there is still what the rings hold: -d 0. */
	if (!r->patterns.nr && r->seconds && !any_wanted(r)) {
		complain("no event is enabled: name some with -e ('rbmap list' has them all)");
		return false;
	}
	if (!control_read_u64("tracing_on", &on) && !on && r->seconds)
		complain("warning: tracing_on is 0, nothing is recorded until it is 1: echo 1 > %s/tracing_on",
			 control_root());
	r->comms = comms_new();
	if (!r->comms) {
		complain("out of memory");
		return false;
	}
	comms_scan_proc(r->comms, COMM_TS_BEGIN);
	if (!read_formats(r, &has_symbols))
		return false;
	if (has_symbols)
		kallsyms_read(&r->kallsyms, "/proc/kallsyms");
	return create_file(r);
}

/*
 * What was in the rings before belongs to a recording of what is on, and not
 * to one that has its own events or its own command.
 */
static bool begins_empty(const struct record *r)
{
	return r->patterns.nr || r->command;
}

static bool start(struct record *r)
{
	int ret;

	if (r->patterns.nr && control_disable_others(&r->events))
		return false;
	if (begins_empty(r)) {
		ret = recorder_discard(r->recorder);
		if (ret) {
			complain("cannot read the rings: %s",
				 rbmap_strerror(ret));
			return false;
		}
	}
	ret = recorder_start(r->recorder, r->writer, r->fields,
			     control_clock_of(r->clocks));
	if (ret) {
		complain("cannot start a thread: %s (ulimit -u?)",
			 strerror(-ret));
		return false;
	}
	if (r->patterns.nr && control_enable_selected(&r->events, true))
		return false;
	return true;
}

static void print_size(uint64_t bytes)
{
	if (bytes < 1 << 20)
		fprintf(stderr, "%" PRIu64 " KiB", bytes >> 10);
	else
		fprintf(stderr, "%.1f MiB", bytes / 1048576.0);
}

static void show_progress(struct record *r)
{
	if (r->quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%s: %" PRIu64 " events, ", r->output,
		dat_events(r->writer));
	print_size(dat_bytes(r->writer));
	fprintf(stderr, ", %" PRIu64 " lost \033[K",
		recorder_lost(r->recorder));
	r->progress = true;
}

static void end_progress(struct record *r)
{
	if (r->progress)
		fputs("\r\033[K", stderr);
	r->progress = false;
}

/* Signals are taken in wait_for_end() and nowhere else. */
static void block_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, set, NULL);
	/* A limit on the size of files is an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* A terminal that is gone is no reason to lose the recording. */
	signal(SIGPIPE, SIG_IGN);
}

static void wait_for_end(struct record *r, const sigset_t *set)
{
	double deadline = r->seconds < 0 ? 1e18 : now() + r->seconds;

	while (!recorder_ended(r->recorder)) {
		double left = deadline - now();
		struct timespec tick = { .tv_nsec = TICK_MS * 1000000L };
		int sig;

		if (left <= 0)
			break;
		if (left < TICK_MS / 1000.0)
			tick.tv_nsec = left * 1e9;
		sig = sigtimedwait(set, NULL, &tick);
		if (sig == SIGCHLD && child_ended(&r->child))
			break;
		if (sig > 0 && sig != SIGCHLD) {
			/* A terminal has sent it to the command too. */
			child_signal(&r->child, sig);
			break;
		}
		if (sig < 0) {
			/* Who kills us now leaves a file with sizes. */
			dat_update(r->writer);
			show_progress(r);
		}
	}
}

static bool tell_failure(const struct record *r,
			 const struct recorder_result *result)
{
	if (!result->error && result->new_clock < 0)
		return true;
	if (!result->error)
		complain("trace_clock was changed to %s: a recording has one clock, so it ended there, with what was recorded before",
			 control_clock_name(result->new_clock));
	else if (result->reading)
		complain("cannot read the ring of CPU %u: %s", result->cpu,
			 rbmap_strerror(result->error));
	else if (result->error == -ENOSPC || result->error == -EDQUOT)
		complain("%s: no space is left, recording stopped with what was written; free some space or name a file elsewhere with -o",
			 r->output);
	else if (result->error == -EFBIG)
		complain("%s: as large as a file may be here (ulimit -f, or the file system), recording stopped with what was written",
			 r->output);
	else
		complain("cannot write %s: %s, recording stopped with what was written",
			 r->output, strerror(-result->error));
	return false;
}

static bool finish_file(struct record *r)
{
	unsigned int nr_cpus = recorder_nr_cpus(r->recorder);
	char **stats = calloc(nr_cpus, sizeof(*stats));
	struct buf comms = { 0 };
	int ret;

	for (unsigned int i = 0; stats && i < nr_cpus; i++) {
		char file[64];

		snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", i);
		if (recorder_has_cpu(r->recorder, i))
			stats[i] = control_read(file);
	}
	comms_scan_proc(r->comms, COMM_TS_END);
	comms_print(r->comms, &comms, dat_comms_room(r->writer));
	ret = dat_finish(r->writer, &comms, stats);
	r->writer = NULL;
	if (ret < 0)
		complain("cannot finish %s: %s", r->output, strerror(-ret));
	else if (ret)
		complain("note: %s keeps its holes, its size says more than it takes: copy it with cp --sparse=always",
			 r->output);
	for (unsigned int i = 0; stats && i < nr_cpus; i++)
		free(stats[i]);
	free(stats);
	buf_free(&comms);
	return ret >= 0;
}

static void tell_sums(const struct record *r, uint64_t events, uint64_t bytes,
		      const struct recorder_result *result)
{
	if (r->quiet && !result->loss.total && !result->other_clock)
		return;
	loss_print(stderr, events, &result->loss);
	if (result->earlier)
		fprintf(stderr, "  %" PRIu64 " of them before the recording began: 'rbmap stat' has the causes\n",
			result->earlier);
	if (result->too_large)
		fprintf(stderr, "  %" PRIu64 " larger than the sub-buffers were when the recording began (%zu KiB): avoid it with a larger buffer_subbuf_size_kb before\n",
			result->too_large,
			recorder_page_size(r->recorder) >> 10);
	if (result->other_clock)
		fprintf(stderr, "  %" PRIu64 " more were left out: their trace_clock was not the recording's\n",
			result->other_clock);
	if (result->unwritten)
		fprintf(stderr, "  %" PRIu64 " more were read and found no space in the file\n",
			result->unwritten);
	if (r->quiet)
		return;
	fprintf(stderr, "%s: ", r->output);
	print_size(bytes);
	fputs(" of events\n", stderr);
}

/* Events that are enabled anyway go on: the threads don't wait for silence. */
static bool stop_events(struct record *r)
{
	bool ok = !control_disable_ours(&r->events);

	recorder_stop(r->recorder);
	if (control_restore(&r->events))
		ok = false;
	return ok;
}

/* It never began: nothing is left of it. */
static void abandon(struct record *r)
{
	child_signal(&r->child, SIGKILL);
	stop_events(r);
	dat_finish(r->writer, NULL, NULL);
	unlink(r->output);
}

static bool finish(struct record *r)
{
	struct recorder_result result;
	bool ok = stop_events(r);
	uint64_t events, bytes;

	end_progress(r);
	recorder_result(r->recorder, r->comms, &result);
	events = dat_events(r->writer);
	bytes = dat_bytes(r->writer);
	if (!tell_failure(r, &result))
		ok = false;
	if (!finish_file(r))
		ok = false;
	tell_sums(r, events, bytes, &result);
	return ok;
}

static bool run(struct record *r)
{
	sigset_t set;
	bool ok;

	block_signals(&set);
	if (!prepare(r))
		return false;
	ok = !r->command || child_prepare(&r->child, r->command);
	if (ok)
		ok = start(r);
	if (ok && r->command)
		ok = child_start(&r->child);
	if (!ok) {
		abandon(r);
		return false;
	}
	wait_for_end(r, &set);
	ok = finish(r);
	/* The recording is safe; the command may go on as long as it likes. */
	child_wait(&r->child, &set);
	if (r->command)
		child_tell_status(&r->child);
	return ok;
}

static void clean_up(struct record *r)
{
	if (r->recorder)
		recorder_close(r->recorder);
	for (size_t i = 0; i < r->nr_formats; i++)
		free((char *)r->format[i].text);
	free(r->format);
	free(r->header_page);
	free(r->header_event);
	free(r->clocks);
	buf_free(&r->kallsyms);
	comm_fields_free(r->fields);
	comms_free(r->comms);
	control_events_free(&r->events);
}

static int record(int argc, char **argv)
{
	struct record r = { .output = DEFAULT_OUTPUT, .seconds = -1 };
	bool done, ok;
	int status = parse_options(&r, argc, argv, &done);

	if (done)
		return status;
	ok = run(&r);
	clean_up(&r);
	return ok ? STATUS_OK : STATUS_ERROR;
}

const struct command command_record = {
	.name		= "record",
	.synopsis	= "[-e EVENT]... [-o FILE] [-d SECONDS] [-q] [-- COMMAND...]",
	.summary	= "Record events to a file, until COMMAND ends, SECONDS are over or Ctrl-C",
	.help		=
	"  -e, --event EVENT       record EVENT (system:event, a wildcard goes) and no\n"
	"                          other; enabled for the time of the recording; may be\n"
	"                          given more than once; default: the events that are\n"
	"                          enabled already\n"
	"  -o, --output FILE       default: " DEFAULT_OUTPUT "\n"
	"  -d, --duration SECONDS  end after SECONDS; 0: save what the rings hold now\n"
	"  -q, --quiet             no progress, no sums (but what was lost)\n"
	"\n"
	"FILE is a trace.dat for rbmap report, trace-cmd report and KernelShark. What was\n"
	"read and what was lost, and why, goes to stderr at the end.\n",
	.run		= record,
};
