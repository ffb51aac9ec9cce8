// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "intervals/intervals.h"
#include "kinds.h"
#include "print/time_view.h"
#include "view.h"

#define LATENCY_JSON_VERSION	1	/* grows when a key changes its meaning or is removed */
#define POWERS			64

static void add_length(const struct view *view, struct json *j, const char *key,
		       uint64_t length)
{
	json_unsigned(j, key, length_ns(&view->time, length));
}

static void add_row(const struct view *view, struct json *j, const struct row *row,
		    enum row_key key)
{
	const struct histogram *h = &row->lengths;

	json_open(j, NULL, '{');
	if (key == ROW_TASK)
		task_json_add(j, view->intervals, row->comm, row->pid, -1);
	else if (key == ROW_CPU)
		json_number(j, "cpu", row->cpu);
	else
		json_string(j, key == ROW_CGROUP ? "cgroup" : "name", row->name);
	if (key == ROW_CPU)
		task_json_add_host(j, view->intervals, 0, row->cpu);
	if (key == ROW_NAME && row->device)
		json_string(j, "device", row->device);
	json_unsigned(j, "count", h->count);
	add_length(view, j, "total", h->total);
	add_length(view, j, "average", h->total / h->count);
	add_length(view, j, "p50", histogram_quantile(h, 0.5));
	add_length(view, j, "p99", histogram_quantile(h, 0.99));
	add_length(view, j, "p99.9", histogram_quantile(h, 0.999));
	add_length(view, j, "max", h->max);
	json_unsigned(j, "when", row->when);
	json_close(j, '}');
}

static bool add_rows(const struct view *view, struct json *j, const struct summary *s)
{
	struct row **row = rows_sorted(&s->rows, view->sort);
	size_t nr = s->rows.table.nr, most = view->rows && view->rows < nr ? view->rows : nr;

	if (!row)
		return false;
	json_open(j, "rows", '[');
	for (size_t i = 0; i < most; i++)
		add_row(view, j, row[i], s->rows.key);
	json_close(j, ']');
	json_unsigned(j, "more_rows", nr - most);
	free(row);
	return true;
}

static void add_histogram(const struct view *view, struct json *j, const struct summary *s)
{
	json_open(j, "histogram", '[');
	for (unsigned int i = 0; i < POWERS; i++) {
		uint64_t count = histogram_power_count(&s->all, i);

		if (!count)
			continue;
		json_open(j, NULL, '{');
		add_length(view, j, "from", i ? 1ULL << i : 0);
		json_unsigned(j, "count", count);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void add_worst(const struct view *view, struct json *j, const struct worst *w)
{
	const struct interval *interval = &w->interval;

	json_open(j, NULL, '{');
	json_unsigned(j, "when", interval->begin);
	add_length(view, j, "length", interval->end - interval->begin);
	task_json_add(j, view->intervals, interval->comm, interval->pid, interval->cpu);
	json_number(j, "cpu", interval->cpu);
	json_string(j, "name", interval->name);
	if (interval->device)
		json_string(j, "device", interval->device);
	json_bool(j, "unfinished", interval->unfinished);
	if (interval->waker) {
		json_open(j, "waker", '{');
		task_json_add(j, view->intervals, interval->waker->comm, interval->waker->pid,
			      interval->waker->cpu);
		json_number(j, "cpu", interval->waker->cpu);
		json_unsigned(j, "flags", interval->waker->flags);
		json_close(j, '}');
	}
	if (w->nr_shares) {
		json_open(j, "ran", '[');
		for (unsigned int i = 0; i < w->nr_shares; i++) {
			json_open(j, NULL, '{');
			task_json_add(j, view->intervals, w->share[i].comm, w->share[i].pid,
				      interval->cpu);
			add_length(view, j, "time", w->share[i].time);
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	if (w->interrupts)
		add_length(view, j, "interrupts", w->interrupts);
	json_close(j, '}');
}

static bool add_summary(const struct view *view, struct json *j, const struct summary *s)
{
	json_open(j, NULL, '{');
	json_string(j, "kind", kinds[s->kind].name);
	json_string(j, "by", row_key_names[s->rows.key]);
	json_unsigned(j, "count", s->all.count);
	json_unsigned(j, "unfinished", s->unfinished);
	json_unsigned(j, "discarded", view->discarded[s->kind]);
	json_unsigned(j, "idle", view->idle[s->kind]);
	if (!add_rows(view, j, s))
		return false;
	add_histogram(view, j, s);
	json_open(j, "worst", '[');
	for (unsigned int i = 0; i < s->nr_worst; i++)
		add_worst(view, j, &s->worst[i]);
	json_close(j, ']');
	json_close(j, '}');
	return true;
}

bool view_json_add_kinds(const struct view *view, struct json *j, const char *key)
{
	bool ok = true;

	json_open(j, key, '[');
	for (int kind = 0; ok && kind < NR_INTERVAL_KINDS; kind++)
		if (view->summary[kind])
			ok = add_summary(view, j, view->summary[kind]);
	json_close(j, ']');
	return ok;
}

bool view_json(const struct view *view, const char *clock)
{
	bool cycles = view->time.is_counter && !view->time.real, ok;
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_number(&j, "rbmap_latency", LATENCY_JSON_VERSION);
	if (clock)
		json_string(&j, "clock", clock);
	else
		json_null(&j, "clock");
	if (view->buffer)
		json_string(&j, "buffer", view->buffer);
	json_string(&j, "unit", cycles ? "cycles" : "ns");
	json_unsigned(&j, "events", view->events);
	json_unsigned(&j, "lost", view->lost);
	json_bool(&j, "lost_unknown", view->lost_unknown);
	if (view->selects)
		json_unsigned(&j, "not_selected", view->left_out);
	ok = view_json_add_kinds(view, &j, "kinds");
	json_close(&j, '}');
	return ok;
}
