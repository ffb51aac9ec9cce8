// SPDX-License-Identifier: GPL-2.0-only
/* The lane of a task: its states, its system calls, and the handlers that interrupted it. */
#include <stdlib.h>

#include "page.h"

#define MANY_SLICES	1024	/* Fewer would make small pieces, which the index lists each. */

void task_lane_init(struct page *page, struct task_lane *lane, int pid, uint32_t index)
{
	lane->pid = pid;
	lane->index = index;
	track_init(&lane->state, page->nr_tracks++, TRACK_STATES);
	track_init(&lane->call, page->nr_tracks++, TRACK_NAMES);
	track_init(&lane->irq, page->nr_tracks++, TRACK_NAMES);
}

void task_lane_free(struct task_lane *lane)
{
	track_free(&lane->state);
	track_free(&lane->call);
	track_free(&lane->irq);
	free(lane);
}

int task_lane_flush(struct page *page, struct task_lane *lane)
{
	struct track *const track[] = { &lane->state, &lane->call, &lane->irq };
	int ret = 0;

	for (unsigned int i = 0; !ret && i < sizeof(track) / sizeof(track[0]); i++) {
		if (track[i]->nr < MANY_SLICES)
			continue;
		ret = track_flush(track[i], page->store);
		track_shrink(track[i]);
	}
	return ret;
}

static int add_state(struct page *page, struct task_lane *lane, uint64_t begin, uint64_t end,
		     enum task_state state, uint64_t value)
{
	return track_add(&lane->state, page->store, begin, end, value << STATE_BITS | state);
}

/* The task could run, and runs from now on. */
static int end_wait(struct page *page, struct task_lane *lane)
{
	if (!lane->waits)
		return 0;
	lane->waits = false;
	return add_state(page, lane, lane->runnable, lane->waits_end, STATE_RUNNABLE, lane->why);
}

int task_lane_runs(struct page *page, struct task_lane *lane, unsigned int cpu,
		   uint64_t begin, uint64_t end)
{
	int ret = end_wait(page, lane);

	return ret ? ret : add_state(page, lane, begin, end, STATE_RUNS, cpu);
}

/* A wait for a CPU ends together with the time off CPU, and is passed before it. */
static int off_cpu(struct page *page, struct task_lane *lane, const struct interval *interval,
		   uint64_t text)
{
	uint64_t end = page_time(page, interval->end);
	bool is_blocked = interval_is_uninterruptible(interval);
	int ret;

	if (lane->waits && lane->runnable < end)
		end = lane->runnable;
	ret = add_state(page, lane, page_time(page, interval->begin), end,
			is_blocked ? STATE_BLOCKED : STATE_SLEEPS, text);
	return ret ? ret : end_wait(page, lane);
}

int task_lane_interval(struct page *page, struct task_lane *lane,
		       const struct interval *interval, uint64_t text)
{
	uint64_t begin = page_time(page, interval->begin), end = page_time(page, interval->end);

	switch (interval->kind) {
	case INTERVAL_RUNQUEUE:
		lane->waits = true;
		lane->runnable = begin;
		lane->waits_end = end;
		lane->why = text;
		return 0;
	case INTERVAL_OFFCPU:
		return off_cpu(page, lane, interval, text);
	case INTERVAL_SYSCALL:
		return track_add(&lane->call, page->store, begin, end, text);
	case INTERVAL_IRQ:
	case INTERVAL_SOFTIRQ:
		return track_add(&lane->irq, page->store, begin, end, text);
	default:
		return 0;
	}
}

int task_lane_end(struct page *page, struct task_lane *lane)
{
	int ret = end_wait(page, lane);

	if (!ret)
		ret = track_end(&lane->state, page->store, page->last);
	if (!ret)
		ret = track_end(&lane->call, page->store, page->last);
	return ret ? ret : track_end(&lane->irq, page->store, page->last);
}
