// SPDX-License-Identifier: GPL-2.0-only
/* Intervals become slices of lanes, arrows, and the list of the longest ones. */
#include <errno.h>

#include "page.h"

static int add_arrow(struct page *page, const struct interval *interval)
{
	struct cpu_lane *lane = cpu_lane_get(page, interval->cpu);
	const struct page_task *task;
	struct arrow arrow = {
		.begin = page_time(page, interval->begin),
		.end = page_time(page, interval->end),
		.cpu = interval->waker->cpu,
		.flags = interval->waker->flags,
	};

	task = lane ? tasks_get(&page->tasks, interval->waker->pid) : NULL;
	if (!task)
		return -ENOMEM;
	arrow.waker = task->index;
	task = tasks_get(&page->tasks, interval->pid);
	if (!task)
		return -ENOMEM;
	arrow.task = task->index;
	return arrows_add(&lane->arrows, page->store, &arrow);
}

static int add_handler(struct page *page, const struct interval *interval, uint64_t text)
{
	struct cpu_lane *lane = cpu_lane_get(page, interval->cpu);

	if (!lane)
		return -ENOMEM;
	return track_add(interval->kind == INTERVAL_IRQ ? &lane->irq : &lane->softirq,
			 page->store, page_time(page, interval->begin),
			 page_time(page, interval->end), text);
}

static int add_to_cpu(struct page *page, const struct interval *interval, uint64_t text)
{
	if (interval->cpu < 0)
		return 0;
	if (interval->kind == INTERVAL_IRQ || interval->kind == INTERVAL_SOFTIRQ)
		return add_handler(page, interval, text);
	if (interval->kind == INTERVAL_RUNQUEUE && !interval->unfinished && interval->waker &&
	    interval->waker->pid >= 0)
		return add_arrow(page, interval);
	return 0;
}

static int add_to_task(struct page *page, const struct interval *interval, uint64_t text)
{
	const struct page_task *task;

	if (!page->nr_task_lanes || interval->pid <= 0)
		return 0;
	task = tasks_get(&page->tasks, interval->pid);
	if (!task)
		return -ENOMEM;
	return task->lane ? task_lane_interval(page, task->lane, interval, text) : 0;
}

/* Idle threads and those of rbmap would hide all others, as in rbmap latency. */
static bool add_to_list(struct page *page, const struct interval *interval)
{
	if (!page->named && interval_is_idle(interval)) {
		page->idle[interval->kind]++;
		return true;
	}
	return summary_add(&page->summary[interval->kind], page->intervals, interval) &&
	       (!interval_is_uninterruptible(interval) ||
		summary_add(&page->blocked, page->intervals, interval));
}

static int add_interval(struct page *page, const struct interval *interval)
{
	int64_t text = texts_number(&page->texts, interval->name);
	int ret;

	if (text < 0 || !add_to_list(page, interval))
		return -ENOMEM;
	ret = add_to_cpu(page, interval, text);
	return ret ? ret : add_to_task(page, interval, text);
}

void page_interval(void *data, const struct interval *interval)
{
	struct page *page = data;

	/* The lanes of CPUs and tasks read from sched_switch itself which task runs. */
	if (!page->error && interval->kind != INTERVAL_ONCPU)
		page->error = add_interval(page, interval);
}
