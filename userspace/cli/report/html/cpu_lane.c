// SPDX-License-Identifier: GPL-2.0-only
/* The lane of a CPU: the task that runs there, and its system call. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "page.h"
#include "print/fields/syscalls.h"

struct cpu_lane *cpu_lane_get(struct page *page, int cpu)
{
	unsigned int number = cpu < 0 || cpu >= MOST_CPUS ? MOST_CPUS - 1 : cpu;
	struct cpu_lane *lane = page->cpu[number];

	if (lane)
		return lane;
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return NULL;
	lane->cpu = number;
	lane->pid = -1;
	track_init(&lane->task, page->nr_tracks++, TRACK_NAMES);
	track_init(&lane->call, page->nr_tracks++, TRACK_NAMES);
	track_init(&lane->softirq, page->nr_tracks++, TRACK_NAMES);
	track_init(&lane->irq, page->nr_tracks++, TRACK_NAMES);
	events_init(&lane->events, page->nr_tracks++);
	lane->arrows.number = page->nr_tracks++;
	page->cpu[number] = lane;
	return lane;
}

void cpu_lane_free(struct cpu_lane *lane)
{
	if (!lane)
		return;
	track_free(&lane->task);
	track_free(&lane->call);
	track_free(&lane->softirq);
	track_free(&lane->irq);
	events_free(&lane->events);
	arrows_free(&lane->arrows);
	free(lane);
}

/* Return the number of the system call's name, plus 1; 0: out of memory. */
static uint32_t call_text(struct page *page, const struct layout *layout,
			  const struct rbmap_event *ev, int pid)
{
	uint64_t nr = layout_number(layout, ev, CALL_NR);
	bool compat = !layout->name && intervals_is_compat(page->intervals, pid);
	bool cached = !layout->name && nr < CACHED_CALLS && !compat;
	const char *name = layout->name;
	char text[64];
	int64_t number;

	if (cached && page->call_text[nr])
		return page->call_text[nr];
	if (!name)
		name = syscalls_name(&page->machine, compat, nr);
	if (!name)
		snprintf(text, sizeof(text), "system call %ld", (long)nr);
	else if (compat)
		snprintf(text, sizeof(text), "%.40s (%s)", name,
			 syscalls_compat_mark(&page->machine));
	name = names_add(&page->names, name && !compat ? name : text);
	number = name ? texts_number(&page->texts, name) : -1;
	if (cached)
		page->call_text[nr] = number + 1;
	return number + 1;
}

static bool is_in_call(const struct page *page, const struct page_task *task)
{
	return task->call && task->calls_since == page->gaps;
}

/* The part of a system call that ran here has ended. */
static int end_call(struct page *page, struct cpu_lane *lane, const struct page_task *task,
		    uint64_t ts)
{
	if (!is_in_call(page, task))
		return 0;
	return track_add(&lane->call, page->store, lane->call_since, ts, task->call - 1);
}

static int end_task(struct page *page, struct cpu_lane *lane, uint64_t ts)
{
	struct page_task *task;
	int ret;

	if (lane->pid <= 0)
		return 0;
	task = tasks_get(&page->tasks, lane->pid);
	if (!task)
		return -ENOMEM;
	ret = track_add(&lane->task, page->store, lane->since, ts, lane->index);
	if (!ret)
		ret = end_call(page, lane, task, ts);
	if (!ret && task->lane)
		ret = task_lane_runs(page, task->lane, lane->cpu, lane->since, ts);
	return ret;
}

static int begin_task(struct page *page, struct cpu_lane *lane, int pid, uint64_t ts)
{
	const struct page_task *task = tasks_get(&page->tasks, pid);

	if (!task)
		return -ENOMEM;
	lane->pid = pid;
	lane->index = task->index;
	lane->since = ts;
	lane->call_since = ts;
	return 0;
}

static int sched_switch(struct page *page, struct cpu_lane *lane, const struct layout *layout,
			const struct rbmap_event *ev)
{
	uint64_t ts = page_time(page, ev->ts);
	int ret = end_task(page, lane, ts);

	if (ret)
		return ret;
	return begin_task(page, lane, layout_number(layout, ev, SWITCH_NEXT_PID), ts);
}

static int sys_enter(struct page *page, struct cpu_lane *lane, const struct layout *layout,
		     const struct rbmap_event *ev)
{
	struct page_task *task = tasks_get(&page->tasks, lane->pid);

	if (!task)
		return -ENOMEM;
	task->call = call_text(page, layout, ev, lane->pid);
	task->calls_since = page->gaps;
	lane->call_since = page_time(page, ev->ts);
	return task->call ? 0 : -ENOMEM;
}

static int sys_exit(struct page *page, struct cpu_lane *lane, const struct rbmap_event *ev)
{
	struct page_task *task = tasks_get(&page->tasks, lane->pid);
	int ret;

	if (!task)
		return -ENOMEM;
	ret = end_call(page, lane, task, page_time(page, ev->ts));
	task->call = 0;
	return ret;
}

static int change_task(struct page *page, struct cpu_lane *lane, int pid, uint64_t ts)
{
	int ret = end_task(page, lane, ts);

	return ret ? ret : begin_task(page, lane, pid, ts);
}

int cpu_lane_event(struct page *page, struct cpu_lane *lane, const struct rbmap_event *ev,
		   const struct layout *layout, int pid)
{
	int ret = 0;

	if (lane->pid != pid)
		ret = change_task(page, lane, pid, page_time(page, ev->ts));
	if (ret || !layout)
		return ret;
	switch (layout->role) {
	case ROLE_SWITCH:
		return sched_switch(page, lane, layout, ev);
	case ROLE_SYS_ENTER:
		return pid > 0 ? sys_enter(page, lane, layout, ev) : 0;
	case ROLE_SYS_EXIT:
		return pid > 0 ? sys_exit(page, lane, ev) : 0;
	default:
		return 0;
	}
}

int cpu_lane_forget(struct page *page, struct cpu_lane *lane)
{
	int ret = end_task(page, lane, lane->last);

	lane->pid = -1;
	page->gaps++;
	return ret;
}

int cpu_lane_stop(struct page *page, struct cpu_lane *lane)
{
	int ret = end_task(page, lane, page->last);

	lane->pid = -1;
	return ret;
}

/* Return 0 or the first error of a function that is called for each track of slices. */
static int for_each_track(struct page *page, struct cpu_lane *lane,
			  int (*each)(struct page *page, struct track *track))
{
	struct track *const track[] = { &lane->task, &lane->call, &lane->softirq, &lane->irq };
	int ret = 0;

	for (unsigned int i = 0; !ret && i < sizeof(track) / sizeof(track[0]); i++)
		ret = each(page, track[i]);
	return ret;
}

static int flush_track(struct page *page, struct track *track)
{
	int ret = track_flush(track, page->store);

	track_shrink(track);
	return ret;
}

int cpu_lane_flush(struct page *page, struct cpu_lane *lane)
{
	int ret = for_each_track(page, lane, flush_track);

	if (!ret)
		ret = events_flush(&lane->events, page->store);
	events_shrink(&lane->events);
	return ret ? ret : arrows_flush(&lane->arrows, page->store);
}

static int end_track(struct page *page, struct track *track)
{
	return track_end(track, page->store, page->last);
}

int cpu_lane_end(struct page *page, struct cpu_lane *lane)
{
	int ret = for_each_track(page, lane, end_track);

	if (!ret)
		ret = events_end(&lane->events, page->store, page->last);
	return ret ? ret : arrows_flush(&lane->arrows, page->store);
}
