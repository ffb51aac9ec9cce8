// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/rbmap.h>

#include "base/complain.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/suggest.h"
#include "choose.h"
#include "event_common.h"
#include "input/input.h"
#include "input/input_events.h"
#include "intervals/functions.h"
#include "intervals/intervals.h"
#include "intervals/summary/summary.h"
#include "intervals/why/history.h"
#include "intervals/why/stall.h"
#include "intervals/why/why_view.h"
#include "recording/dat_read.h"

#define WORST_TASKS	3	/* intervals of each kind that give their tasks a lane */
#define MOST_WORST_TASKS	12
#define WORST_STALLS	10	/* answers in the panel */
#define CHAIN_STALLS	3	/* their chains come first */
#define MOST_CHAIN_TASKS	12

/**
 * struct seen - a task of the recording
 * @interest: NR_INTERESTS: it is not chosen yet
 */
struct seen {
	bool used;
	int pid;
	enum interest interest;
	uint64_t events;
};

#define FIRST_SLOTS	1024

static inline size_t hash_of(int pid)
{
	return hash_u32(pid);
}

static inline int pid_of(const struct seen *seen)
{
	return seen->pid;
}

static inline bool is_of(const struct seen *seen, int pid)
{
	return seen->pid == pid;
}

HASH_TABLE(seen_table, struct seen);
HASH_FUNCTIONS(seen_table, struct seen, int, FIRST_SLOTS, hash_of, is_of, pid_of);

struct look {
	const struct html *html;
	struct input *in;
	struct chosen *chosen;
	struct intervals *intervals;
	struct functions *functions;
	struct history *history;
	struct summary summary[NR_INTERVAL_KINDS];
	struct summary blocked;
	struct seen_table seen;
	struct seen **sorted;	/* all of them, those with the most events first */
	bool has_switches;
	int error;
};

static struct seen *seen_task(struct look *look, int pid)
{
	struct seen *seen = seen_table_find(&look->seen, pid);

	if (seen)
		return seen;
	seen = seen_table_place(&look->seen, pid);
	if (!seen)
		return NULL;
	*seen = (struct seen){ .used = true, .pid = pid, .interest = NR_INTERESTS };
	look->seen.nr++;
	return seen;
}

/* ---- look at all events */
static void keep(struct look *look, const struct interval *interval)
{
	look->has_switches |= interval->kind == INTERVAL_ONCPU && !interval->unfinished;
	if (!history_add(look->history, interval, true))
		look->error = -ENOMEM;
}

static void add_interval(void *data, const struct interval *interval)
{
	struct look *look = data;

	keep(look, interval);
	/* A task that runs for long is not late, and neither is one that sleeps at the end. */
	if (interval->kind == INTERVAL_ONCPU || interval_is_idle(interval) ||
	    (interval->kind == INTERVAL_OFFCPU && interval->unfinished &&
	     !interval_is_uninterruptible(interval)))
		return;
	summary_add_worst(&look->summary[interval->kind], look->intervals, interval);
	if (interval_is_uninterruptible(interval))
		summary_add_worst(&look->blocked, look->intervals, interval);
}

static int look_at(void *data, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	struct look *look = data;
	struct seen *seen;
	int ret = intervals_event(look->intervals, ev);

	if (ret || look->error || !event_common(ev, &common))
		return ret ? ret : look->error;
	seen = seen_task(look, common.pid);
	if (!seen)
		return -ENOMEM;
	seen->events++;
	return 0;
}

static int begin(struct look *look)
{
	look->intervals = intervals_new(add_interval, look);
	look->history = history_new(dat_cgroups(look->in->reader));
	if (!look->intervals || !look->history)
		return -ENOMEM;
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		if (!summary_init(&look->summary[kind], kind, ROW_NAME, WORST_TASKS))
			return -ENOMEM;
	if (!summary_init(&look->blocked, INTERVAL_OFFCPU, ROW_NAME, WORST_TASKS))
		return -ENOMEM;
	intervals_pass_sleepers(look->intervals);
	return intervals_load(look->intervals, look->in->reader, &look->functions) ? 0 : -ENOMEM;
}

static void end(struct look *look)
{
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		summary_free(&look->summary[kind]);
	summary_free(&look->blocked);
	intervals_free(look->intervals);
	functions_free(look->functions);
	history_free(look->history);
	free(look->seen.slot);
	free(look->sorted);
}

/* ---- choose: a task keeps its first interest */
static bool has_room(const struct look *look)
{
	return look->chosen->nr < MOST_TASK_LANES;
}

static void add(struct look *look, int pid, enum interest interest)
{
	struct seen *seen = pid > 0 && has_room(look) ? seen_task(look, pid) : NULL;

	if (!seen || seen->interest != NR_INTERESTS)
		return;
	seen->interest = interest;
	look->chosen->task[look->chosen->nr++] = (struct chosen_task){ pid, interest };
}

static bool is_recorder(const struct look *look, int pid)
{
	return comm_is_recorder(intervals_comm(look->intervals, pid));
}

static void add_worst(struct look *look, const struct summary *s, unsigned int i, size_t most)
{
	if (i < s->nr_worst && look->chosen->nr < most)
		add(look, s->worst[i].interval.pid, INTEREST_WORST);
}

static void choose_worst(struct look *look)
{
	size_t most = look->chosen->nr + MOST_WORST_TASKS;

	for (unsigned int i = 0; i < WORST_TASKS; i++) {
		add_worst(look, &look->blocked, i, most);
		for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
			add_worst(look, &look->summary[kind], i, most);
	}
}

static bool fits(const struct look *look, const struct seen *seen, const char *pattern)
{
	return seen->pid > 0 && !fnmatch(pattern, intervals_comm(look->intervals, seen->pid), 0);
}

static bool choose_pattern(struct look *look, const char *pattern)
{
	bool found = false;

	for (size_t i = 0; i < look->seen.nr; i++) {
		if (!fits(look, look->sorted[i], pattern))
			continue;
		found = true;
		add(look, look->sorted[i]->pid, INTEREST_NAMED);
	}
	return found;
}

/* The rest of the selection's options are not about tasks. */
static bool is_of_cgroups(const struct look *look, int pid)
{
	return look->in->selection.nr_cgroups && selector_has_task(look->in->selector, pid, NULL);
}

static void choose_cgroups(struct look *look)
{
	for (size_t i = 0; i < look->seen.nr; i++)
		if (look->sorted[i]->pid > 0 && is_of_cgroups(look, look->sorted[i]->pid))
			add(look, look->sorted[i]->pid, INTEREST_NAMED);
}

static int complain_pattern(const struct look *look, const char *pattern)
{
	struct suggest suggest = { .wanted = pattern };
	char list[512];

	for (size_t i = 0; i < look->seen.nr; i++) {
		const char *comm = intervals_comm(look->intervals, look->sorted[i]->pid);

		if (*comm)
			suggest_offer(&suggest, comm, comm);
	}
	suggest_list(&suggest, list, sizeof(list));
	complain("%s has no task '%s'%s%s", look->in->path, pattern,
		 *list ? ": similar names: " : "", list);
	return STATUS_ERROR;
}

static int most_events_first(const void *a, const void *b)
{
	const struct seen *x = *(const struct seen *const *)a, *y = *(const struct seen *const *)b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* No task may come to the table from here on, because a table that grows moves. */
static int sort_tasks(struct look *look)
{
	look->sorted = hash_sorted(&look->seen, most_events_first);
	return look->sorted ? 0 : -ENOMEM;
}

/* The other tasks: those with the most events first, and the recorder last. */
static void choose_others(struct look *look)
{
	for (int recorder = 0; recorder < 2; recorder++)
		for (size_t i = 0; i < look->seen.nr; i++)
			if (is_recorder(look, look->sorted[i]->pid) == recorder)
				add(look, look->sorted[i]->pid,
				    recorder ? INTEREST_RECORDER : INTEREST_OTHER);
}

/* ---- rbmap why: the waits of the tasks that the user names, or of all */
static bool names_tasks(const struct look *look)
{
	return look->html->nr_pids || look->html->nr_tasks || look->in->selection.nr_cgroups;
}

static bool is_named(const struct look *look, int pid)
{
	for (size_t i = 0; i < look->html->nr_pids; i++)
		if (look->html->pid[i] == pid)
			return true;
	for (size_t i = 0; i < look->html->nr_tasks; i++)
		if (!fnmatch(look->html->task[i], intervals_comm(look->intervals, pid), 0))
			return true;
	return is_of_cgroups(look, pid);
}

static bool is_wanted(void *data, int pid)
{
	const struct look *look = data;

	return names_tasks(look) ? is_named(look, pid) : !pid || !is_recorder(look, pid);
}

static bool is_any(void *data, int pid)
{
	(void)data;
	(void)pid;
	return true;
}

static bool is_kernel(void *data, int pid)
{
	const struct look *look = data;

	return stall_is_of_kernel(intervals_comm(look->intervals, pid));
}

static void add_chain(struct look *look, const struct stall *stall,
		      const struct analysis *analysis, size_t most)
{
	const struct cause *root = &analysis->cause[analysis->root];

	add(look, stall->piece->pid, INTEREST_WHY);
	if (!analysis->nr_causes)
		return;
	for (unsigned int i = 0; i < root->nr_links && look->chosen->nr < most; i++)
		add(look, root->chain[i].pid, INTEREST_WHY);
	if (look->chosen->nr < most)
		add(look, root->actor, INTEREST_WHY);
}

static int choose_chains(struct look *look, const struct why_view *view)
{
	struct analysis *analysis = malloc(sizeof(*analysis));

	if (!analysis)
		return -ENOMEM;
	for (size_t i = 0; i < view->stalls.nr && i < CHAIN_STALLS; i++) {
		const struct stall *stall = &view->stalls.stall[i];

		if (stall_is_idle(stall) || look->chosen->nr >= MOST_CHAIN_TASKS)
			break;
		stall_analyse(look->history, stall, analysis);
		add_chain(look, stall, analysis, MOST_CHAIN_TASKS);
	}
	free(analysis);
	return 0;
}

static int tell_why(struct look *look, const struct why_view *view)
{
	struct json j = { .compact = true };
	int shown;

	j.out = open_memstream(&look->chosen->why, &look->chosen->why_size);
	if (!j.out)
		return -ENOMEM;
	json_open(&j, NULL, '{');
	json_bool(&j, "has_switches", look->has_switches);
	json_unsigned(&j, "left_out", view->stalls.left_out);
	why_view_json_add_cut(view, &j);
	shown = why_view_json_add_stalls(view, &j);
	json_unsigned(&j, "more", shown > 0 ? why_view_more(view, shown) : 0);
	why_view_json_add_lacking(view, &j);
	json_close(&j, '}');
	return fclose(j.out) || shown < 0 ? -ENOMEM : 0;
}

static int find_why(struct look *look)
{
	const struct stall_choice choice = {
		.is_wanted = is_wanted, .is_selected = is_any, .is_kernel = is_kernel,
		.data = look,
	};
	struct why_view view = {
		.time = &look->in->time,
		.teller = { .intervals = look->intervals, .history = look->history,
			    .time = &look->in->time },
		.worst = WORST_STALLS, .named = names_tasks(look),
	};
	int ret = 0;

	if (look->has_switches && !stalls_find(&view.stalls, look->history, &choice))
		ret = -ENOMEM;
	if (!ret)
		ret = choose_chains(look, &view);
	if (!ret)
		ret = tell_why(look, &view);
	stalls_free(&view.stalls);
	return ret;
}

/* ---- in the order of the interest */
static int choose_named(struct look *look)
{
	const struct html *html = look->html;

	choose_cgroups(look);
	for (size_t i = 0; i < html->nr_tasks; i++)
		if (!choose_pattern(look, html->task[i]))
			return complain_pattern(look, html->task[i]);
	return STATUS_OK;
}

static int choose(struct look *look)
{
	const struct html *html = look->html;
	int ret = find_why(look), status;

	for (size_t i = 0; i < html->nr_pids; i++)
		add(look, html->pid[i], INTEREST_NAMED);
	if (!ret && !names_tasks(look))
		choose_worst(look);
	if (!ret)
		ret = sort_tasks(look);
	if (ret)
		return input_failed(look->in, ret);
	status = choose_named(look);
	choose_others(look);
	for (size_t i = 0; i < look->seen.nr; i++)
		look->chosen->without_lane += look->sorted[i]->pid > 0 &&
					      look->sorted[i]->interest == NR_INTERESTS;
	return status;
}

int choose_tasks(const struct html *html, struct input *in, struct chosen *chosen)
{
	struct look look = { .html = html, .in = in, .chosen = chosen };
	int ret, status;

	chosen->task = calloc(MOST_TASK_LANES, sizeof(*chosen->task));
	ret = chosen->task ? begin(&look) : -ENOMEM;
	if (!ret)
		ret = input_each_event(in, "first look", look_at, NULL, &look);
	if (!ret)
		ret = intervals_end(look.intervals);
	if (!ret)
		ret = look.error;
	rbmap_recording_rewind(in->reader);
	status = ret ? input_failed(in, ret) : choose(&look);
	end(&look);
	return status;
}
