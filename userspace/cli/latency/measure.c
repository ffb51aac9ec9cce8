// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <string.h>

#include "intervals/summary/kinds.h"
#include "live/task_cgroups.h"
#include "measure.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_read.h"

static bool has_name(const struct latency *l, const char *name)
{
	for (size_t i = 0; i < l->nr_names; i++)
		if (!fnmatch(l->name[i], name, 0))
			return true;
	return !l->nr_names;
}

static bool is_selected(const struct latency *l, const struct interval *interval)
{
	const struct selector *selector = l->in.selector;

	if (!selector)
		return true;
	return selector_ends(selector, interval->cpu, l->event,
			     l->event ? intervals_comm_of(l->intervals, l->event) : NULL) &&
	       selector_has_task(selector, interval->pid, interval->comm);
}

/*
 * Kernel threads wait for work, and rbmap's own threads for events: these sleeps would hide all
 * others.  A user who chooses tasks or names sees all of these.
 */
static bool is_idle(const struct latency *l, const struct interval *interval)
{
	if (l->shows_all || l->nr_names || selection_names_tasks(&l->in.selection))
		return false;
	return interval_is_idle(interval);
}

static void add_interval(void *data, const struct interval *interval)
{
	struct latency *l = data;

	/* An idle CPU is not a task. */
	if (interval->kind == INTERVAL_ONCPU && !interval->pid)
		return;
	if (!l->kind[interval->kind] || !has_name(l, interval->name))
		return;
	if (!is_selected(l, interval))
		l->view.left_out++;
	else if (is_idle(l, interval))
		l->view.idle[interval->kind]++;
	else if (!summary_add(&l->summary[interval->kind], l->intervals, interval))
		l->failed = true;
}

/* With --live, a task that has come since the beginning is asked for its cgroup. */
static const char *cgroup_of(void *data, int pid)
{
	static const char unknown[] = "(unknown)";
	struct latency *l = data;
	const struct dat_task *task = intervals_recorded_task(l->intervals, pid);

	if (!task && l->is_live && task_cgroups_ask(l->live_cgroups, pid))
		task = intervals_recorded_task(l->intervals, pid);
	return task ? task->cgroup : unknown;
}

bool latency_begin(struct latency *l)
{
	l->intervals = intervals_new(add_interval, l);
	for (int kind = 0; l->intervals && kind < NR_INTERVAL_KINDS; kind++) {
		if (!summary_init(&l->summary[kind], kind,
				  l->has_key ? l->key : kinds[kind].key, l->most_worst))
			return false;
		l->summary[kind].rows.cgroup = cgroup_of;
		l->summary[kind].rows.data = l;
		if (!l->some_kinds)
			l->kind[kind] = !kinds[kind].on_request &&
					(!l->is_live || !kinds[kind].adds_events);
	}
	memset(l->view.idle, 0, sizeof(l->view.idle));
	return l->intervals;
}

void latency_add_comm(void *data, int pid, const char *comm)
{
	struct latency *l = data;

	if (intervals_add_comm(l->intervals, pid, comm))
		l->failed = true;
}

void latency_lost(struct latency *l, uint64_t lost)
{
	dat_sum_lost(&l->view.lost, &l->view.lost_unknown, lost);
}

bool latency_event(struct latency *l, const struct rbmap_event *ev)
{
	if (!l->view.events++ && l->in.relative)
		l->in.time.ring = ev->ts;
	latency_lost(l, ev->lost);
	l->event = ev;
	return !intervals_event(l->intervals, ev) && !l->failed;
}

/* Without --kind, the kinds are those that have intervals. */
bool latency_end(struct latency *l, const char *clock)
{
	l->event = NULL;
	if (intervals_end(l->intervals))
		l->failed = true;
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++) {
		struct summary *s = &l->summary[kind];
		uint64_t discarded = intervals_discarded(l->intervals, kind);

		if (l->is_live)
			summary_set_comms(s, l->intervals);
		l->view.discarded[kind] = discarded;
		if (l->kind[kind] && (l->some_kinds || s->all.count || s->unfinished ||
				      discarded || l->view.idle[kind]))
			l->view.summary[kind] = s;
	}
	l->view.time = l->in.time;
	l->view.intervals = l->intervals;
	l->view.selects = l->in.selector;
	return !l->failed && (l->as_json ? view_json(&l->view, clock) : view_text(&l->view));
}
