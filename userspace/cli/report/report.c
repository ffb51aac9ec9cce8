// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap report: print a recording as text, in the format of trace-cmd report.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "command/pipeline.h"
#include "input/crash_guard.h"
#include "input/input.h"
#include "input/input_events.h"
#include "print/crash_notes.h"
#include "print/json_lines.h"
#include "print/line.h"
#include "recording/dat_read.h"
#include "report/html/html_options.h"
#include "report_batch.h"

extern const struct command command_report;

#define READ_HEADS	1	/* positions in the input: the heads, */
#define READ_EVENT	2	/* an event and the loss before it */
#define NAME_WIDTH	20
#define MOST_THREADS	4	/* by default: one reads for all others */
#define MOST_BATCHES	(2 * PIPELINE_THREADS)
#define OUTPUT_FAILED	1	/* finish_stdout() reports the error */
#define PROGRESS_EVENTS	4096	/* between two looks at the clock */
#define MOST_FILES	16	/* recordings that are printed as one */

/**
 * struct source - a recording
 * @next: its next event, if @got, the result of rbmap_recording_next(), is 1
 * @buffer: for each buffer of the recording
 */
struct source {
	struct input in;
	struct print_session *session;
	struct rbmap_event next;
	int got;
	struct report_buffer *buffer;
};

/* The options are in @in; each source has a copy of them. */
struct report {
	struct input in;
	const char *path[MOST_FILES];
	struct source *source;
	unsigned int nr_sources;
	bool as_json;
	bool as_html;
	bool no_plugins;
	bool with_cgroup;
	struct html html;

	/* The lines of each thread, by source */
	struct print_line *line[PIPELINE_THREADS][MOST_FILES];
	struct report_batch *batch[MOST_BATCHES];
	struct report_batch *filling;
	struct pipeline *pipeline;
	uint64_t threads;	/* 0: as many as there are CPUs */
	/*
	 * How far the recordings were read: READ_HEADS, and READ_EVENT for each event, also
	 * for those that are not printed. A process before this one, which crashed, has
	 * printed all up to @skipped.
	 */
	uint64_t position, skipped;
	/* A copy of a function's call, whose next event is not known yet */
	struct rbmap_event call;
	struct buf call_data;
	uint64_t events;
	uint64_t lost;
	bool lost_unknown;	/* more than the number that is known */
	uint64_t left_out;	/* events that are not selected */
	struct progress progress;
};

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
	  .help = "print with N threads; default: 1, or for JSON one for each\n"
		  "CPU, at most 4" },
	HTML_OPTIONS(struct report),
	{ 0 }
};

/* ---- the sources */
static const char *file_name(const struct source *s)
{
	const char *slash = strrchr(s->in.path, '/');

	return slash ? slash + 1 : s->in.path;
}

/* Plugins are files: load them before the formats, while files can be opened. */
static int prepare_session(const struct report *r, struct source *s)
{
	s->session = print_session_new();
	if (!s->session)
		return -ENOMEM;
	/* The layout of trace-cmd report */
	print_session_set_layout(s->session, 5, false, NAME_WIDTH);
	print_session_stack_lines(s->session, !r->as_json);
	print_session_with_json(s->session, r->as_json);
	/* JSON must not depend on what is installed. */
	if (!r->no_plugins && !r->as_json)
		print_session_load_plugins(s->session);
	return 0;
}

/* Several recordings have their names before the lines, and so have named buffers. */
static bool has_prefixes(const struct report *r)
{
	for (unsigned int i = 0; i < r->nr_sources; i++)
		if (input_has_buffers(&r->source[i].in))
			return true;
	return r->nr_sources > 1;
}

/* Set the names of a source's buffers. The top buffer has that of the file, if any. */
static int name_buffers(const struct report *r, struct source *s, size_t *width)
{
	unsigned int nr = rbmap_recording_buffers(s->in.reader);

	s->buffer = calloc(nr, sizeof(*s->buffer));
	if (!s->buffer)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++) {
		struct report_buffer *b = &s->buffer[i];
		const char *name = rbmap_recording_buffer_name(s->in.reader, i);

		b->source = s - r->source;
		if (*name)
			b->name = name;
		else if (r->nr_sources > 1)
			b->name = file_name(s);
		if (b->name)
			buf_add_printable(&b->prefix, b->name, strlen(b->name));
		if (b->prefix.failed)
			return -ENOMEM;
		if (*width < b->prefix.size)
			*width = b->prefix.size;
	}
	return 0;
}

/* trace-cmd has the names in a column, and a colon behind each. */
static int align_prefix(struct report_buffer *b, size_t width)
{
	struct buf name = b->prefix;

	b->prefix = (struct buf){ 0 };
	buf_printf(&b->prefix, "%*.*s%s", (int)width, (int)name.size,
		   name.size ? name.data : "", name.size ? ": " : "  ");
	buf_free(&name);
	return b->prefix.failed ? -ENOMEM : 0;
}

static int set_prefixes(struct report *r)
{
	bool wanted = has_prefixes(r);
	size_t width = 0;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < r->nr_sources; i++)
		ret = name_buffers(r, &r->source[i], &width);
	for (unsigned int i = 0; !ret && i < r->nr_sources; i++) {
		struct source *s = &r->source[i];

		for (unsigned int b = 0; !ret && b < rbmap_recording_buffers(s->in.reader); b++) {
			if (wanted)
				ret = align_prefix(&s->buffer[b], width);
			else
				s->buffer[b].prefix.size = 0;
		}
	}
	return ret;
}

static int open_sources(struct report *r)
{
	int status = STATUS_OK;

	r->source = calloc(r->nr_sources, sizeof(*r->source));
	if (!r->source) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	for (unsigned int i = 0; !status && i < r->nr_sources; i++) {
		r->source[i].in = r->in;
		r->source[i].in.path = r->path[i];
		status = input_open(&r->source[i].in);
		if (!status && r->with_cgroup && !dat_cgroups(r->source[i].in.reader)) {
			complain("--with-cgroup: %s does not have the cgroups of its tasks: 'rbmap record' stores them",
				 r->path[i]);
			status = STATUS_ERROR;
		}
	}
	return status;
}

static int load_sources(struct report *r)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < r->nr_sources; i++) {
		print_session_set_file(r->source[i].session, i);
		ret = input_load_session(&r->source[i].in, r->source[i].session);
		if (r->with_cgroup || r->as_json)
			print_session_show_cgroups(r->source[i].session,
					       dat_cgroups(r->source[i].in.reader));
	}
	return ret ? ret : set_prefixes(r);
}

/* Return the source with the oldest event. NULL: no event is left, or @ret has an error. */
static struct source *next_source(const struct report *r, int *ret)
{
	struct source *oldest = NULL;

	for (unsigned int i = 0; i < r->nr_sources; i++) {
		struct source *s = &r->source[i];

		if (s->got < 0)
			*ret = s->got;
		if (s->got == 1 && (!oldest || s->next.ts < oldest->next.ts))
			oldest = s;
	}
	return *ret ? NULL : oldest;
}

static void read_next(struct source *s)
{
	s->got = rbmap_recording_next(s->in.reader, &s->next);
	/* Later events are not wanted. */
	if (s->got == 1 && s->next.ts > s->in.to)
		s->got = 0;
}

/* Return the buffer of the next event. */
static const struct report_buffer *buffer_of(const struct source *s)
{
	return &s->buffer[rbmap_recording_event_buffer(s->in.reader)];
}

/* ---- events */
/* Return the name of the event's task. NULL: the event does not say the task. */
static const char *comm_of(int error, const struct event_parts *parts)
{
	return error ? NULL : parts->comm;
}

static int select_events(struct report *r)
{
	struct input *in[MOST_FILES];

	for (unsigned int i = 0; i < r->nr_sources; i++)
		in[i] = &r->source[i].in;
	return selection_begin(in, r->nr_sources);
}

/* ---- times */
/* Choose how times are printed, and read the first event of each recording. */
static bool choose_times(struct report *r)
{
	const struct source *first;
	int error = 0;

	for (unsigned int i = 0; i < r->nr_sources; i++) {
		if (!input_set_times(&r->source[i].in))
			return false;
		read_next(&r->source[i]);
	}
	first = next_source(r, &error);
	for (unsigned int i = 0; i < r->nr_sources; i++) {
		struct source *s = &r->source[i];

		if (s->in.relative && first)
			s->in.time.ring = first->next.ts;
		print_session_set_time(s->session, &s->in.time);
	}
	return true;
}

static void print_head(const struct report *r, const struct source *s)
{
	struct buf head = { 0 };

	if (!r->as_json) {
		if (r->nr_sources > 1)
			fwrite(s->buffer->prefix.data, 1, s->buffer->prefix.size, stdout);
		printf("cpus=%u\n", rbmap_recording_cpus(s->in.reader));
		return;
	}
	json_head_add(rbmap_recording_clock(s->in.reader), rbmap_recording_uname(s->in.reader),
		      &s->in.time, r->nr_sources > 1 ? s->buffer->name : NULL, &head);
	fwrite(head.data, 1, head.size, stdout);
	buf_free(&head);
}

static void print_heads(struct report *r)
{
	for (unsigned int i = 0; !r->skipped && i < r->nr_sources; i++)
		print_head(r, &r->source[i]);
	fflush(stdout);
	r->position = READ_HEADS;
	if (!r->skipped)
		crash_notes()->progress = r->position;
}

/* ---- threads that print */
static unsigned int nr_threads(const struct report *r)
{
	unsigned int cpus;

	if (r->threads)
		return r->threads;
	/* Printing a line of text costs less than handing the event to another thread. */
	if (!r->as_json)
		return 1;
	cpus = pipeline_cpus();
	return cpus < MOST_THREADS ? cpus : MOST_THREADS;
}

static int print_batch(void *data, void *batch, unsigned int worker)
{
	struct report *r = data;

	return report_batch_print(batch, r->line[worker], r->as_json);
}

static int write_batch(void *data, void *batch)
{
	const struct buf *text = report_batch_text(batch);
	bool written;

	(void)data;
	crash_hold();
	fwrite(text->data, 1, text->size, stdout);
	written = !fflush(stdout) && !ferror(stdout);
	/* After a crash, the next process prints what is behind these. */
	if (written && report_batch_position(batch))
		crash_notes()->progress = report_batch_position(batch);
	crash_release();
	return written ? 0 : OUTPUT_FAILED;
}

static bool start_printing(struct report *r)
{
	static const struct pipeline_ops ops = { print_batch, write_batch };
	unsigned int threads = nr_threads(r);
	void *batch[MOST_BATCHES];

	for (unsigned int i = 0; i < pipeline_batches(threads); i++) {
		r->batch[i] = report_batch_new();
		if (!r->batch[i])
			return false;
		batch[i] = r->batch[i];
	}
	for (unsigned int i = 0; !i || i + 1 < threads; i++) {
		for (unsigned int k = 0; k < r->nr_sources; k++) {
			r->line[i][k] = print_line_new(r->source[k].session);
			if (!r->line[i][k])
				return false;
		}
	}
	if (threads == 1)
		report_batch_print_at_once(r->batch[0], r->line[0], r->as_json);
	r->pipeline = pipeline_new(&ops, r, batch, threads);
	return r->pipeline;
}

static int stop_printing(struct report *r)
{
	int ret = 0;

	if (r->pipeline) {
		if (r->filling && !report_batch_is_empty(r->filling))
			pipeline_put(r->pipeline);
		ret = pipeline_flush(r->pipeline);
	}
	pipeline_free(r->pipeline);
	for (unsigned int i = 0; i < PIPELINE_THREADS; i++)
		for (unsigned int k = 0; k < r->nr_sources; k++)
			print_line_free(r->line[i][k]);
	for (unsigned int i = 0; i < MOST_BATCHES; i++)
		report_batch_free(r->batch[i]);
	return ret;
}

/* Prepare the batch that the next event goes to. */
static int prepare_batch(struct report *r)
{
	void *batch;
	int ret;

	if (r->filling && !report_batch_is_full(r->filling))
		return 0;
	if (r->filling)
		pipeline_put(r->pipeline);
	r->filling = NULL;
	ret = pipeline_get(r->pipeline, &batch);
	if (ret)
		return ret;
	r->filling = batch;
	report_batch_reset(r->filling);
	return 0;
}

static int add_lost(struct report *r, int cpu, uint64_t lost, const struct report_buffer *buffer)
{
	int ret;

	if (!lost)
		return 0;
	if (lost == RBMAP_LOST_UNKNOWN)
		r->lost_unknown = true;
	else
		r->lost += lost;
	if (r->position + 1 <= r->skipped)
		return 0;
	ret = prepare_batch(r);
	if (ret)
		return ret;
	ret = report_batch_add_lost(r->filling, cpu, lost, buffer);
	report_batch_set_position(r->filling, r->position + 1);
	return ret;
}

/*
 * @parts_error, @parts: result of print_session_find_parts()
 * @end: the event that follows a function's call, or NULL
 */
static inline int add_parts(struct report *r, const struct source *s,
			    const struct rbmap_event *ev, int parts_error,
			    struct event_parts *parts, const struct rbmap_event *end,
			    const struct report_buffer *buffer)
{
	uint64_t behind = r->position + READ_EVENT;
	bool skips = behind <= r->skipped;
	int ret = skips ? 0 : prepare_batch(r);

	if (ret)
		return ret;
	r->events++;
	parts->buffer = buffer->name;
	/* The return of a call that was printed before may still have to be printed. */
	if (!parts_error && end && !skips && print_session_set_leaf(s->session, ev, end, parts)) {
		behind += READ_EVENT;
		r->events++;
	}
	if (skips)
		return 0;
	ret = report_batch_add_event(r->filling, ev, parts_error ? NULL : parts, buffer);
	report_batch_set_position(r->filling, behind);
	return ret;
}

/* The next event of a source is done with. */
static void pass_event(struct report *r, struct source *s)
{
	r->position += READ_EVENT;
	read_next(s);
}

/*
 * A function that calls no other has one line, if its return is the next event. Keep a copy
 * of the call, because its bytes are gone when the next event is read.
 */
static int add_call(struct report *r, struct source *s, int parts_error,
		    struct event_parts *parts, const struct report_buffer *buffer)
{
	uint64_t before = r->events;
	bool follows;
	int ret;

	r->call_data.size = 0;
	buf_add(&r->call_data, s->next.data, s->next.size);
	if (r->call_data.failed)
		return -ENOMEM;
	r->call = s->next;
	r->call.data = r->call_data.data;
	read_next(s);
	follows = s->got == 1 && buffer == buffer_of(s) &&
		  (!s->in.selector ||
		   selector_wants(s->in.selector, &s->next, comm_of(parts_error, parts)));
	ret = add_parts(r, s, &r->call, parts_error, parts, follows ? &s->next : NULL, buffer);
	r->position += READ_EVENT;
	/* The return was printed, too. */
	if (!ret && r->events - before == 2)
		pass_event(r, s);
	return ret;
}

static void show_progress(struct report *r)
{
	double done = 0;

	if (!progress_due(&r->progress))
		return;
	for (unsigned int i = 0; i < r->nr_sources; i++)
		done += rbmap_recording_done(r->source[i].in.reader) / r->nr_sources;
	progress_show(&r->progress, "%s: %.0f %%, %" PRIu64 " events", r->in.path, 100 * done,
		      r->events);
}

/* Are the losses of a CPU reported? */
static bool tells_losses(const struct source *s, int cpu)
{
	return !s->in.selector || selector_has_cpu(s->in.selector, cpu);
}

/* Print the next event of a source, if it is wanted, and read the one behind it. */
static int print_next(struct report *r, struct source *s)
{
	const struct report_buffer *buffer = buffer_of(s);
	const struct rbmap_event *ev = &s->next;
	struct event_parts parts;
	int ret = 0, error;

	if (ev->ts < s->in.from) {
		pass_event(r, s);
		return 0;
	}
	/* Lost events may have been wanted ones. */
	if (ev->lost && tells_losses(s, ev->cpu))
		ret = add_lost(r, ev->cpu, ev->lost, buffer);
	/* Events that are not wanted have names of tasks, too. */
	error = print_session_find_parts(s->session, ev, &parts);
	if (ret || error == -ENOMEM)
		return ret ? ret : error;
	if (s->in.selector && !selector_wants(s->in.selector, ev, comm_of(error, &parts)))
		r->left_out++;
	else if (!r->as_json && print_session_is_call(s->session, ev))
		return add_call(r, s, error, &parts, buffer);
	else
		ret = add_parts(r, s, ev, error, &parts, NULL, buffer);
	if (!ret)
		pass_event(r, s);
	return ret;
}

static int print_lost_last(struct report *r, const struct source *s)
{
	unsigned int nr_cpus = rbmap_recording_cpus(s->in.reader);
	int ret = 0;

	for (unsigned int b = 0; b < rbmap_recording_buffers(s->in.reader); b++)
		for (unsigned int cpu = 0; !ret && cpu < nr_cpus; cpu++) {
			if (tells_losses(s, cpu))
				ret = add_lost(r, cpu,
					       dat_buffer_lost_last(s->in.reader, b, cpu),
					       &s->buffer[b]);
			r->position += READ_EVENT;
		}
	return ret;
}

static int print_events(struct report *r)
{
	unsigned int seen = 0;
	struct source *s;
	int ret = 0;

	/* Events come in the order of time. */
	while (!ret && (s = next_source(r, &ret))) {
		if (!(++seen % PROGRESS_EVENTS))
			show_progress(r);
		ret = print_next(r, s);
	}
	for (unsigned int i = 0; !ret && i < r->nr_sources; i++)
		if (!r->in.until)
			ret = print_lost_last(r, &r->source[i]);
	return ret;
}

/* Print when and why the rings were frozen. */
static void tell_trigger(const struct dat_times *times)
{
	time_t second = times->trigger.real / 1000000000;
	struct buf reason = { 0 };
	char date[64];
	struct tm tm;

	if (!second || !localtime_r(&second, &tm) ||
	    !strftime(date, sizeof(date), "%F %T %z", &tm))
		return;
	buf_add_printable(&reason, times->reason, strlen(times->reason));
	buf_add(&reason, "", 1);
	if (!reason.failed)
		fprintf(stderr, "frozen at %s%s%s\n", date, *reason.data ? ": " : "", reason.data);
	buf_free(&reason);
}

static int tell_end(const struct report *r)
{
	int status = STATUS_OK;

	input_tell_sums(&r->source->in, r->events, r->lost, r->lost_unknown, r->left_out, NULL);
	for (unsigned int i = 0; i < r->nr_sources; i++) {
		const struct source *s = &r->source[i];

		tell_trigger(dat_times(s->in.reader));
		if (input_tell_damage(&s->in, "printed"))
			status = STATUS_CUT;
	}
	return status;
}

/* Return the recording that could not be read. */
static const struct input *failed_input(const struct report *r, int error)
{
	for (unsigned int i = 0; i < r->nr_sources; i++)
		if (r->source[i].got == error)
			return &r->source[i].in;
	return &r->in;
}

static int run(void *arg)
{
	struct report *r = arg;
	int ret, error;

	r->skipped = crash_notes()->progress;
	ret = load_sources(r);
	progress_begin(&r->progress);
	/* On a terminal, the events themselves show the progress. */
	r->progress.wanted &= !isatty(STDOUT_FILENO);
	if (!ret && (select_events(r) || !choose_times(r)))
		return STATUS_ERROR;
	if (!ret) {
		print_heads(r);
		crash_notes()->section = CRASH_EVENTS;
		ret = start_printing(r) ? print_events(r) : -ENOMEM;
		/* After an error, the events before it are still printed. */
		error = stop_printing(r);
		if (!ret)
			ret = error;
	}
	crash_notes()->section = CRASH_RESULT;
	progress_end(&r->progress);
	if (ret && ret != OUTPUT_FAILED)
		return input_failed(failed_input(r, ret), ret);
	if (!ret && r->as_json && r->source->in.selector)
		printf("{\"not_selected\": %" PRIu64 "}\n", r->left_out);
	if (fflush(stdout) || ferror(stdout))
		return STATUS_ERROR;	/* finish_stdout() reports the cause */
	return tell_end(r);
}

/* The notes say which events were printed. */
static bool again(void *arg)
{
	(void)arg;
	return true;
}

static int print_report(struct report *r)
{
	struct crash_guard guard = { .run = run, .again = again, .arg = r, .command = &command_report };
	int status = open_sources(r);

	if (status)
		return status;
	for (unsigned int i = 0; i < r->nr_sources; i++)
		if (prepare_session(r, &r->source[i]))
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
	.synopsis	= "[-p TASK]... [--comm PATTERN]... [-c LIST]...\n"
			  "                    [-e EVENT]... [--filter EXPR] [--buffer NAME]\n"
			  "                    [--wall | --utc | --relative] [--since TIME]\n"
			  "                    [--until TIME] [--json] [--no-plugins] [--with-cgroup]\n"
			  "                    [--threads N] [FILE]...\n"
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
