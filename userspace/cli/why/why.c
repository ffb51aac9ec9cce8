// SPDX-License-Identifier: GPL-2.0-only
/* rbmap why: why a task waited, in one sentence. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "input/crash_guard.h"
#include "input/input.h"
#include "input/input_events.h"
#include "intervals/functions.h"
#include "intervals/intervals.h"
#include "intervals/why/history.h"
#include "intervals/why/sentence.h"
#include "intervals/why/stall.h"
#include "intervals/why/why_view.h"
#include "recording/dat_read.h"

extern const struct command command_why;

/* ---- record what happens now */

#define FILE_NAME	"trace.dat"

/* The recording, in a folder that nobody else can read */
struct live_recording {
	char folder[4096];
	char path[4096 + 16];
};

static void run_record(const char *path, double duration)
{
	char seconds[32];
	const char *argv[] = {
		"rbmap", "record", "--for", "why", "-q", "-o", path, "-d", seconds, NULL
	};

	snprintf(seconds, sizeof(seconds), "%f", duration);
	if (!duration)
		argv[7] = NULL;
	/* Without its parent nobody would end the recording, or read it. */
	prctl(PR_SET_PDEATHSIG, SIGINT);
	execv("/proc/self/exe", (char **)argv);
	complain("cannot run rbmap record: %s", strerror(errno));
	_exit(STATUS_ERROR);
}

/* Ctrl-C is for the recorder: it ends, and this command goes on. */
static bool record_to(const char *path, double seconds)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int status = 0;
	pid_t pid;

	pid = fork();
	if (!pid)
		run_record(path, seconds);
	if (pid < 0) {
		complain("cannot start a process: %s", strerror(errno));
		return false;
	}
	sigaction(SIGINT, &ignore, &before);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Remove the file and its folder. A process that has opened it can read on. */
static void live_remove(const struct live_recording *live)
{
	unlink(live->path);
	rmdir(live->folder);
}

/*
 * Run rbmap record --for why until @seconds have passed (0: no limit) or Ctrl-C is pressed.
 * Return false if that failed: the error is reported, and no file is left.
 */
static bool live_record(struct live_recording *live, double seconds)
{
	const char *dir = getenv("TMPDIR");

	snprintf(live->folder, sizeof(live->folder), "%s/rbmap-why-XXXXXX",
		 dir && *dir ? dir : "/tmp");
	if (!mkdtemp(live->folder)) {
		complain("cannot make a folder %s for the recording: %s (TMPDIR names another place)",
			 live->folder, strerror(errno));
		return false;
	}
	snprintf(live->path, sizeof(live->path), "%s/" FILE_NAME, live->folder);
	if (record_to(live->path, seconds))
		return true;
	live_remove(live);
	return false;
}

/* ---- find and print the answers */

#define MOST_WORST	1000

struct why {
	struct input in;
	const char *at;
	uint64_t worst;
	bool shows_all;
	bool as_json;
	bool by_cgroup;
	bool is_live;
	double seconds;		/* with @is_live; 0: until Ctrl-C */

	struct intervals *intervals;
	struct history *history;
	struct functions *functions;
	struct why_view view;
	const struct rbmap_event *event;	/* the present one; NULL: no event follows */
	bool has_switches;
	bool failed;
};

/* ---- the recording */
static bool ends_selected(const struct why *w, const struct interval *interval)
{
	const struct selector *selector = w->in.selector;

	return !selector ||
	       selector_ends(selector, interval->cpu, w->event,
			     w->event ? intervals_comm_of(w->intervals, w->event) : NULL);
}

static void keep(void *data, const struct interval *interval)
{
	struct why *w = data;

	w->has_switches |= interval->kind == INTERVAL_ONCPU && !interval->unfinished;
	if (!history_add(w->history, interval, ends_selected(w, interval)))
		w->failed = true;
}

static bool load(struct why *w)
{
	w->intervals = intervals_new(keep, w);
	w->history = history_new(dat_cgroups(w->in.reader));
	if (!w->intervals || !w->history)
		return false;
	intervals_pass_sleepers(w->intervals);
	intervals_keep_comms(w->intervals);
	return intervals_load(w->intervals, w->in.reader, &w->functions);
}

static void add_loss(struct why *w, uint64_t lost)
{
	dat_sum_lost(&w->view.lost, &w->view.lost_unknown, lost);
}

#define BEGIN_AGAIN	1	/* names of intervals were wrong until now: run() begins again */
#define CHECK_EVENTS	64	/* between two looks at that: a power of two */

static int each_event(void *data, const struct rbmap_event *ev)
{
	struct why *w = data;
	uint64_t at;

	if (!w->view.events && w->in.relative)
		w->in.time.ring = ev->ts;
	/* answer() reports a time that is invalid. */
	if (!w->view.events++ && w->at && !time_view_parse(&w->in.time, w->at, &at))
		history_set_focus(w->history, at);
	add_loss(w, ev->lost);
	w->event = ev;
	if (intervals_event(w->intervals, ev) || w->failed)
		return -ENOMEM;
	if (w->view.events % CHECK_EVENTS)
		return 0;
	return intervals_wants_scan(w->intervals) ? BEGIN_AGAIN : 0;
}

static int each_lost(void *data, unsigned int cpu, uint64_t lost)
{
	(void)cpu;
	add_loss(data, lost);
	return 0;
}

/* ---- tasks */
/* As in rbmap latency, the name is that at the end of the wait. */
static const char *comm_of(const struct why *w, const struct piece *piece)
{
	return intervals_comm_at(w->intervals, piece->pid, piece->end);
}

static bool is_selected(void *data, const struct piece *piece)
{
	const struct why *w = data;

	return !w->in.selector ||
	       selector_has_task(w->in.selector, piece->pid, comm_of(w, piece));
}

/* Unless the user asks for them, rbmap and its threads are left out. */
static bool is_wanted(void *data, const struct piece *piece)
{
	const struct why *w = data;

	return w->shows_all || selection_names_tasks(&w->in.selection) || !piece->pid ||
	       !comm_is_recorder(comm_of(w, piece));
}

static bool is_kernel(void *data, const struct piece *piece)
{
	const struct why *w = data;

	return stall_is_of_kernel(comm_of(w, piece));
}

/* Idle waits say nothing about a cgroup, unless the user has named a task. */
static bool sum_up(void *data, const struct piece *piece, const struct analysis *analysis,
		   bool idle)
{
	struct why *w = data;

	if (!idle || w->view.named)
		cgroup_table_add(&w->view.table, piece->pid, analysis);
	return true;
}

static bool sums_begin(struct why *w)
{
	const struct dat_cgroups *cgroups = dat_cgroups(w->in.reader);

	w->view.by_cgroup = w->by_cgroup;
	if (!w->by_cgroup)
		return true;
	if (cgroups)
		return cgroup_table_init(&w->view.table, cgroups);
	complain("--by cgroup: %s does not have the cgroups of its tasks: 'rbmap record' stores them",
		 w->in.path);
	return false;
}

/* ---- the answer */
static bool answer(struct why *w)
{
	struct stall_choice choice = {
		.is_wanted = is_wanted, .is_selected = is_selected, .is_kernel = is_kernel,
		.data = w,
	};
	const char *wrong;
	bool ok;

	if (w->at) {
		wrong = time_view_parse(&w->in.time, w->at, &choice.at);
		if (wrong) {
			complain("--at %s: %s", w->at, wrong);
			return false;
		}
	}
	w->view.time = &w->in.time;
	w->view.teller = (struct teller){
		.intervals = w->intervals, .history = w->history, .time = &w->in.time,
	};
	w->view.worst = w->worst;
	w->view.named = selection_names_tasks(&w->in.selection) || w->at;
	w->view.selects = w->in.selector;
	if (!sums_begin(w))
		return false;
	choice.each = w->by_cgroup ? sum_up : NULL;
	w->failed = !stalls_find(&w->view.stalls, w->history, &choice);
	if (w->by_cgroup)
		cgroup_table_sort(&w->view.table);
	ok = !w->failed &&
	     (w->as_json ? why_view_json(&w->view, rbmap_recording_clock(w->in.reader)) :
			   why_view_text(&w->view));
	if (!ok)
		complain("out of memory");
	stalls_free(&w->view.stalls);
	cgroup_table_free(&w->view.table);
	return ok;
}

/* Forget what the events until now have said. Return false if memory is lacking. */
static bool begin_again(struct why *w)
{
	intervals_free(w->intervals);
	functions_free(w->functions);
	history_free(w->history);
	w->view.events = 0;
	w->view.lost = 0;
	w->view.lost_unknown = false;
	w->has_switches = false;
	rbmap_recording_rewind(w->in.reader);
	return load(w);
}

/* Return 0 or a negative error. */
static int pass_events(struct why *w, bool scans)
{
	int ret = 0;

	/* The event that tells a name may lie behind --until, or before --since. */
	if (scans || w->in.since || w->in.until)
		ret = intervals_scan_recording(w->intervals, w->in.reader, w->in.from);
	return ret ? ret : input_each_event(&w->in, NULL, each_event, each_lost, w);
}

static int run(void *data)
{
	struct why *w = data;
	struct input *in = &w->in;
	int ret;

	if (!load(w))
		return input_failed(&w->in, -ENOMEM);
	if (selection_begin(&in, 1) || input_choose_one_buffer(&w->in) || !input_set_times(&w->in))
		return STATUS_ERROR;
	ret = pass_events(w, false);
	if (!ret && intervals_wants_scan(w->intervals))
		ret = begin_again(w) ? pass_events(w, true) : -ENOMEM;
	if (ret)
		return input_failed(&w->in, ret);
	w->event = NULL;
	if (intervals_end(w->intervals))
		return input_failed(&w->in, -ENOMEM);
	if (!w->has_switches) {
		complain("%s has no sched_switch, so nobody can tell who waited: rbmap record --for why",
			 w->in.path);
		return STATUS_ERROR;
	}
	if (!answer(w))
		return STATUS_ERROR;
	if (fflush(stdout) || ferror(stdout))
		return STATUS_ERROR;	/* finish_stdout() reports the cause */
	input_tell_sums(&w->in, w->view.events, w->view.lost, w->view.lost_unknown,
			w->view.stalls.not_selected, "waits");
	return input_tell_damage(&w->in, "used") ? STATUS_CUT : STATUS_OK;
}

/* The output comes at the end, where no format is used. */
static bool again(void *data)
{
	(void)data;
	return true;
}

/* ---- options */
static int set_worst(const struct command *cmd, void *to, char *value)
{
	struct why *w = to;

	if (!parse_u64(value, &w->worst) || !w->worst || w->worst > MOST_WORST)
		return usage_error(cmd, "invalid number of waits '%s': 1 to %d", value,
				   MOST_WORST);
	return STATUS_OK;
}

static int set_key(const struct command *cmd, void *to, char *value)
{
	struct why *w = to;

	if (strcmp(value, "cgroup"))
		return usage_error(cmd, "--by %s: the only key is cgroup", value);
	w->by_cgroup = true;
	return STATUS_OK;
}

static const struct cli_option options[] = {
	RESULT_SELECTION_OPTIONS(struct why, "waits"),
	SELECTION_CPUS_OPTION(struct why),
	{ .name = "at", .arg = "TIME", .kind = "text", .target = STRING(struct why, at),
	  .help = "only waits in which TIME lies, written as for --since" },
	{ .name = "worst", .arg = "N", .kind = "number", .target = { .set = set_worst },
	  .help = "explain the N worst waits (1)" },
	{ .name = "by", .arg = "KEY", .kind = "cgroup", .target = { .set = set_key },
	  .help = "the shares of the causes in the waits of each cgroup" },
	{ .name = "all", .letter = 'a', .target = FLAG(struct why, shows_all),
	  .help = "also waits of rbmap itself" },
	JSON_OPTION(struct why, as_json),
	INPUT_BUFFER_OPTION(struct why, "use"),
	INPUT_TIME_OPTIONS(struct why, "use"),
	{ .name = "live", .letter = 'l', .target = FLAG(struct why, is_live),
	  .help = "record the kernel's events from now on, until Ctrl-C, and\n"
		  "answer then" },
	{ .name = "duration", .letter = 'd', .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct why, seconds),
	  .help = "end after SECONDS; with --live" },
	{ 0 }
};

/* Return a status. */
static int check(const struct why *w)
{
	if (w->is_live && (w->in.since || w->in.until || w->in.buffer))
		return usage_error(&command_why, "--since, --until and --buffer are for a recording: without --live");
	if (w->seconds && !w->is_live)
		return usage_error(&command_why, "--duration needs --live");
	return input_check_times(&w->in, &command_why);
}

static int open_live(struct why *w)
{
	static struct live_recording live;
	int status;

	if (!live_record(&live, w->seconds))
		return STATUS_ERROR;
	w->in.path = live.path;
	status = input_open(&w->in);
	live_remove(&live);
	return status;
}

static int why(int argc, char **argv)
{
	static struct why w = { .in.path = DEFAULT_INPUT, .worst = 1 };
	struct crash_guard guard = { .run = run, .again = again, .arg = &w, .command = &command_why };
	int status;

	if (!parse_options(&command_why, argc, argv, &w, &status))
		return status;
	status = check(&w);
	if (status)
		return status;
	if (optind < argc && !w.is_live)
		w.in.path = argv[optind++];
	if (optind < argc)
		return usage_error(&command_why, "unexpected argument '%s': why reads one recording",
				   argv[optind]);
	status = w.is_live ? open_live(&w) : input_open(&w.in);
	if (status)
		return status;
	guard.path = &w.in.path;
	guard.nr_paths = 1;
	status = crash_guard(&guard);
	return status == CRASH_GUARD_FAILED ? STATUS_CUT : status;
}

const struct command command_why = {
	.name		= "why",
	.synopsis	= "[-p TASK]... [--comm PATTERN]... [--cgroup GROUP]...\n"
			  "                 [-c LIST]... [-e EVENT]... [--filter EXPR] [--at TIME]\n"
			  "                 [--worst N | --by cgroup] [--all] [--json]\n"
			  "                 [--buffer NAME] [--wall | --utc | --relative]\n"
			  "                 [--since TIME] [--until TIME] [FILE]\n"
			  "       rbmap why --live [-d SECONDS] [OPTION]...",
	.summary	= "Say why a task waited, in one sentence",
	.options	= options,
	.help		=
	"FILE is a recording, as for 'rbmap report'; default: " DEFAULT_INPUT "; -: standard input.\n"
	"'rbmap record --for why' records what the answer needs.\n"
	"The wait is followed along the tasks that ended it to its root. Below the sentence\n"
	"is the share of each cause; the shares sum to the wait.\n"
	"Exit status 3: the recording is truncated or damaged; its readable events were\n"
	"used.\n",
	.run		= why,
};
