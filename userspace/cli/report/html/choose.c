// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/complain.h"
#include "base/suggest.h"
#include "choose.h"
#include "input/input.h"
#include "input/input_events.h"
#include "intervals/summary/summary.h"
#include "recording/dat_comms.h"
#include "recording/dat_read.h"
#include "report/html/data/tasks.h"

#define WORST_TASKS	3	/* intervals of each kind that give their tasks a lane */
#define MOST_WORST_TASKS	12

struct look {
	struct intervals *intervals;
	struct summary summary[NR_INTERVAL_KINDS];
	struct summary blocked;
	struct tasks tasks;
	int error;
};

static void add(struct chosen *chosen, int pid, unsigned int most)
{
	unsigned int i;

	for (i = 0; i < chosen->nr && chosen->pid[i] != pid; i++)
		;
	if (i == chosen->nr && chosen->nr < most && pid > 0)
		chosen->pid[chosen->nr++] = pid;
}

/* ---- look at all events */
static void add_interval(void *data, const struct interval *interval)
{
	struct look *look = data;

	/* A task that runs for long is not late. */
	if (interval->kind == INTERVAL_ONCPU)
		return;
	summary_add_worst(&look->summary[interval->kind], look->intervals, interval);
	if (interval_is_uninterruptible(interval))
		summary_add_worst(&look->blocked, look->intervals, interval);
}

static void add_comm(void *data, int pid, const char *comm)
{
	struct look *look = data;

	if (intervals_add_comm(look->intervals, pid, comm))
		look->error = -ENOMEM;
}

static int look_at(void *data, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	struct look *look = data;
	int ret = intervals_event(look->intervals, ev);

	if (ret || look->error || ev->size < sizeof(common))
		return ret ? ret : look->error;
	memcpy(&common, ev->data, sizeof(common));
	return tasks_get(&look->tasks, common.pid) ? 0 : -ENOMEM;
}

static int begin(struct look *look, const struct input *in)
{
	const struct dat_text *format;
	size_t nr = dat_formats(in->reader, &format);
	int ret = 0;

	look->intervals = intervals_new(add_interval, look);
	if (!look->intervals)
		return -ENOMEM;
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		if (!summary_init(&look->summary[kind], kind, ROW_NAME, WORST_TASKS))
			return -ENOMEM;
	if (!summary_init(&look->blocked, INTERVAL_OFFCPU, ROW_NAME, WORST_TASKS))
		return -ENOMEM;
	for (size_t i = 0; !ret && i < nr; i++)
		ret = intervals_add_format(look->intervals, format[i].system, format[i].text,
					   format[i].size);
	dat_each_comm(in->reader, add_comm, look);
	return ret ? ret : look->error;
}

static void end(struct look *look)
{
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		summary_free(&look->summary[kind]);
	summary_free(&look->blocked);
	intervals_free(look->intervals);
	tasks_free(&look->tasks);
}

/* ---- choose */
static void add_worst(struct chosen *chosen, const struct summary *s, unsigned int i)
{
	if (i < s->nr_worst)
		add(chosen, s->worst[i].interval.pid, MOST_WORST_TASKS);
}

static void choose_worst(const struct look *look, struct chosen *chosen)
{
	for (unsigned int i = 0; i < WORST_TASKS; i++) {
		add_worst(chosen, &look->blocked, i);
		for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
			add_worst(chosen, &look->summary[kind], i);
	}
}

static bool choose_pattern(const struct look *look, const char *pattern, struct chosen *chosen)
{
	const struct page_task *task;
	bool found = false;

	hash_for_each(&look->tasks.table, task) {
		if (task->pid <= 0 ||
		    fnmatch(pattern, intervals_comm(look->intervals, task->pid), 0))
			continue;
		add(chosen, task->pid, MOST_CHOSEN_PIDS);
		found = true;
	}
	return found;
}

/* The rest of the selection's options are not about tasks. */
static void choose_cgroups(const struct look *look, const struct input *in,
			   struct chosen *chosen)
{
	const struct page_task *task;

	hash_for_each(&look->tasks.table, task)
		if (task->pid > 0 && selector_has_task(in->selector, task->pid, NULL))
			add(chosen, task->pid, MOST_CHOSEN_PIDS);
}

static int complain_pattern(const struct look *look, const struct input *in,
			    const char *pattern)
{
	struct suggest suggest = { .wanted = pattern };
	const struct page_task *task;
	char list[512];

	hash_for_each(&look->tasks.table, task) {
		const char *comm = intervals_comm(look->intervals, task->pid);

		if (*comm)
			suggest_offer(&suggest, comm, comm);
	}
	suggest_list(&suggest, list, sizeof(list));
	complain("%s has no task '%s'%s%s", in->path, pattern, *list ? ": similar names: " : "",
		 list);
	return STATUS_ERROR;
}

static int choose(const struct look *look, const struct html *html, const struct input *in,
		  struct chosen *chosen)
{
	if (in->selection.nr_cgroups)
		choose_cgroups(look, in, chosen);
	else if (!html->nr_tasks)
		choose_worst(look, chosen);
	for (size_t i = 0; i < html->nr_tasks; i++)
		if (!choose_pattern(look, html->task[i], chosen))
			return complain_pattern(look, in, html->task[i]);
	return STATUS_OK;
}

int choose_tasks(const struct html *html, struct input *in, struct chosen *chosen)
{
	struct look look = { 0 };
	int ret, status = STATUS_OK;

	for (size_t i = 0; i < html->nr_pids; i++)
		add(chosen, html->pid[i], MOST_CHOSEN_PIDS);
	if (html->nr_pids && !html->nr_tasks && !in->selection.nr_cgroups)
		return STATUS_OK;
	ret = begin(&look, in);
	if (!ret)
		ret = input_each_event(in, "first look", look_at, NULL, &look);
	dat_rewind(in->reader);
	if (ret) {
		status = input_failed(in, ret);
	} else {
		intervals_end(look.intervals);
		status = choose(&look, html, in, chosen);
	}
	end(&look);
	return status;
}
