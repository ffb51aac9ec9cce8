// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "walk.h"

bool cause_is_same(const struct cause *a, const struct cause *b)
{
	if (a->kind != b->kind || a->victim != b->victim || a->name != b->name)
		return false;
	if (a->kind == CAUSE_HANDLER)
		return a->handler == b->handler && a->cpu == b->cpu;
	return a->actor == b->actor;
}

void walk_add_cause(struct walk *w, struct cause cause, uint64_t begin, uint64_t end)
{
	struct analysis *analysis = w->analysis;
	struct cause *same = NULL;

	if (end <= begin)
		return;
	cause.victim = w->chain[w->nr_links - 1].pid;
	for (unsigned int i = 0; !same && i < analysis->nr_causes; i++)
		if (cause_is_same(&analysis->cause[i], &cause))
			same = &analysis->cause[i];
	if (!same) {
		if (analysis->nr_causes == MOST_CAUSES) {
			analysis->others += end - begin;
			return;
		}
		same = &analysis->cause[analysis->nr_causes++];
		*same = cause;
	}
	same->time += end - begin;
	same->parts++;
	if (same->cpu != cause.cpu)
		same->cpu = -1;
	if (end - begin <= same->longest_part)
		return;
	same->longest_part = end - begin;
	same->longest = cause.longest;
	same->requests = cause.requests;
	same->actor_prio = cause.actor_prio;
	same->victim_prio = cause.victim_prio;
	memcpy(same->chain, w->chain, sizeof(same->chain));
	same->nr_links = w->nr_links;
}

static void follow_off(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end)
{
	const struct piece *wait = w->chain[w->nr_links - 1].wait;
	uint64_t woken = off->woken ? off->woken : off->end;

	walk_sleep(w, off, begin, earlier(woken, end));
	w->chain[w->nr_links - 1].wait = off;
	walk_runnable(w, off, later(woken, begin), end);
	w->chain[w->nr_links - 1].wait = wait;
}

void walk_task(struct walk *w, int pid, uint64_t begin, uint64_t end)
{
	const struct piece_list *runs = history_of_task(w->h, INTERVAL_ONCPU, pid);
	const struct piece_list *offs = history_of_task(w->h, INTERVAL_OFFCPU, pid);
	uint64_t known = walk_each_run(w, runs, begin, end, walk_ran);

	for (size_t i = history_after(w->h, offs, begin); i < offs->nr; i++) {
		const struct piece *off = history_piece(w->h, offs, i);

		if (off->begin >= end)
			break;
		w->analysis->steps++;
		known += earlier(off->end, end) - later(off->begin, begin);
		follow_off(w, off, later(off->begin, begin), earlier(off->end, end));
	}
	if (known < end - begin)
		walk_add_cause(w, cause_of(CAUSE_UNKNOWN), begin, end - known);
}

static int largest_first(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return (x->time < y->time) - (x->time > y->time);
}

static void finish(struct analysis *analysis)
{
	qsort(analysis->cause, analysis->nr_causes, sizeof(*analysis->cause), largest_first);
}

void analyse_task(const struct history *h, int pid, uint64_t begin, uint64_t end,
		  struct analysis *analysis)
{
	struct walk w = { .h = h, .analysis = analysis, .nr_links = 1, .chain[0].pid = pid };

	*analysis = (struct analysis){ .time = end - begin };
	walk_task(&w, pid, begin, end);
	finish(analysis);
}

void analyse_cpu(const struct history *h, int cpu, int pid, uint64_t begin, uint64_t end,
		 struct analysis *analysis)
{
	struct walk w = { .h = h, .analysis = analysis, .nr_links = 1, .chain[0].pid = pid };
	struct piece run = { .kind = INTERVAL_ONCPU, .pid = pid, .cpu = cpu,
			     .prio = INTERVAL_PRIO_NONE };

	*analysis = (struct analysis){ .time = end - begin };
	walk_split_run(&w, &run, begin, end, 0, walk_ran);
	finish(analysis);
}

unsigned int cause_same_lock(const struct cause *cause)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; cause->chain[0].lock && i < cause->nr_links; i++)
		nr += cause->chain[i].lock == cause->chain[0].lock;
	return nr;
}
