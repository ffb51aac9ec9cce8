// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "kinds.h"
#include "print/columns.h"
#include "print/fields/fields.h"
#include "print/time_view.h"
#include "view.h"

#define NAME_WIDTH	24
#define BAR_WIDTH	40
#define POWERS		64

static void add_text(struct buf *out, const char *text)
{
	buf_add_printable(out, text, strlen(text));
}

/* "server-412", or in a container "server-412:7" */
static void add_task(const struct view *view, struct buf *out, const char *comm, int pid)
{
	int ns_pid = view->intervals ? intervals_ns_pid(view->intervals, pid) : 0;

	if (!pid) {
		buf_printf(out, "idle");
		return;
	}
	add_text(out, *comm ? comm : "<...>");
	buf_printf(out, "-%d", pid);
	if (ns_pid)
		buf_printf(out, ":%d", ns_pid);
}

/* "253,1 WS (vda1)" */
static void add_name(struct buf *out, const char *name, const char *device)
{
	add_text(out, name);
	if (!device)
		return;
	buf_printf(out, " (");
	add_text(out, device);
	buf_printf(out, ")");
}

static void add_row_name(const struct view *view, struct buf *out, const struct row *row, enum row_key key)
{
	size_t begin = out->size, width;

	if (key == ROW_TASK)
		add_task(view, out, row->comm, row->pid);
	else if (key == ROW_CPU)
		intervals_print_cpu(view->intervals, row->cpu, out);
	else
		add_name(out, row->name, key == ROW_NAME ? row->device : NULL);
	width = out->failed ? NAME_WIDTH : out->size - begin;
	buf_printf(out, "%*s", width < NAME_WIDTH ? (int)(NAME_WIDTH - width) : 0, "");
}

static void add_length(const struct view *view, struct buf *out, uint64_t length)
{
	char text[LENGTH_ROOM];

	buf_printf(out, " %7s", length_text(&view->time, length, text));
}

static void add_when(const struct view *view, struct buf *out, uint64_t when)
{
	struct columns columns = { .time = view->time };

	columns_init(&columns);
	columns_add_time(&columns, when, out);
	/* Something follows the time in lines of events. */
	while (!out->failed && strchr(": ", out->data[out->size - 1]))
		out->size--;
}

static void add_row(const struct view *view, struct buf *out, const struct row *row,
		    enum row_key key)
{
	const struct histogram *h = &row->lengths;

	add_row_name(view, out, row, key);
	buf_printf(out, " %8" PRIu64, h->count);
	add_length(view, out, h->total);
	add_length(view, out, h->total / h->count);
	add_length(view, out, histogram_quantile(h, 0.5));
	add_length(view, out, histogram_quantile(h, 0.99));
	add_length(view, out, histogram_quantile(h, 0.999));
	add_length(view, out, h->max);
	buf_printf(out, " ");
	add_when(view, out, row->when);
	buf_printf(out, "\n");
}

static const char *key_title(enum row_key key, const struct kind *kind)
{
	switch (key) {
	case ROW_TASK:
		return "task";
	case ROW_CPU:
		return "CPU";
	case ROW_CGROUP:
		return "cgroup";
	default:
		return kind->of;
	}
}

static bool add_table(const struct view *view, struct buf *out, const struct summary *s)
{
	struct row **row = rows_sorted(&s->rows, view->sort);
	size_t most = view->rows && view->rows < s->rows.table.nr ? view->rows : s->rows.table.nr;

	if (!row)
		return false;
	buf_printf(out, "%-*s %8s %7s %7s %7s %7s %7s %7s  WHEN\n", NAME_WIDTH,
		   key_title(s->rows.key, &kinds[s->kind]), "COUNT", "TOTAL", "AVERAGE", "P50",
		   "P99", "P99.9", "MAX");
	for (size_t i = 0; i < most; i++)
		add_row(view, out, row[i], s->rows.key);
	if (most < s->rows.table.nr)
		buf_printf(out, "(%zu more rows: --rows 0 prints all)\n", s->rows.table.nr - most);
	free(row);
	return true;
}

static void add_histogram(const struct view *view, struct buf *out, const struct summary *s)
{
	unsigned int first = POWERS, last = 0;
	uint64_t count[POWERS], most = 1;
	char text[LENGTH_ROOM];

	for (unsigned int i = 0; i < POWERS; i++) {
		count[i] = histogram_power_count(&s->all, i);
		if (!count[i])
			continue;
		if (first == POWERS)
			first = i;
		last = i;
		if (count[i] > most)
			most = count[i];
	}
	for (unsigned int i = first; i <= last && first < POWERS; i++) {
		int bar = (count[i] * BAR_WIDTH + most - 1) / most;

		buf_printf(out, "  from %7s %10" PRIu64 " %.*s\n",
			   length_text(&view->time, i ? 1ULL << i : 0, text), count[i], bar,
			   "########################################");
	}
}

/* ---- the worst intervals */
static void add_waker(const struct view *view, struct buf *out, const struct interval_waker *waker)
{
	buf_printf(out, ", woken by ");
	if (waker->flags & FLAG_HARDIRQ)
		buf_printf(out, "an interrupt of ");
	else if (waker->flags & FLAG_SOFTIRQ)
		buf_printf(out, "a softirq in ");
	add_task(view, out, waker->comm, waker->pid);
	buf_printf(out, " on ");
	intervals_print_cpu(view->intervals, waker->cpu, out);
}

static void add_shares(const struct view *view, struct buf *out, const struct worst *w)
{
	char text[LENGTH_ROOM];

	if (!w->nr_shares)
		return;
	buf_printf(out, "          ");
	intervals_print_cpu(view->intervals, w->interval.cpu, out);
	buf_printf(out, " ran");
	for (unsigned int i = 0; i < w->nr_shares; i++) {
		buf_printf(out, "%s ", i ? "," : "");
		add_task(view, out, w->share[i].comm, w->share[i].pid);
		buf_printf(out, " for %s", length_text(&view->time, w->share[i].time, text));
	}
	if (w->interrupts)
		buf_printf(out, ", and interrupts for %s",
			   length_text(&view->time, w->interrupts, text));
	buf_printf(out, "\n");
}

static void add_worst(const struct view *view, struct buf *out, const struct worst *w)
{
	const struct interval *interval = &w->interval;
	char text[LENGTH_ROOM];

	buf_printf(out, "  %7s from", length_text(&view->time, interval->end - interval->begin,
						  text));
	add_when(view, out, interval->begin);
	buf_printf(out, ": ");
	add_task(view, out, interval->comm, interval->pid);
	if (interval->cpu >= 0) {
		buf_printf(out, ", ");
		intervals_print_cpu(view->intervals, interval->cpu, out);
	}
	buf_printf(out, ", ");
	add_name(out, interval->name, interval->device);
	if (interval->waker)
		add_waker(view, out, interval->waker);
	buf_printf(out, "%s\n", interval->unfinished ? "; it has not ended" : "");
	add_shares(view, out, w);
}

static bool add_summary(const struct view *view, struct buf *out, const struct summary *s)
{
	const struct kind *kind = &kinds[s->kind];

	buf_printf(out, "%s%s%s: %s: %" PRIu64, colour_begin(COLOUR_HEADING), kind->name,
		   colour_end(COLOUR_HEADING), kind->title, s->all.count);
	if (s->unfinished)
		buf_printf(out, ", and %" PRIu64 " that have not ended", s->unfinished);
	if (view->discarded[s->kind])
		buf_printf(out, "; %" PRIu64 " with lost events are left out",
			   view->discarded[s->kind]);
	if (view->idle[s->kind])
		buf_printf(out, "; %" PRIu64 " of %s and of rbmap are not shown (--all)",
			   view->idle[s->kind],
			   s->kind == INTERVAL_SYSCALL ? "sleeping tasks" : "idle kernel threads");
	buf_printf(out, "\n");
	if (s->all.count && !add_table(view, out, s))
		return false;
	if (view->histogram)
		add_histogram(view, out, s);
	if (s->nr_worst)
		buf_printf(out, "the longest:\n");
	for (unsigned int i = 0; i < s->nr_worst; i++)
		add_worst(view, out, &s->worst[i]);
	return true;
}

bool view_text(const struct view *view)
{
	struct buf out = { 0 };
	bool ok = true, some = false;

	if (view->buffer) {
		buf_printf(&out, "buffer ");
		buf_add_printable(&out, view->buffer, strlen(view->buffer));
		buf_printf(&out, ":\n");
	}
	for (int kind = 0; ok && kind < NR_INTERVAL_KINDS; kind++) {
		if (!view->summary[kind])
			continue;
		if (some)
			buf_printf(&out, "\n");
		some = true;
		ok = add_summary(view, &out, view->summary[kind]);
	}
	ok &= !out.failed;
	if (ok)
		fwrite(out.data, 1, out.size, stdout);
	buf_free(&out);
	return ok;
}
