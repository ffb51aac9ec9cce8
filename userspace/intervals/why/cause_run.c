// SPDX-License-Identifier: GPL-2.0-only
/* Causes of a wait: the time of a CPU goes to handlers and to the task that runs there. */
#include <stdlib.h>

#include "base/buf.h"
#include "walk.h"

#define MOST_LAYERS	16	/* handlers in each other */
#define IDLE_MOST	10000000	/* ns that an idle CPU may need to begin */

static int by_begin(const void *a, const void *b)
{
	const struct piece *x = *(const struct piece *const *)a;
	const struct piece *y = *(const struct piece *const *)b;

	return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) :
				      (x->end < y->end) - (x->end > y->end);
}

bool piece_is_of_host(const struct history *h, const struct piece *irqs_off)
{
	const struct piece_list *list = history_of_all(h, INTERVAL_IRQS_OFF);
	size_t first = history_after(h, list, irqs_off->begin);

	for (size_t i = first; i < list->nr && i - first < MOST_AT_ONCE; i++) {
		const struct piece *other = history_piece(h, list, i);
		uint64_t from = later(other->begin, irqs_off->begin);
		uint64_t to = earlier(other->end, irqs_off->end);

		if (other->cpu != irqs_off->cpu && from < to &&
		    to - from >= (irqs_off->end - irqs_off->begin) / 2)
			return true;
	}
	return false;
}

/*
 * Gather the handlers of a CPU in a time, in the order of their begins. Interrupts that were
 * off for less than @least_off are the task's matter: in a virtual machine it is also the time
 * that the host did not give.
 */
static void gather_handlers(struct walk *w, int cpu, uint64_t begin, uint64_t end,
			    uint64_t least_off, struct buf *handlers)
{
	const struct history *h = w->h;

	for (unsigned int k = 0; k < NR_HANDLER_KINDS; k++) {
		const struct piece_list *list = history_of_cpu(h, handler_kinds[k], cpu);

		for (size_t i = history_after(h, list, begin); i < list->nr; i++) {
			const struct piece *piece = history_piece(h, list, i);

			w->analysis->steps++;
			if (piece->kind == INTERVAL_IRQS_OFF &&
			    (!piece->pid || piece_is_of_host(h, piece)))
				continue;
			if (piece->kind == INTERVAL_IRQS_OFF &&
			    earlier(piece->end, end) - later(piece->begin, begin) < least_off &&
			    piece->begin < end)
				continue;
			if (piece->begin < end)
				buf_add(handlers, &piece, sizeof(piece));
			else if (piece->end > end)
				break;
		}
	}
	if (handlers->size)
		qsort(handlers->data, handlers->size / sizeof(void *), sizeof(void *), by_begin);
}

/* The innermost handler; the time with interrupts off belongs to a handler, if one runs. */
static const struct piece *innermost(const struct piece *const *layer, unsigned int nr)
{
	const struct piece *off = NULL;

	for (unsigned int i = nr; i; i--) {
		if (layer[i - 1]->kind != INTERVAL_IRQS_OFF)
			return layer[i - 1];
		off = layer[i - 1];
	}
	return off;
}

void walk_add_handler(struct walk *w, const struct piece *handler, const struct piece *run,
		      uint64_t begin, uint64_t end)
{
	struct cause cause = cause_of(handler->kind == INTERVAL_IRQS_OFF ? CAUSE_IRQS_OFF :
									 CAUSE_HANDLER);

	cause.handler = handler->kind;
	cause.name = handler->name;
	cause.cpu = handler->cpu;
	cause.actor = run->pid;
	cause.longest = handler;
	walk_add_cause(w, cause, begin, end);
}

void walk_split_run(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end,
		    uint64_t least_off, task_part_fn *task_part)
{
	const struct piece *layer[MOST_LAYERS];
	struct buf handlers = { 0 };
	const struct piece **handler;
	unsigned int nr_layers = 0;
	size_t nr, next = 0;
	uint64_t now = begin;

	gather_handlers(w, run->cpu, begin, end, least_off, &handlers);
	handler = (const struct piece **)handlers.data;
	nr = handlers.size / sizeof(*handler);
	while (now < end) {
		const struct piece *top;
		uint64_t until = end;
		unsigned int kept = 0;

		for (; next < nr && handler[next]->begin <= now; next++)
			if (nr_layers < MOST_LAYERS)
				layer[nr_layers++] = handler[next];
		for (unsigned int i = 0; i < nr_layers; i++)
			if (layer[i]->end > now)
				layer[kept++] = layer[i];
		nr_layers = kept;
		if (next < nr)
			until = earlier(until, handler[next]->begin);
		for (unsigned int i = 0; i < nr_layers; i++)
			until = earlier(until, layer[i]->end);
		top = innermost(layer, nr_layers);
		if (top)
			walk_add_handler(w, top, run, now, until);
		else
			task_part(w, run, now, until);
		now = until;
	}
	buf_free(&handlers);
}

uint64_t walk_each_run(struct walk *w, const struct piece_list *list, uint64_t begin,
		       uint64_t end, task_part_fn *task_part)
{
	uint64_t known = 0;

	for (size_t i = history_after(w->h, list, begin); i < list->nr; i++) {
		const struct piece *run = history_piece(w->h, list, i);
		uint64_t from = later(run->begin, begin), to = earlier(run->end, end);

		if (run->begin >= end)
			break;
		w->analysis->steps++;
		known += to - from;
		walk_split_run(w, run, from, to, (end - begin) / 2, task_part);
	}
	return known;
}

void walk_ran(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end)
{
	const struct piece_list *works = history_of_task(w->h, INTERVAL_WORK, run->pid);
	struct cause cause = cause_of(CAUSE_RAN);

	cause.actor = run->pid;
	cause.actor_prio = run->prio;
	cause.cpu = run->cpu;
	for (size_t i = history_after(w->h, works, begin); i < works->nr && begin < end; i++) {
		const struct piece *work = history_piece(w->h, works, i);

		if (work->begin >= end)
			break;
		cause.name = NULL;
		walk_add_cause(w, cause, begin, later(work->begin, begin));
		begin = later(work->begin, begin);
		cause.name = work->name;
		walk_add_cause(w, cause, begin, earlier(work->end, end));
		begin = earlier(work->end, end);
	}
	cause.name = NULL;
	if (stage_at(w->h, INTERVAL_RECLAIM, run->pid, begin))
		cause.kind = CAUSE_RECLAIM;
	else if (stage_at(w->h, INTERVAL_LOCK, run->pid, begin))
		cause.kind = CAUSE_LOCK;
	walk_add_cause(w, cause, begin, end);
}

static int prio_of(const struct history *h, int pid, uint64_t time)
{
	const struct piece *run = history_at(h, history_of_task(h, INTERVAL_ONCPU, pid), time);
	const struct piece_list *waits = history_of_task(h, INTERVAL_RUNQUEUE, pid);

	if (!run)
		run = history_at(h, waits, time);
	return run ? run->prio : INTERVAL_PRIO_NONE;
}

/* Return false if the recording says that no quota keeps the task from an idle CPU. */
static bool may_have_quota(const struct walk *w, int pid)
{
	struct dat_quota quota;

	return history_quota(w->h, pid, &quota) != 0;
}

/*
 * A CPU may stay idle although a task can run because a group has no time left, or because the
 * host of a virtual machine lets the CPU wait. Both look alike. So the group must have a quota,
 * or the task must have left a CPU in a way that only throttled tasks do.
 */
static bool is_throttled(const struct walk *w, int pid)
{
	const struct piece_list *throttled = history_of_task(w->h, INTERVAL_THROTTLED, pid);
	struct dat_quota quota;
	int known = history_quota(w->h, pid, &quota);

	return known > 0 || (known < 0 && throttled->nr);
}

static void occupied(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end)
{
	int victim = w->chain[w->nr_links - 1].pid;
	const struct piece *work = stage_at(w->h, INTERVAL_WORK, run->pid, begin);
	struct cause cause = cause_of(CAUSE_OCCUPIED);

	cause.cpu = run->cpu;
	cause.victim_prio = prio_of(w->h, victim, begin);
	if (!run->pid) {
		cause.kind = end - begin > IDLE_MOST && is_throttled(w, victim) ?
			     CAUSE_QUOTA : CAUSE_IDLE_CPU;
	} else {
		cause.actor = run->pid;
		cause.actor_prio = run->prio;
		cause.name = work ? work->name : NULL;
		if (cause.victim_prio >= 0 && cause.victim_prio < INTERVAL_RT_PRIOS &&
		    run->prio >= INTERVAL_RT_PRIOS)
			cause.kind = CAUSE_RT_THROTTLED;
	}
	walk_add_cause(w, cause, begin, end);
}

static uint64_t idle_time(const struct history *h, int cpu, uint64_t begin, uint64_t end)
{
	const struct piece_list *list = history_of_cpu(h, INTERVAL_ONCPU, cpu);
	uint64_t idle = 0;

	for (size_t i = history_after(h, list, begin); i < list->nr; i++) {
		const struct piece *run = history_piece(h, list, i);

		if (run->begin >= end)
			break;
		if (!run->pid)
			idle += earlier(run->end, end) - later(run->begin, begin);
	}
	return idle;
}

/*
 * The task may have waited on the CPU that it left, and gone to another one at the end:
 * nobody waits on a CPU that is idle.
 */
static int waited_on(const struct history *h, const struct piece *off, uint64_t begin,
		     uint64_t end)
{
	if (off->left_cpu == off->cpu || off->left_cpu < 0 ||
	    idle_time(h, off->left_cpu, begin, end) >= idle_time(h, off->cpu, begin, end))
		return off->cpu;
	return off->left_cpu;
}

void walk_runnable(struct walk *w, const struct piece *off, uint64_t begin,
		   uint64_t end)
{
	const struct piece *throttled = stage_at(w->h, INTERVAL_THROTTLED, off->pid, begin);
	int cpu = waited_on(w->h, off, begin, end);
	struct cause cause;
	uint64_t known;

	if (end <= begin)
		return;
	if (throttled) {
		cause = cause_of(throttled->prio >= 0 && throttled->prio < INTERVAL_RT_PRIOS ?
				 CAUSE_RT_THROTTLED :
				 may_have_quota(w, off->pid) ? CAUSE_QUOTA : CAUSE_IDLE_CPU);
		cause.actor = -1;
		cause.cpu = cpu;
		cause.victim_prio = throttled->prio;
		walk_add_cause(w, cause, begin, end);
		return;
	}
	known = walk_each_run(w, history_of_cpu(w->h, INTERVAL_ONCPU, cpu), begin, end, occupied);
	if (known < end - begin)
		walk_add_cause(w, cause_of(CAUSE_UNKNOWN), begin, end - known);
}
