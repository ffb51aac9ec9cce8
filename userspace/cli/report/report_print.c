// SPDX-License-Identifier: GPL-2.0-only
/* Print the events of recordings in the order of time. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/printable.h"
#include "input/crash_guard.h"
#include "input/input_events.h"
#include "print/crash_notes.h"
#include "print/json_lines.h"
#include "recording/dat_read.h"
#include "report.h"

#define READ_HEADS	1	/* positions in the input: the heads, */
#define READ_EVENT	2	/* an event and the loss before it */
/* By default. One reads for all others, and a line of text costs little more than that. */
#define TEXT_THREADS	2
#define JSON_THREADS	4
#define OUTPUT_FAILED	1	/* finish_stdout() reports the error */
#define PROGRESS_EVENTS	4096	/* between two looks at the clock */

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

static unsigned int nr_threads(const struct report *r)
{
	unsigned int most = r->as_json ? JSON_THREADS : TEXT_THREADS, cpus;

	if (r->threads)
		return r->threads;
	cpus = pipeline_cpus();
	return cpus < most ? cpus : most;
}

static int print_batch(void *data, void *batch, unsigned int worker)
{
	struct report *r = data;

	return report_batch_print(batch, r->line[worker], r->as_json);
}

static bool write_text(const struct report_batch *batch)
{
	const struct buf *text = report_batch_text(batch);
	bool written;

	crash_hold();
	fwrite(text->data, 1, text->size, stdout);
	written = !fflush(stdout) && !ferror(stdout);
	/* After a crash, the next process prints what is behind these. */
	if (written && report_batch_position(batch))
		crash_notes()->progress = report_batch_position(batch);
	crash_release();
	return written;
}

/* This thread prints what is left of a batch with much text. */
static int write_batch(void *data, void *batch)
{
	struct report *r = data;
	int ret;

	for (;;) {
		if (!write_text(batch))
			return OUTPUT_FAILED;
		if (!report_batch_has_more(batch))
			return 0;
		report_batch_drop_text(batch);
		ret = report_batch_print(batch, r->line[nr_threads(r) - 1], r->as_json);
		if (ret)
			return ret;
	}
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
	/* The last lines are those of the thread that reads, and writes the text. */
	for (unsigned int i = 0; i < threads; i++) {
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
	dat_sum_lost(&r->lost, &r->lost_unknown, lost);
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

static int print_buffer_lost_last(struct report *r, const struct source *s, unsigned int b)
{
	unsigned int nr_cpus = rbmap_recording_cpus(s->in.reader);
	struct dat_loss loss;
	int ret = 0;

	for (unsigned int cpu = 0; !ret && cpu < nr_cpus; cpu++) {
		loss = (struct dat_loss){ 0 };
		if (tells_losses(s, cpu))
			loss = dat_buffer_loss_behind(s->in.reader, b, cpu);
		ret = add_lost(r, cpu, loss.known, &s->buffer[b]);
		r->position += READ_EVENT;
		if (!ret && loss.more)
			ret = add_lost(r, cpu, RBMAP_LOST_UNKNOWN, &s->buffer[b]);
		r->position += READ_EVENT;
	}
	return ret;
}

static int print_lost_last(struct report *r, const struct source *s)
{
	int ret = 0;

	for (unsigned int b = 0; !ret && b < rbmap_recording_buffers(s->in.reader); b++)
		ret = print_buffer_lost_last(r, s, b);
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

int report_run(void *arg)
{
	struct report *r = arg;
	int ret, error;

	r->skipped = crash_notes()->progress;
	ret = report_load_sources(r);
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
