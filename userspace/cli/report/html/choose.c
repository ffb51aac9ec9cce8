// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
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

struct choice {
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

static struct seen *seen_task(struct choice *choice, int pid)
{
	struct seen *seen = seen_table_find(&choice->seen, pid);

	if (seen)
		return seen;
	seen = seen_table_place(&choice->seen, pid);
	if (!seen)
		return NULL;
	*seen = (struct seen){ .used = true, .pid = pid, .interest = NR_INTERESTS };
	choice->seen.nr++;
	return seen;
}

/* ---- look at all events */
static void keep(struct choice *choice, const struct interval *interval)
{
	choice->has_switches |= interval->kind == INTERVAL_ONCPU && !interval->unfinished;
	if (!history_add(choice->history, interval, true))
		choice->error = -ENOMEM;
}

static void add_interval(void *data, const struct interval *interval)
{
	struct choice *choice = data;

	keep(choice, interval);
	/* A task that runs for long is not late, and neither is one that sleeps at the end. */
	if (interval->kind == INTERVAL_ONCPU || interval_is_idle(interval) ||
	    (interval->kind == INTERVAL_OFFCPU && interval->unfinished &&
	     !interval_is_uninterruptible(interval)))
		return;
	summary_add_worst(&choice->summary[interval->kind], choice->intervals, interval);
	if (interval_is_uninterruptible(interval))
		summary_add_worst(&choice->blocked, choice->intervals, interval);
}

static int look_at(void *data, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	struct choice *choice = data;
	struct seen *seen;
	int ret = intervals_event(choice->intervals, ev);

	if (ret || choice->error || !event_common(ev, &common))
		return ret ? ret : choice->error;
	seen = seen_task(choice, common.pid);
	if (!seen)
		return -ENOMEM;
	seen->events++;
	return 0;
}

static int begin(struct choice *choice)
{
	choice->intervals = intervals_new(add_interval, choice);
	choice->history = history_new(dat_cgroups(choice->in->reader));
	if (!choice->intervals || !choice->history)
		return -ENOMEM;
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		if (!summary_init(&choice->summary[kind], kind, ROW_NAME, WORST_TASKS))
			return -ENOMEM;
	if (!summary_init(&choice->blocked, INTERVAL_OFFCPU, ROW_NAME, WORST_TASKS))
		return -ENOMEM;
	intervals_pass_sleepers(choice->intervals);
	intervals_keep_comms(choice->intervals);
	return intervals_load(choice->intervals, choice->in->reader, &choice->functions) ? 0 : -ENOMEM;
}

static void end(struct choice *choice)
{
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		summary_free(&choice->summary[kind]);
	summary_free(&choice->blocked);
	intervals_free(choice->intervals);
	functions_free(choice->functions);
	history_free(choice->history);
	free(choice->seen.slot);
	free(choice->sorted);
}

/* ---- choose: a task keeps its first interest */
static bool has_room(const struct choice *choice)
{
	return choice->chosen->nr < MOST_TASK_LANES;
}

static void add(struct choice *choice, int pid, enum interest interest)
{
	struct seen *seen = pid > 0 && has_room(choice) ? seen_task(choice, pid) : NULL;

	if (!seen || seen->interest != NR_INTERESTS)
		return;
	seen->interest = interest;
	choice->chosen->task[choice->chosen->nr++] = (struct chosen_task){ pid, interest };
}

static bool is_recorder(const struct choice *choice, int pid)
{
	return comm_is_recorder(intervals_comm(choice->intervals, pid));
}

static void add_worst(struct choice *choice, const struct summary *s, unsigned int i, size_t most)
{
	if (i < s->nr_worst && choice->chosen->nr < most)
		add(choice, s->worst[i].interval.pid, INTEREST_WORST);
}

static void choose_worst(struct choice *choice)
{
	size_t most = choice->chosen->nr + MOST_WORST_TASKS;

	for (unsigned int i = 0; i < WORST_TASKS; i++) {
		add_worst(choice, &choice->blocked, i, most);
		for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
			add_worst(choice, &choice->summary[kind], i, most);
	}
}

static bool fits(const struct choice *choice, const struct seen *seen, const char *pattern)
{
	return seen->pid > 0 && intervals_had_comm(choice->intervals, seen->pid, pattern);
}

static bool choose_pattern(struct choice *choice, const char *pattern)
{
	bool found = false;

	for (size_t i = 0; i < choice->seen.nr; i++) {
		if (!fits(choice, choice->sorted[i], pattern))
			continue;
		found = true;
		add(choice, choice->sorted[i]->pid, INTEREST_NAMED);
	}
	return found;
}

/* The rest of the selection's options are not about tasks. */
static bool is_of_cgroups(const struct choice *choice, int pid)
{
	return choice->in->selection.nr_cgroups && selector_has_task(choice->in->selector, pid, NULL);
}

static void choose_cgroups(struct choice *choice)
{
	for (size_t i = 0; i < choice->seen.nr; i++)
		if (choice->sorted[i]->pid > 0 && is_of_cgroups(choice, choice->sorted[i]->pid))
			add(choice, choice->sorted[i]->pid, INTEREST_NAMED);
}

static int complain_pattern(const struct choice *choice, const char *pattern)
{
	struct suggest suggest = { .wanted = pattern };
	char list[512];

	for (size_t i = 0; i < choice->seen.nr; i++) {
		const char *comm = intervals_comm(choice->intervals, choice->sorted[i]->pid);

		if (*comm)
			suggest_offer(&suggest, comm, comm);
	}
	suggest_list(&suggest, list, sizeof(list));
	complain("%s has no task '%s'%s%s", choice->in->path, pattern,
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
static int sort_tasks(struct choice *choice)
{
	choice->sorted = hash_sorted(&choice->seen, most_events_first);
	return choice->sorted ? 0 : -ENOMEM;
}

/* The other tasks: those with the most events first, and the recorder last. */
static void choose_others(struct choice *choice)
{
	for (int recorder = 0; recorder < 2; recorder++)
		for (size_t i = 0; i < choice->seen.nr; i++)
			if (is_recorder(choice, choice->sorted[i]->pid) == recorder)
				add(choice, choice->sorted[i]->pid,
				    recorder ? INTEREST_RECORDER : INTEREST_OTHER);
}

/* ---- rbmap why: the waits of the tasks that the user names, or of all */
static bool names_tasks(const struct choice *choice)
{
	return choice->html->nr_pids || choice->html->nr_tasks || choice->in->selection.nr_cgroups;
}

static bool is_named(const struct choice *choice, int pid)
{
	for (size_t i = 0; i < choice->html->nr_pids; i++)
		if (choice->html->pid[i] == pid)
			return true;
	for (size_t i = 0; i < choice->html->nr_tasks; i++)
		if (intervals_had_comm(choice->intervals, pid, choice->html->task[i]))
			return true;
	return is_of_cgroups(choice, pid);
}

static bool is_wanted(void *data, const struct piece *piece)
{
	const struct choice *choice = data;
	int pid = piece->pid;

	return names_tasks(choice) ? is_named(choice, pid) : !pid || !is_recorder(choice, pid);
}

static bool is_any(void *data, const struct piece *piece)
{
	(void)data;
	(void)piece;
	return true;
}

static bool is_kernel(void *data, const struct piece *piece)
{
	const struct choice *choice = data;

	return stall_is_of_kernel(intervals_comm_at(choice->intervals, piece->pid, piece->end));
}

static void add_chain(struct choice *choice, const struct stall *stall,
		      const struct analysis *analysis, size_t most)
{
	const struct cause *root = &analysis->cause[analysis->root];

	add(choice, stall->piece->pid, INTEREST_WHY);
	if (!analysis->nr_causes)
		return;
	for (unsigned int i = 0; i < root->nr_links && choice->chosen->nr < most; i++)
		add(choice, root->chain[i].pid, INTEREST_WHY);
	if (choice->chosen->nr < most)
		add(choice, root->actor, INTEREST_WHY);
}

static int choose_chains(struct choice *choice, const struct why_view *view)
{
	struct analysis *analysis = malloc(sizeof(*analysis));

	if (!analysis)
		return -ENOMEM;
	for (size_t i = 0, nr = 0; i < view->stalls.nr && nr < CHAIN_STALLS; i++) {
		const struct stall *stall = &view->stalls.stall[i];

		if (choice->chosen->nr >= MOST_CHAIN_TASKS)
			break;
		if (stall_is_idle(stall))
			continue;
		nr++;
		stall_analyse(choice->history, stall, analysis);
		add_chain(choice, stall, analysis, MOST_CHAIN_TASKS);
	}
	free(analysis);
	return 0;
}

static int tell_why(struct choice *choice, const struct why_view *view)
{
	struct json j = { .compact = true };
	int shown;

	j.out = open_memstream(&choice->chosen->why, &choice->chosen->why_size);
	if (!j.out)
		return -ENOMEM;
	json_open(&j, NULL, '{');
	json_bool(&j, "has_switches", choice->has_switches);
	json_unsigned(&j, "left_out", view->stalls.left_out);
	why_view_json_add_cut(view, &j);
	shown = why_view_json_add_stalls(view, &j);
	json_unsigned(&j, "more", shown > 0 ? why_view_more(view, shown) : 0);
	why_view_json_add_missing(view, &j);
	json_close(&j, '}');
	return fclose(j.out) || shown < 0 ? -ENOMEM : 0;
}

static int find_why(struct choice *choice)
{
	const struct stall_choice stalls = {
		.is_wanted = is_wanted, .is_selected = is_any, .is_kernel = is_kernel,
		.data = choice,
	};
	struct why_view view = {
		.time = &choice->in->time,
		.teller = { .intervals = choice->intervals, .history = choice->history,
			    .time = &choice->in->time },
		.worst = WORST_STALLS, .named = names_tasks(choice),
	};
	int ret = 0;

	if (choice->has_switches && !stalls_find(&view.stalls, choice->history, &stalls))
		ret = -ENOMEM;
	if (!ret)
		ret = choose_chains(choice, &view);
	if (!ret)
		ret = tell_why(choice, &view);
	stalls_free(&view.stalls);
	return ret;
}

/* ---- in the order of the interest */
static int choose_named(struct choice *choice)
{
	const struct html *html = choice->html;

	choose_cgroups(choice);
	for (size_t i = 0; i < html->nr_tasks; i++)
		if (!choose_pattern(choice, html->task[i]))
			return complain_pattern(choice, html->task[i]);
	return STATUS_OK;
}

static int choose(struct choice *choice)
{
	const struct html *html = choice->html;
	int ret = find_why(choice), status;

	for (size_t i = 0; i < html->nr_pids; i++)
		add(choice, html->pid[i], INTEREST_NAMED);
	if (!ret && !names_tasks(choice))
		choose_worst(choice);
	if (!ret)
		ret = sort_tasks(choice);
	if (ret)
		return input_failed(choice->in, ret);
	status = choose_named(choice);
	choose_others(choice);
	for (size_t i = 0; i < choice->seen.nr; i++)
		choice->chosen->without_lane += choice->sorted[i]->pid > 0 &&
					      choice->sorted[i]->interest == NR_INTERESTS;
	return status;
}

static int look_at_all(struct choice *choice)
{
	int ret = begin(choice);

	if (!ret && choice->chosen->needs_scan)
		ret = intervals_scan_recording(choice->intervals, choice->in->reader, choice->in->from);
	return ret ? ret : input_each_event(choice->in, "first look", look_at, NULL, choice);
}

int choose_tasks(const struct html *html, struct input *in, struct chosen *chosen)
{
	const struct choice empty = { .html = html, .in = in, .chosen = chosen };
	struct choice choice = empty;
	int ret, status;

	chosen->task = calloc(MOST_TASK_LANES, sizeof(*chosen->task));
	/* The event that tells a name may lie behind --until, or before --since. */
	chosen->needs_scan = in->since || in->until;
	ret = chosen->task ? look_at_all(&choice) : -ENOMEM;
	if (!ret && intervals_wants_scan(choice.intervals)) {
		end(&choice);
		choice = empty;
		rbmap_recording_rewind(in->reader);
		chosen->needs_scan = true;
		ret = look_at_all(&choice);
	}
	if (!ret)
		ret = intervals_end(choice.intervals);
	if (!ret)
		ret = choice.error;
	rbmap_recording_rewind(in->reader);
	status = ret ? input_failed(in, ret) : choose(&choice);
	end(&choice);
	return status;
}
