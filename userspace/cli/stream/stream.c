// SPDX-License-Identifier: GPL-2.0-only
/* rbmap stream: print events as they come. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <rbmap.h>

#include "base/complain.h"
#include "base/process.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "kernel/module_symbols.h"
#include "live/live_events.h"
#include "live/machine.h"
#include "live/private_buffer.h"
#include "output.h"
#include "print/json_lines.h"
#include "print/line.h"
#include "print/session_formats.h"
#include "print/session_names.h"

extern const struct command command_stream;

#define WAIT_MS		100	/* in ms; events below the watermark wake no reader */
#define WRITE_SIZE	65536	/* in bytes; less is written before a wait */

struct stream {
	struct live_events live;
	struct private_buffer own;
	uint64_t count;		/* number of events to print; 0: no limit */
	double seconds;		/* 0: no limit */
	bool no_follow;
	bool as_json;

	struct print_session *session;
	struct print_line *line;
	struct module_symbols *symbols;	/* NULL: memory is lacking */
	struct output out;
	struct buf body;		/* for json_lines_add() */
	bool raw;		/* the buffer has events of a kernel module */
	uint64_t until;		/* time of the last event to print; 0: no limit */
	uint64_t printed;
	unsigned int reloads;	/* the formats of so many buffers of a driver were read */
};

/* Append the head for the present buffer: its clock now, and the wall clock. */
static void json_live_head(struct buf *out)
{
	int clock = moment_clock();
	const char *name = clock < 0 ? NULL : control_clock_name(clock);
	char text[sizeof(struct utsname)];
	struct dat_times times = { 0 };
	struct time_view view;
	struct utsname u;

	uname(&u);
	snprintf(text, sizeof(text), "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	moment_take(&times.begin, clock);
	time_view_init(&view, &times, clock_is_counter(name));
	json_head_add(name, text, &view, NULL, out);
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
	  .target = PATTERNS(struct stream, live.patterns),
	  .help = "enable EVENT (SYSTEM:EVENT, wildcards allowed) until\n"
		  "the end; may be given more than once" },
	{ .name = "filter", .arg = "EXPR", .kind = "text",
	  .target = STRING(struct stream, live.event_select.filter),
	  .help = "print an EVENT only if EXPR is true, in ftrace's\n"
		  "syntax: 'prev_pid == 1 || next_comm ~ \"ssh*\"'" },
	{ .name = "pid", .letter = 'p', .arg = "PID", .kind = "pid",
	  .target = PIDS(struct stream, live.event_select),
	  .help = "print only events of this process and its children;\n"
		  "may be given more than once" },
	CGROUP_OPTIONS(struct stream, live.event_select),
	{ .name = "count", .letter = 'n', .arg = "COUNT", .kind = "number",
	  .target = OPTION_TO(set_count, uint64_t, struct stream, count),
	  .help = "end after COUNT events" },
	{ .name = "duration", .letter = 'd', .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct stream, seconds),
	  .help = "end after SECONDS" },
	{ .name = "no-follow", .target = FLAG(struct stream, no_follow),
	  .help = "print the events that the rings hold now, and end" },
	{ .name = "observe", .target = FLAG(struct stream, live.observe),
	  .help = "copy the events and leave them in the rings" },
	{ .name = "json", .letter = 'j', .target = FLAG(struct stream, as_json),
	  .help = "print one JSON object per line" },
	PRIVATE_BUFFER_OPTIONS(struct stream),
	{ 0 }
};

/* Return whether the event is known. */
static bool add_known_format(const struct stream *s, int id)
{
	for (size_t i = 0; i < s->live.events.nr; i++) {
		struct control_event *event = &s->live.events.v[i];
		char *format;

		if (control_event_id(event) != id)
			continue;
		format = live_events_format(event);
		if (format)
			print_session_add_format(s->session, event->system, format, strlen(format));
		free(format);
		return true;
	}
	return false;
}

/* A driver's new buffer was there before its events. They are before the first record. */
static void add_format(void *data, int id)
{
	struct stream *s = data;

	if (!add_known_format(s, id) && s->live.driver.module && live_events_read_again(&s->live))
		add_known_format(s, id);
}

static const struct symbol *find_symbol(void *data, uint64_t addr)
{
	return module_symbols_find(data, addr);
}

static bool load_session(struct stream *s)
{
	struct time_view view = { .style = TIME_RING };
	char *clock;

	s->session = print_session_new();
	if (!s->session) {
		complain("out of memory");
		return false;
	}
	s->raw = control_is_raw();
	print_session_raw(s->session, s->raw);
	print_session_with_json(s->session, s->as_json);
	print_session_ask_formats(s->session, add_format, s);
	print_session_comm_from_proc(s->session, true);
	s->symbols = module_symbols_new();
	if (s->symbols)
		print_session_ask_symbols(s->session, find_symbol, s->symbols);
	clock = control_clock();
	view.is_counter = clock_is_counter(clock);
	print_session_set_time(s->session, &view);
	free(clock);
	s->line = print_line_new(s->session);
	if (!s->line) {
		complain("out of memory");
		return false;
	}
	if (s->as_json)
		json_live_head(&s->out.text);
	return true;
}

/*
 * Read the formats of the events that are to come: until the first one is printed, its
 * module may have left. Those of older events are read when they are printed.
 */
static void load_formats(struct stream *s)
{
	for (size_t i = 0; i < s->live.events.nr; i++) {
		struct control_event *event = &s->live.events.v[i];

		if (s->live.patterns.nr ? event->selected : event->enabled)
			print_session_want_format(s->session, control_event_id(event));
	}
}

/* If the reason is known, explain why no event comes. */
static void tell_silence(const struct stream *s)
{
	uint64_t on;

	if (!control_read_u64("tracing_on", &on) && !on)
		complain("tracing_on is 0: no event is written until it is 1");
	if (s->live.patterns.nr || s->raw)
		return;
	for (size_t i = 0; i < s->live.events.nr; i++)
		if (s->live.events.v[i].enabled &&
		    strcmp(s->live.events.v[i].system, "rbmap"))
			return;
	complain("no event is enabled%s%s: 'rbmap stream -e sched:*' enables some, 'rbmap list' lists all",
		 control_buffer() ? " in " : "",
		 control_buffer() ? control_buffer() : "");
}

static bool start(struct stream *s)
{
	if (!live_events_open(&s->live) || !load_session(s))
		return false;
	if (!s->no_follow)
		live_events_tell_selection(&s->live);
	if (!live_events_enable(&s->live))
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

/* Return 1 to go on, 0 if the output failed, -1 after another error. */
static int print(struct stream *s, const struct rbmap_event *ev)
{
	int ret;

	ret = s->as_json ? json_lines_add(s->line, ev, s->raw, &s->body, &s->out.text) :
			   print_line_add(s->line, ev, &s->out.text);
	if (!ret && !output_end_event(&s->out))
		ret = -ENOMEM;
	if (ret) {
		complain("cannot print an event: %s", strerror(-ret));
		return -1;
	}
	return s->out.text.size < WRITE_SIZE || output_write(&s->out);
}

/* Return 1 to go on, 0 if nothing is there now, -1 after an error. */
static int next(struct stream *s, struct rbmap_event *ev)
{
	int ret = live_events_next(&s->live, ev);

	if (s->reloads != s->live.reloads) {
		s->reloads = s->live.reloads;
		load_formats(s);
	}
	if (ret != 1)
		return ret;
	if (s->until && ev->ts > s->until)
		return 0;
	s->printed++;
	return print(s, ev);
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
		if (live_events_interrupted() || (s->printed % 256 == 0 && now() >= deadline))
			break;
	output_write(&s->out);
	return ret >= 0;
}

static bool follow(struct stream *s, double deadline)
{
	while (!live_events_interrupted() && !full(s)) {
		double left = deadline - now();
		int ms = left * 1000 < WAIT_MS ? left * 1000 + 1 : WAIT_MS;

		if (left <= 0)
			break;
		if (!drain(s, deadline))
			return false;
		live_events_look(&s->live);
		if (live_events_interrupted() || full(s) || s->out.error)
			break;
		if (!live_events_wait(&s->live, ms))
			return false;
	}
	return true;
}

/* The reader of the output may leave, and a second signal ends the output: no errors. */
static bool output_failed(const struct output *out)
{
	return out->error && out->error != EPIPE && out->error != EINTR;
}

static bool run(struct stream *s)
{
	double deadline = s->seconds ? now() + s->seconds : 1e18;
	bool ok;

	if (s->no_follow && s->live.observe) {
		s->until = now_of_rings();
		rbmap_merge_set_hold(s->live.merge, 0);
		return drain(s, deadline);
	}
	if (s->no_follow) {
		uint64_t unread = unread_events();

		if (!unread) {
			output_write(&s->out);
			return true;
		}
		if (!s->count || s->count > unread)
			s->count = unread;
		rbmap_merge_set_hold(s->live.merge, 0);
		return drain(s, deadline);
	}
	ok = follow(s, deadline);
	if (!ok || full(s) || s->out.error)
		return ok;
	/* Disable the events before the last ones are read. */
	live_events_disable(&s->live);
	live_events_continue();
	rbmap_merge_set_hold(s->live.merge, 0);
	return drain(s, live_events_last_deadline(&s->live));
}

/* Losses behind the last event of a CPU: no event says so. */
static void print_lost_last(void *data, int cpu, uint64_t lost)
{
	struct stream *s = data;

	if (s->as_json) {
		json_lines_lost(s->session, cpu, lost, NULL, &s->out.text);
		return;
	}
	print_line_add_dropped(s->line, cpu, lost, &s->out.text);
	buf_printf(&s->out.text, "\n");
}

static bool print_loss(struct stream *s)
{
	struct live_loss loss = live_events_loss(&s->live);
	uint64_t unwritten = s->out.error == EPIPE ? 0 : s->out.unwritten;
	bool whole;

	if (!s->out.error) {
		live_events_lost_last(&s->live, print_lost_last, s);
		output_write(&s->out);
	}
	whole = live_events_print_loss(&s->live, s->printed - unwritten, &loss);
	if (unwritten)
		fprintf(stderr, "  %" PRIu64 " more events were read and not printed: %s\n",
			unwritten, s->out.error == EINTR ?
			"a second signal ended the output" : "the output failed");
	return whole;
}

static int stream(int argc, char **argv)
{
	const struct command *cmd = &command_stream;
	struct stream s = { .live.own = &s.own };
	bool ok;
	int status;

	if (!parse_options(cmd, argc, argv, &s, &status))
		return status;
	if (optind < argc)
		return usage_error(cmd, "unexpected argument '%s': name events with -e",
				   argv[optind]);
	if (s.live.event_select.filter && !s.live.patterns.nr)
		return usage_error(cmd, NO_FILTER_EVENTS);
	/* Without -e the events are those that are enabled already, and old ones. */
	if (!s.live.patterns.nr && !control_buffer())
		s.own.use_default = true;
	status = private_buffer_check(&s.own, cmd);
	if (status)
		return status;
	s.live.survives = !s.no_follow;
	live_events_catch_signals();
	ok = start(&s);
	ok = ok && run(&s);
	live_events_disable(&s.live);
	ok = ok && print_loss(&s);
	if (output_failed(&s.out)) {
		complain("cannot write the output: %s", strerror(s.out.error));
		ok = false;
	}
	print_line_free(s.line);
	print_session_free(s.session);
	module_symbols_free(s.symbols);
	buf_free(&s.body);
	output_free(&s.out);
	live_events_close(&s.live);
	if (s.out.error == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return ok ? STATUS_OK : STATUS_ERROR;
}

const struct command command_stream = {
	.name		= "stream",
	.synopsis	= "[-e EVENT]... [--filter EXPR] [-p PID]... [--cgroup PATH]...\n"
			  "                    [--unit NAME]... [--container NAME]... [--self]\n"
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
	"printed as bytes. If the module of a buffer is removed, the command waits until\n"
	"it is loaded again, and says what was lost.\n",
	.run		= stream,
};
