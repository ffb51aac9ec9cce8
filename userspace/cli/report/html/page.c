// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include <linux/rbmap.h>

#include "event_common.h"
#include "input/selection.h"
#include "page.h"
#include "print/line.h"
#include "recording/dat_read.h"

/* A page may have 12 bytes for an event, and as many as this for a small recording. */
#define SMALL_PAGE	(1 << 20)
#define VALUES_LIMIT	10	/* bytes for an event, from which on values are left out */
#define RARE_EVENTS	1000	/* events of a type that have their text first */
/* Events after which all lanes are written. It bounds the memory, however many CPUs there are. */
#define FLUSH_EVENTS	(1 << 17)

struct page *page_new(unsigned int worst)
{
	struct page *page = calloc(1, sizeof(*page));
	bool ok;

	if (!page)
		return NULL;
	page->types = types_new();
	page->intervals = intervals_new(page_interval, page);
	page->machine = syscalls_machine(NULL);
	ok = page->types && page->intervals;
	for (int kind = 0; ok && kind < NR_INTERVAL_KINDS; kind++)
		ok = summary_init(&page->summary[kind], kind, ROW_NAME, worst);
	if (ok)
		ok = summary_init(&page->blocked, INTERVAL_OFFCPU, ROW_NAME, worst);
	if (ok)
		return page;
	page_free(page);
	return NULL;
}

static void free_lanes(struct page *page)
{
	for (unsigned int i = 0; i < MOST_CPUS; i++)
		cpu_lane_free(page->cpu[i]);
	for (unsigned int i = 0; i < page->nr_task_lanes; i++)
		task_lane_free(page->task_lane[i]);
	for (unsigned int i = 0; i < page->nr_devices; i++)
		device_lane_free(&page->device[i]);
}

void page_free(struct page *page)
{
	if (!page)
		return;
	free_lanes(page);
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		summary_free(&page->summary[kind]);
	summary_free(&page->blocked);
	types_free(page->types);
	intervals_free(page->intervals);
	names_free(&page->names);
	texts_free(&page->texts);
	tasks_free(&page->tasks);
	buf_free(&page->body);
	free(page);
}

int page_add_format(struct page *page, const char *system, const char *format, size_t size)
{
	return types_add_format(page->types, system, format, size);
}

int page_add_task_lane(struct page *page, int pid, enum interest interest)
{
	struct page_task *task = tasks_get(&page->tasks, pid);
	struct task_lane *lane;

	if (!task)
		return -ENOMEM;
	if (task->lane || page->nr_task_lanes == MOST_TASK_LANES)
		return 0;
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return -ENOMEM;
	page->task_lane[page->nr_task_lanes++] = lane;
	task_lane_init(page, lane, pid, task->index);
	lane->interest = interest;
	task->lane = lane;
	return 0;
}

/* ---- events */
/* Rare events tell most: their texts may take twice as many bytes as those of others. */
static bool wants_text(const struct page *page, const struct type *type)
{
	uint64_t limit = SMALL_PAGE + page->events / 2;

	if (!page->session || !type->name)
		return false;
	return page->text_spent < (type->events <= RARE_EVENTS ? limit : limit / 2);
}

static int add_text(struct page *page, const struct rbmap_event *ev, const struct type *type)
{
	struct event_parts parts;
	int ret;

	page->body.size = 0;
	if (!wants_text(page, type)) {
		page->without_text++;
		return 0;
	}
	ret = print_session_find_parts(page->session, ev, &parts);
	if (!ret)
		ret = print_line_add_body(page->line, ev, &parts, &page->body);
	/* Texts are compressed to a quarter, and base64 takes a third more. */
	page->text_spent += page->body.size / 3 + 2;
	return ret == -ENOMEM ? ret : 0;
}

static void add_loss(struct page *page, struct cpu_lane *lane, uint64_t ts, uint64_t lost)
{
	if (page->losses < MOST_LOSSES)
		page->loss[page->losses] = (struct loss){ ts, lane->cpu, lost };
	page->losses++;
	dat_sum_lost(&page->lost, &page->lost_unknown, lost);
	dat_sum_lost(&lane->lost, &lane->lost_unknown, lost);
}

/* Any loss ends what is known of its CPU. Only those of CPUs that are selected are shown. */
static int lose(struct page *page, struct cpu_lane *lane, uint64_t ts, uint64_t lost)
{
	int ret = cpu_lane_forget(page, lane);

	if (ret || (page->selector && !selector_has_cpu(page->selector, lane->cpu)))
		return ret;
	add_loss(page, lane, ts, lost);
	return events_add_lost(&lane->events, page->store, ts, lost);
}

/* Return the pid of the task that ran, or the last known one for an event without it. */
static int pid_of(const struct cpu_lane *lane, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;

	return event_common(ev, &common) ? common.pid : lane->pid;
}

static int add_event(struct page *page, struct cpu_lane *lane, const struct rbmap_event *ev,
		     uint64_t ts, int pid)
{
	const struct type *type = types_count(page->types, ev);
	const struct page_task *task = tasks_get(&page->tasks, pid);
	int ret;

	if (!type || !task)
		return -ENOMEM;
	ret = add_text(page, ev, type);
	if (ret)
		return ret;
	page->events++;
	lane->nr_events++;
	lane->events.leave_out_values = store_estimate(page->store) >
		VALUES_LIMIT * page->events + SMALL_PAGE;
	ret = events_add(&lane->events, page->store, ts, type, task->index, ev, &page->body);
	page->without_values += lane->events.without_values;
	return ret;
}

static bool is_of_requests(const struct layout *layout)
{
	return layout->role == ROLE_INSERT || layout->role == ROLE_ISSUE ||
	       layout->role == ROLE_COMPLETE || layout->role == ROLE_REQUEUE;
}

/* Pass the event to the lanes. */
static int process(struct page *page, struct cpu_lane *lane, const struct rbmap_event *ev,
		   uint64_t ts, int pid)
{
	const struct layout *layout = intervals_layout(page->intervals, ev);
	int ret = cpu_lane_event(page, lane, ev, layout, pid);

	if (!ret)
		ret = intervals_event(page->intervals, ev);
	if (!ret)
		ret = page->error;
	if (!ret && (ev->lost || (layout && is_of_requests(layout))))
		ret = device_lanes_event(page, ts);
	return ret;
}

static int flush_lanes(struct page *page)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < MOST_CPUS; i++)
		if (page->cpu[i])
			ret = cpu_lane_flush(page, page->cpu[i]);
	for (unsigned int i = 0; !ret && i < page->nr_task_lanes; i++)
		ret = task_lane_flush(page, page->task_lane[i]);
	return ret;
}

/* A damaged recording may have events out of order. Times never go back in a page. */
static uint64_t next_time(struct page *page, uint64_t ts)
{
	if (!page->begun) {
		page->begun = true;
		page->base = ts;
	}
	ts = page_time(page, ts);
	if (ts > page->last)
		page->last = ts;
	return page->last;
}

int page_event(struct page *page, const struct rbmap_event *ev, bool shown)
{
	struct cpu_lane *lane = cpu_lane_get(page, ev->cpu);
	uint64_t ts;
	int ret = 0, pid;

	if (!lane)
		return -ENOMEM;
	ts = next_time(page, ev->ts);
	if (ev->lost)
		ret = lose(page, lane, ts, ev->lost);
	pid = pid_of(lane, ev);
	if (!shown)
		page->left_out++;
	else if (!ret)
		ret = add_event(page, lane, ev, ts, pid);
	if (!ret)
		ret = process(page, lane, ev, ts, pid);
	lane->last = ts;
	if (!ret && !((page->events + page->left_out) % FLUSH_EVENTS))
		ret = flush_lanes(page);
	return ret;
}

int page_lost_last(struct page *page, int cpu, uint64_t lost)
{
	struct cpu_lane *lane = lost ? cpu_lane_get(page, cpu) : NULL;

	if (!lost)
		return 0;
	return lane ? lose(page, lane, lane->last, lost) : -ENOMEM;
}

/* ---- the end */
static int end_lanes(struct page *page)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < MOST_CPUS; i++)
		if (page->cpu[i])
			ret = cpu_lane_end(page, page->cpu[i]);
	for (unsigned int i = 0; !ret && i < page->nr_task_lanes; i++)
		ret = task_lane_end(page, page->task_lane[i]);
	return ret ? ret : device_lanes_end(page);
}

/* Let the tasks that run end at the last event, before their lanes end. */
static int end_tasks(struct page *page)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < MOST_CPUS; i++)
		if (page->cpu[i])
			ret = cpu_lane_stop(page, page->cpu[i]);
	return ret;
}

int page_end(struct page *page)
{
	int ret = end_tasks(page), unfinished = intervals_end(page->intervals);

	if (!ret)
		ret = unfinished ? unfinished : page->error;
	if (!ret)
		ret = end_lanes(page);
	return ret ? ret : store_end(page->store);
}
