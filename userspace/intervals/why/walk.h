/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk along the tasks of a wait, which gives each part of its time a cause. */
#ifndef RBMAP_INTERVALS_WHY_WALK_H
#define RBMAP_INTERVALS_WHY_WALK_H

#include "cause.h"

#define AT_ONCE		1000000	/* ns between a request's end and the wake-up that it caused */
#define MOST_AT_ONCE	256	/* requests, or CPUs without interrupts, at about one time */

/* One analysis: the chain of tasks from the one that waits to the one that is looked at. */
struct walk {
	const struct history *h;
	struct analysis *analysis;
	struct link chain[MOST_LINKS];
	unsigned int nr_links;
};

static inline struct cause cause_of(enum cause_kind kind)
{
	return (struct cause){
		.kind = kind, .actor = -1, .cpu = -1,
		.actor_prio = INTERVAL_PRIO_NONE, .victim_prio = INTERVAL_PRIO_NONE,
	};
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline const struct piece *stage_at(const struct history *h, enum interval_kind kind,
					   int pid, uint64_t time)
{
	return history_at(h, history_of_task(h, kind, pid), time);
}

static const enum interval_kind handler_kinds[] = {
	INTERVAL_IRQ, INTERVAL_SOFTIRQ, INTERVAL_HRTIMER, INTERVAL_TIMER, INTERVAL_IRQS_OFF,
};

#define NR_HANDLER_KINDS	(sizeof(handler_kinds) / sizeof(handler_kinds[0]))

/* cause.c */
void walk_add_cause(struct walk *w, struct cause cause, uint64_t begin, uint64_t end);
/* Follow what a task did in a time. */
void walk_task(struct walk *w, int pid, uint64_t begin, uint64_t end);

/* cause_run.c: what runs on a CPU, and a task that can run */
typedef void task_part_fn(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end);

/* Give the time of a run to handlers, and what is left to the task. */
void walk_split_run(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end,
		    uint64_t least_off, task_part_fn *task_part);
/* Pass the runs of a CPU or of a task in a time. Return the time that they have. */
uint64_t walk_each_run(struct walk *w, const struct piece_list *list, uint64_t begin,
		       uint64_t end, task_part_fn *task_part);
void walk_add_handler(struct walk *w, const struct piece *handler, const struct piece *run,
		      uint64_t begin, uint64_t end);
/* A task ran while others waited for it: a worker's time goes to its work items. */
void walk_ran(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end);
/* A task could run, and ran only at @end. */
void walk_runnable(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end);

/* cause_sleep.c: a task that sleeps */
void walk_sleep(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end);

#endif /* RBMAP_INTERVALS_WHY_WALK_H */
