// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rbmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/complain.h"
#include "base/printable.h"
#include "base/process.h"
#include "event_common.h"
#include "follow.h"
#include "layout.h"
#include "live/task_cgroups.h"
#include "terminal.h"

#define LOOK_MS		100	/* between two looks at the keys; events are read as often */

static bool out_of_memory(void)
{
	complain("out of memory");
	return false;
}

/* Ids are small numbers: the table has one place for each. */
static bool make_place(struct top *top, unsigned int id)
{
	return array_extend(top->label, top->nr_labels, id + 1);
}

static bool label_events(struct top *top)
{
	const struct control_events *events = &top->live.events;

	if (!make_place(top, 0))
		return out_of_memory();
	for (size_t i = 0; i < events->nr; i++) {
		struct control_event *event = &events->v[i];
		int id = control_event_id(event);

		if (id < 0)
			continue;
		if (!make_place(top, id))
			return out_of_memory();
		/* An event of a buffer that has ended may have had the id. */
		free(top->label[id]);
		if (asprintf(&top->label[id], "%s:%s", event->system, event->name) < 0) {
			top->label[id] = NULL;
			return out_of_memory();
		}
	}
	return true;
}

static bool has_label(const struct top *top, int id)
{
	return (size_t)id < top->nr_labels && top->label[id];
}

/* A driver's new buffer was there before its events. They are before the first record. */
static void name_event(void *data, int id, char *name, size_t size)
{
	struct top *top = data;

	if (!has_label(top, id) && top->live.driver.module && live_events_read_again(&top->live))
		label_events(top);
	if (has_label(top, id))
		snprintf(name, size, "%s", top->label[id]);
	else
		snprintf(name, size, "event %d", id);
}

static void name_task(void *data, int pid, char *name, size_t size)
{
	const struct top *top = data;
	const char *comm = pid ? cmdlines_find(top->names, pid) : "<idle>";
	char printable[COMM_SIZE * PRINTABLE_MAX + 1];

	if (!comm)
		comm = "<...>";
	*put_printable(printable, comm, strlen(comm)) = '\0';
	snprintf(name, size, "%s-%d", printable, pid);
}

/*
 * A task that has ended before its end was read is in no cgroup that is known. Idle tasks are
 * in the root.
 */
static int find_cgroup(void *data, int pid)
{
	const struct top *top = data;
	struct dat_task unknown = { .pid = pid, .cgroup = pid ? "(unknown)" : "/" };
	const struct dat_task *task = dat_cgroups_find(top->cgroups, pid);

	if (!task && !task_cgroups_ask(top->cgroups, pid))
		dat_cgroups_learn(top->cgroups, &unknown);
	task = dat_cgroups_find(top->cgroups, pid);
	return task ? (int)task->number : -1;
}

static const char *path_of(void *data, int number)
{
	const struct top *top = data;

	return dat_cgroups_path(top->cgroups, number);
}

static struct row_names names_of(struct top *top)
{
	return (struct row_names){
		.event = name_event, .task = name_task, .cgroup = find_cgroup, .path = path_of,
		.data = top,
	};
}

bool top_begin(struct top *top)
{
	top->counts = counts_new();
	top->last = counts_new();
	top->names = cmdlines_new();
	top->cgroups = dat_cgroups_new();
	if (!top->counts || !top->last || !top->names || !top->cgroups)
		return out_of_memory();
	if (!label_events(top) || !sampler_begin(&top->sampler))
		return false;
	cmdlines_scan(top->names, COMM_TS_BEGIN);
	/* The order of events does not matter. */
	rbmap_merge_set_hold(top->live.merge, 0);
	if (top->batch)
		return true;
	top->terminal = terminal_open();
	return top->terminal;
}

void top_end(struct top *top)
{
	terminal_close(top->terminal);
	comm_events_end(top->comm_events);
	sampler_end(&top->sampler);
	sample_free(&top->sample);
	counts_free(top->counts);
	counts_free(top->last);
	cmdlines_free(top->names);
	dat_cgroups_free(top->cgroups);
	free(top->row);
	for (size_t i = 0; i < top->nr_labels && top->label; i++)
		free(top->label[i]);
	free(top->label);
}

static bool count(void *data, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	struct top *top = data;

	top->read++;
	top->all_read++;
	if (event_common(ev, &common))
		counts_add(top->counts, ev->cpu, common.pid, common.type);
	return true;
}

/* Make the rows of the counts, or of the view that has changed. */
static bool make_rows(struct top *top)
{
	struct row_names names = names_of(top);

	free(top->row);
	top->row = rows_make(top->last, top->view.key, top->view.sort, top->view.search,
			     &names, &top->nr_rows);
	if (!top->row)
		return out_of_memory();
	if (top->view.first && top->view.first >= top->nr_rows)
		top->view.first = top->nr_rows ? top->nr_rows - 1 : 0;
	return true;
}

static bool show(struct top *top)
{
	struct picture picture = { .view = &top->view, .sample = &top->sample };
	struct row_names names = names_of(top);

	if (top->as_json) {
		if (!batch_json(&top->sample, top->last, &names))
			return out_of_memory();
	} else {
		if (!make_rows(top))
			return false;
		picture.row = top->row;
		picture.nr_rows = top->nr_rows;
		if (top->terminal)
			terminal_show(top->terminal, &picture);
		else
			batch_text(&picture, top->rows);
	}
	return !top->batch || !fflush(stdout);
}

static bool end_interval(struct top *top)
{
	struct counts *full = top->counts;

	sample_free(&top->sample);
	if (!sample_take(&top->sample, &top->sampler, top->read))
		return false;
	top->counts = top->last;
	top->last = full;
	counts_clear(top->counts);
	top->read = 0;
	if (top->comm_events)
		comm_events_merge(top->comm_events, top->names, top->cgroups);
	top->shown++;
	return true;
}

/* The next buffer of a driver has counters and ids of its own. */
static bool use_next_buffer(struct top *top)
{
	if (top->reloads == top->live.reloads)
		return true;
	top->reloads = top->live.reloads;
	sampler_restart(&top->sampler);
	return label_events(top);
}

/* Wait, read and look at the keys, until @end. Return false after an error. */
static bool read_until(struct top *top, double end, bool *quit)
{
	double left;

	while (!*quit && !live_events_interrupted() && (left = end - now()) > 0) {
		if (!live_events_wait(&top->live,
				      left * 1000 < LOOK_MS ? left * 1000 + 1 : LOOK_MS) ||
		    !live_events_drain(&top->live, end, count, top) || !use_next_buffer(top))
			return false;
		if (top->terminal && terminal_keys(top->terminal, &top->view, quit) &&
		    !*quit && !show(top))
			return false;
	}
	return true;
}

/* An interval lasts as long as the user pauses, or a driver's buffer does not exist. */
bool top_follow(struct top *top)
{
	bool quit = false;

	if (top->terminal && !show(top))
		return false;
	while (!quit && !live_events_interrupted() &&
	       (!top->pictures || top->shown < top->pictures)) {
		if (!read_until(top, now() + top->view.interval, &quit))
			return false;
		if (quit || live_events_interrupted() || top->view.paused ||
		    live_events_buffer_is_gone(&top->live))
			continue;
		if (!end_interval(top) || !show(top))
			return false;
	}
	return true;
}
