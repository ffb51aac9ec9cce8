// SPDX-License-Identifier: GPL-2.0-only
/* rbmap stream: print events as they come. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <rbmap.h>

#include "common/cli.h"
#include "common/control.h"
#include "common/options.h"
#include "common/selection.h"
#include "json_lines.h"
#include "json_live.h"
#include "probe/made_events.h"
#include "record/loss.h"
#include "record/event_select.h"
#include "record/own_buffer.h"
#include "record/shared_ring.h"
#include "text.h"

#define WAIT_MS		100	/* in ms; events below the watermark wake no reader */
#define DRAIN_SECONDS	1.0	/* time for the remaining events after an interrupt */
#define LOOK_SECONDS	0.5	/* between looks at other readers */
#define MAX_CORRUPT	100
#define WRITE_SIZE	65536	/* in bytes; less is written before a wait */

struct stream {
	struct patterns patterns;
	uint64_t count;		/* number of events to print; 0: no limit */
	double seconds;		/* 0: no limit */
	bool no_follow;
	bool observe;
	bool as_json;
	struct own_buffer own;
	struct made_events made;

	struct rbmap_merge *merge;
	struct text *text;
	struct buf out;			/* lines that are not written yet */
	struct buf body;		/* for json_lines_add() */
	struct control_events events;
	bool raw;		/* the buffer has events of a kernel module */
	bool switched;		/* this command enabled the events */
	struct event_select event_select;
	struct shared_ring shared;
	double next_look;		/* at other readers */
	uint64_t until;		/* time of the last event to print; 0: no limit */
	struct rbmap_loss before;
	uint64_t printed;
	unsigned int corrupt;
	int write_error;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/*
 * Install handlers without SA_RESTART, so that a signal ends a wait. If the
 * reader of the output has left, the process must live on to restore the
 * events.
 */
static void catch_signals(void)
{
	struct sigaction act = { .sa_handler = interrupt };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGQUIT, &act, NULL);
	if (!hangup_is_ignored())
		sigaction(SIGHUP, &act, NULL);
	act.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &act, NULL);
}

static int set_count(const struct command *cmd, void *to, char *value)
{
	uint64_t *count = to;

	if (!parse_u64(value, count) || !*count)
		return usage_error(cmd, "invalid number of events '%s'", value);
	return STATUS_OK;
}

static const struct cli_option options[] = {
	BUFFER_OPTION,
	{ .name = "event", .letter = 'e', .arg = "EVENT", .kind = "event",
	  .target = PATTERNS(struct stream, patterns),
	  .help = "enable EVENT (SYSTEM:EVENT, wildcards allowed) until\n"
		  "the end; may be given more than once" },
	{ .name = "filter", .arg = "EXPR", .kind = "text",
	  .target = STRING(struct stream, event_select.filter),
	  .help = "print an EVENT only if EXPR is true, in ftrace's\n"
		  "syntax: 'prev_pid == 1 || next_comm ~ \"ssh*\"'" },
	{ .name = "pid", .letter = 'p', .arg = "PID", .kind = "pid",
	  .target = PIDS(struct stream, event_select),
	  .help = "print only events of this process and its children;\n"
		  "may be given more than once" },
	{ .name = "count", .letter = 'n', .arg = "COUNT", .kind = "number",
	  .target = OPTION_TO(set_count, uint64_t, struct stream, count),
	  .help = "end after COUNT events" },
	{ .name = "duration", .letter = 'd', .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct stream, seconds),
	  .help = "end after SECONDS" },
	{ .name = "no-follow", .target = FLAG(struct stream, no_follow),
	  .help = "print the events that the rings hold now, and end" },
	{ .name = "observe", .target = FLAG(struct stream, observe),
	  .help = "copy the events and leave them in the rings" },
	{ .name = "json", .letter = 'j', .target = FLAG(struct stream, as_json),
	  .help = "print one JSON object per line" },
	OWN_BUFFER_OPTIONS(struct stream),
	{ 0 }
};

static void add_format(void *data, int id)
{
	const struct stream *s = data;

	for (size_t i = 0; i < s->events.nr; i++) {
		const struct control_event *event = &s->events.v[i];
		char file[1024], *format;

		if (event->id != id)
			continue;
		snprintf(file, sizeof(file), "events/%s/%s/format", event->system, event->name);
		format = control_read(file);
		if (format)
			text_add_format(s->text, event->system, format, strlen(format));
		free(format);
	}
}

static bool load_text(struct stream *s)
{
	struct time_view view = { .style = TIME_RING };
	char *clock;

	s->text = text_new();
	if (!s->text) {
		complain("out of memory");
		return false;
	}
	s->raw = control_is_raw();
	text_raw(s->text, s->raw);
	text_with_json(s->text, s->as_json);
	text_ask_formats(s->text, add_format, s);
	text_comm_from_proc(s->text, true);
	text_symbols_from_proc(s->text, true);
	clock = control_clock();
	view.is_counter = clock_is_counter(clock);
	text_set_time(s->text, &view);
	free(clock);
	if (s->as_json)
		json_live_head(&s->out);
	return true;
}

static bool switch_events(struct stream *s)
{
	if (s->patterns.nr &&
	    control_select(&s->events, s->patterns.pattern,
			   s->patterns.nr))
		return false;
	s->switched = true;
	/* A new buffer records the marker. */
	if (own_buffer_is_own(&s->own) && control_disable_others(&s->events))
		return false;
	if (s->patterns.nr && !own_buffer_leave_out_self(&s->own))
		return false;
	return event_select_begin(&s->event_select, &s->events) &&
	       (!s->patterns.nr || !control_enable_selected(&s->events, true));
}

/*
 * Read the formats of the events that are to come: until the first one is printed, its
 * module may have left. Those of older events are read when they are printed.
 */
static void load_formats(struct stream *s)
{
	for (size_t i = 0; i < s->events.nr; i++) {
		const struct control_event *event = &s->events.v[i];

		if (s->patterns.nr ? event->selected : event->enabled)
			text_want_format(s->text, event->id);
	}
}

static void switch_back(struct stream *s)
{
	if (!s->switched)
		return;
	control_disable_ours(&s->events);
	event_select_end(&s->event_select, &s->events);
	own_buffer_restore_self(&s->own);
	if (!own_buffer_is_own(&s->own))
		control_restore(&s->events);
	s->switched = false;
}

/* If the reason is known, explain why no event comes. */
static void tell_silence(const struct stream *s)
{
	uint64_t on;

	if (!control_read_u64("tracing_on", &on) && !on)
		complain("tracing_on is 0: no event is written until it is 1");
	if (s->patterns.nr || s->raw)
		return;
	for (size_t i = 0; i < s->events.nr; i++)
		if (s->events.v[i].enabled &&
		    strcmp(s->events.v[i].system, "rbmap"))
			return;
	complain("no event is enabled%s%s: 'rbmap stream -e sched:*' enables some, 'rbmap list' lists all",
		 control_buffer() ? " in " : "",
		 control_buffer() ? control_buffer() : "");
}

static bool start(struct stream *s)
{
	int ret;

	if (!control_present() || !own_buffer_begin(&s->own, false))
		return false;
	if (!s->observe && s->own.use_default && !s->patterns.nr &&
	    shared_ring_has_reader()) {
		complain("note: another process reads this buffer: this command observes, and leaves the events to that reader");
		s->observe = true;
	}
	ret = s->observe ?
		rbmap_merge_observe_path(&s->merge, control_devices(), 0) :
		rbmap_merge_open_path(&s->merge, control_devices(), 0);
	if (ret) {
		complain("%s", rbmap_strerror(ret));
		return false;
	}
	rbmap_merge_loss(s->merge, &s->before);
	if (control_events_read(&s->events) || !load_text(s) ||
	    !made_events_begin(&s->made, &s->events, &s->patterns))
		return false;
	if (!own_buffer_is_own(&s->own) && !s->no_follow)
		selection_tell(&s->events);
	if (!switch_events(s))
		return false;
	load_formats(s);
	if (!s->no_follow)
		tell_silence(s);
	return true;
}

/* Combine a line of the stats of all CPUs that have stats. */
static uint64_t stats_of_all(const char *line,
			     uint64_t (*add)(uint64_t sum, const char *value))
{
	char file[64], *stats, *at;
	uint64_t sum = 0;

	/* CPU numbers may have gaps, but none as large as this. */
	for (int cpu = 0, gap = 0; gap < 1024; cpu++, gap++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
		stats = control_read(file);
		if (!stats)
			continue;
		gap = 0;
		at = strstr(stats, line);
		if (at)
			sum = add(sum, at + strlen(line));
		free(stats);
	}
	return sum;
}

static uint64_t add_number(uint64_t sum, const char *value)
{
	return sum + strtoull(value, NULL, 10);
}

/* The value is in seconds with six decimals, or a counter. */
static uint64_t latest_time(uint64_t latest, const char *value)
{
	uint64_t whole, micros = 0;
	int found = sscanf(value, "%" SCNu64 ".%" SCNu64, &whole, &micros);

	if (found == 2)
		whole = whole * 1000000000 + (micros + 1) * 1000;
	return found > 0 && whole > latest ? whole : latest;
}

/*
 * Return the number of unread events. Without this limit, "now" would move on
 * while events are printed.
 */
static uint64_t unread_events(void)
{
	return stats_of_all("entries: ", add_number);
}

/* An observer stops at the time of the events that were written until now. */
static uint64_t now_of_rings(void)
{
	return stats_of_all("now ts: ", latest_time);
}

static bool full(const struct stream *s)
{
	return s->count && s->printed >= s->count;
}

static bool write_lines(struct stream *s)
{
	size_t size = s->out.size;

	s->out.size = 0;
	if (!size || fwrite(s->out.data, 1, size, stdout) == size)
		return true;
	s->write_error = errno;
	return false;
}

/* Return 1 to go on, 0 if the output failed, -1 after another error. */
static int print(struct stream *s, const struct rbmap_event *ev)
{
	int ret;

	ret = s->as_json ? json_lines_add(s->text, ev, s->raw, &s->body, &s->out) :
			   text_add_line(s->text, ev, &s->out);
	if (ret) {
		complain("cannot print an event: %s", strerror(-ret));
		return -1;
	}
	return s->out.size < WRITE_SIZE || write_lines(s);
}

/* Return 1 to go on, 0 if nothing is there now, -1 after an error. */
static int next(struct stream *s, struct rbmap_event *ev)
{
	int ret = rbmap_merge_next(s->merge, ev);

	switch (ret) {
	case 0:
	case -EINTR:
		return 0;
	case 1:
		if (s->until && ev->ts > s->until)
			return 0;
		s->printed++;
		return print(s, ev);
	case RBMAP_ERR_GONE:
		complain("CPU %d: %s", ev->cpu, rbmap_strerror(ret));
		return 1;
	case RBMAP_ERR_CORRUPT:
		complain("CPU %d: %s; continuing after them", ev->cpu,
			 rbmap_strerror(ret));
		return ++s->corrupt < MAX_CORRUPT ? 1 : -1;
	}
	complain("%s", rbmap_strerror(ret));
	return -1;
}

/*
 * Print events up to a limit, or those that come until @deadline. Return false
 * after an error.
 */
static bool drain(struct stream *s, double deadline)
{
	struct rbmap_event ev;
	int ret = 0;

	while (!full(s) && (ret = next(s, &ev)) > 0)
		if (interrupted || (s->printed % 256 == 0 && now() >= deadline))
			break;
	write_lines(s);
	return ret >= 0;
}

static void look_for_readers(struct stream *s)
{
	if (s->observe || own_buffer_is_own(&s->own) || now() < s->next_look)
		return;
	shared_ring_look(&s->shared);
	s->next_look = now() + LOOK_SECONDS;
}

static bool follow(struct stream *s, double deadline)
{
	while (!interrupted && !full(s)) {
		double left = deadline - now();
		int ms = left * 1000 < WAIT_MS ? left * 1000 + 1 : WAIT_MS;
		int ret;

		if (left <= 0)
			break;
		if (!drain(s, deadline))
			return false;
		look_for_readers(s);
		if (fflush(stdout))
			s->write_error = errno;
		if (interrupted || full(s) || s->write_error)
			break;
		ret = rbmap_merge_wait(s->merge, ms);
		if (ret < 0 && ret != -EINTR) {
			complain("%s", rbmap_strerror(ret));
			return false;
		}
	}
	return true;
}

/*
 * Return whether the reader of the output has left. That, or a signal during a
 * write, is not an error. finish_stdout() reports all others.
 */
static bool reader_left(struct stream *s)
{
	if (!s->write_error && fflush(stdout))
		s->write_error = errno;
	if (s->write_error == EPIPE || s->write_error == EINTR)
		clearerr(stdout);
	return s->write_error == EPIPE;
}

static bool run(struct stream *s)
{
	double deadline = s->seconds ? now() + s->seconds : 1e18;
	bool ok;

	if (s->no_follow && s->observe) {
		s->until = now_of_rings();
		rbmap_merge_set_hold(s->merge, 0);
		return drain(s, deadline);
	}
	if (s->no_follow) {
		uint64_t unread = unread_events();

		if (!unread)
			return write_lines(s);
		if (!s->count || s->count > unread)
			s->count = unread;
		rbmap_merge_set_hold(s->merge, 0);
		return drain(s, deadline);
	}
	ok = follow(s, deadline);
	if (!ok || full(s) || s->write_error)
		return ok;
	/* Disable the events before the last ones are read. */
	switch_back(s);
	interrupted = 0;
	rbmap_merge_set_hold(s->merge, 0);
	return drain(s, now() + DRAIN_SECONDS);
}

/*
 * The causes are counted from the start of this command. A ring first reports
 * what it lost before: the printed lines contain that loss, so the sum does,
 * too.
 */
static void print_sums(struct stream *s)
{
	struct rbmap_loss after, loss = { 0 };
	uint64_t earlier = 0;

	fflush(stdout);
	rbmap_merge_loss(s->merge, &after);
	if (s->observe) {
		fprintf(stderr, "%" PRIu64 " events seen, %" PRIu64 " missed\n",
			s->printed, after.total);
		if (after.total)
			fprintf(stderr, "  overwritten before they were looked "
				"at, or dropped ('rbmap stat'): avoid it with "
				"fewer events or a larger buffer_size_kb\n");
		return;
	}
	loss_add(&loss, &after, &s->before);
	if (loss.reported != RBMAP_LOST_UNKNOWN && loss.reported > loss.total)
		earlier = loss.reported - loss.total;
	loss.total += earlier;
	loss_print(stderr, s->printed, &loss);
	if (earlier)
		fprintf(stderr, "  %" PRIu64 " before this began, when nobody "
			"read: avoid it by reading sooner, or with a larger "
			"buffer_size_kb\n", earlier);
}

static int stream(int argc, char **argv)
{
	const struct command *cmd = &command_stream;
	struct stream s = { 0 };
	bool ok, closed = false;
	int status;

	if (!parse_options(cmd, argc, argv, &s, &status))
		return status;
	if (optind < argc)
		return usage_error(cmd, "unexpected argument '%s': name events with -e",
				   argv[optind]);
	if (s.event_select.filter && !s.patterns.nr)
		return usage_error(cmd, NO_FILTER_EVENTS);
	/* Without -e the events are those that are enabled already, and old ones. */
	if (!s.patterns.nr && !control_buffer())
		s.own.use_default = true;
	status = own_buffer_check(&s.own, cmd);
	if (status)
		return status;
	catch_signals();
	ok = start(&s);
	if (ok) {
		ok = run(&s);
		closed = reader_left(&s);
	}
	switch_back(&s);
	if (ok)
		print_sums(&s);
	control_events_free(&s.events);
	text_free(s.text);
	buf_free(&s.out);
	buf_free(&s.body);
	rbmap_merge_close(s.merge);
	made_events_end(&s.made);
	own_buffer_end(&s.own);
	if (closed) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return ok ? STATUS_OK : STATUS_ERROR;
}

const struct command command_stream = {
	.name		= "stream",
	.synopsis	= "[-e EVENT]... [--filter EXPR] [-p PID]... [--self]\n"
			  "                    [-b SIZE] [--subbuf SIZE] [-C NAME] [--cpus LIST]\n"
			  "                    [-B NAME | --default] [-n COUNT] [-d SECONDS]\n"
			  "                    [--no-follow] [--observe] [--json]",
	.summary	= "Print events of all CPUs as text, in the order of time",
	.options	= options,
	.help		=
	"With -e the events go to a buffer of the command's own. Without -e the command\n"
	"prints the events of the default buffer. If another process reads that, the\n"
	"command observes.\n"
	"\n"
	"Reading consumes events: each event is printed once, by one reader. With\n"
	"--observe nothing is consumed, and any number of observers may run beside a\n"
	"reader. Ctrl-C ends the command. At the end it prints to stderr how many events\n"
	"were read and lost, with causes. Events of a kernel module's raw buffer are\n"
	"printed as bytes.\n",
	.run		= stream,
};
