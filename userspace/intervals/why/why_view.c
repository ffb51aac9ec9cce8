// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "intervals/intervals.h"
#include "print/columns.h"
#include "print/time_view.h"
#include "recording/dat_cgroups.h"
#include "why_view.h"

#define WHY_JSON_VERSION	1	/* grows when a key changes its meaning, or goes */
#define LEAST_SHARE		1	/* percent of a wait; smaller causes are one line */

typedef void stall_fn(const struct why_view *view, const struct stall *stall,
		      const struct analysis *analysis, void *data);

/*
 * Waits without work are no answer, unless their tasks are named. They are not the last ones: a
 * long time of idleness counts, if little.
 */
static bool is_answer(const struct why_view *view, const struct stall *stall)
{
	return view->named || !stall_is_idle(stall);
}

/* Call @each for the stalls that are printed. Return their number, or -1: no memory. */
static int each_stall(const struct why_view *view, stall_fn *each, void *data)
{
	struct analysis *analysis = malloc(sizeof(*analysis));
	struct why_view of_stall = *view;
	int nr = 0;

	if (!analysis)
		return -1;
	for (size_t i = 0; i < view->stalls.nr && nr < (int)view->worst; i++) {
		const struct stall *stall = &view->stalls.stall[i];

		if (!is_answer(view, stall))
			continue;
		stall_analyse(view->teller.history, stall, analysis);
		of_stall.teller.at = stall->piece->end;
		each(&of_stall, stall, analysis, data);
		nr++;
	}
	free(analysis);
	return nr;
}

/* ---- text */
static void add_when(const struct why_view *view, struct buf *out, uint64_t when)
{
	struct columns columns = { .time = *view->time };

	columns_init(&columns);
	columns_add_time(&columns, when, out);
	while (!out->failed && strchr(": ", out->data[out->size - 1]))
		out->size--;
}

static void add_share(const struct why_view *view, uint64_t time, uint64_t all, struct buf *out)
{
	char text[LENGTH_ROOM];

	buf_printf(out, "  %7s %3u %%  ", length_text(view->time, time, text),
		   (unsigned int)(all ? (time * 100 + all / 2) / all : 0));
}

static void add_causes(const struct why_view *view, const struct analysis *analysis,
		       struct buf *out)
{
	uint64_t rest = analysis->others;

	for (unsigned int i = 0; i < analysis->nr_causes; i++) {
		const struct cause *cause = &analysis->cause[i];

		if (i && cause->time * 100 < analysis->time * LEAST_SHARE) {
			rest += cause->time;
			continue;
		}
		add_share(view, cause->time, analysis->time, out);
		tell_cause(&view->teller, cause, out);
		buf_printf(out, "\n");
	}
	if (!rest)
		return;
	add_share(view, rest, analysis->time, out);
	buf_printf(out, "causes of less than %d %% each\n", LEAST_SHARE);
}

static void add_stall(const struct why_view *view, const struct stall *stall,
		      const struct analysis *analysis, void *data)
{
	struct buf *out = data;

	if (out->size)
		buf_printf(out, "\n");
	buf_printf(out, "%s", colour_begin(COLOUR_HEADING));
	tell_stall(&view->teller, stall, analysis, out);
	buf_printf(out, ".%s\n", colour_end(COLOUR_HEADING));
	buf_printf(out, "  from");
	add_when(view, out, stall->piece->begin);
	buf_printf(out, " to");
	add_when(view, out, stall->piece->end);
	buf_printf(out, ":\n");
	add_causes(view, analysis, out);
}

/* ---- what would have told more */
static const struct {
	enum interval_kind kind;
	const char *what, *events;
	bool always;		/* each recording would have some */
} wanted[] = {
	{ INTERVAL_SYSCALL, "system calls", "raw_syscalls", true },
	{ INTERVAL_SOFTIRQ, "interrupts", "irq", true },
	{ INTERVAL_HRTIMER, "timers", "timer", true },
	{ INTERVAL_BLOCK_DEVICE, "requests of disks", "block", false },
	{ INTERVAL_WORK, "work items", "workqueue", false },
	{ INTERVAL_LOCK, "locks of the kernel", "lock", false },
	{ INTERVAL_RECLAIM, "the reclaim of memory", "vmscan", false },
	{ INTERVAL_FAULT, "page faults", "exceptions", false },
};

#define NR_WANTED	(sizeof(wanted) / sizeof(wanted[0]))

static bool is_missing(const struct why_view *view, size_t i)
{
	const struct intervals *intervals = view->teller.intervals;

	return !intervals_has_kind(intervals, wanted[i].kind) ||
	       (wanted[i].always && !intervals_saw_kind(intervals, wanted[i].kind));
}

static void add_missing(const struct why_view *view, struct buf *out)
{
	bool some = false;

	for (size_t i = 0; i < NR_WANTED; i++) {
		if (!is_missing(view, i))
			continue;
		buf_printf(out, "%s%s (-e %s)", some ? ", " : "The recording lacks ",
			   wanted[i].what, wanted[i].events);
		some = true;
	}
	if (some)
		buf_printf(out, ": they may show more. 'rbmap record --for why' has all.\n");
}

size_t why_view_more(const struct why_view *view, size_t shown)
{
	size_t nr = 0;

	for (size_t i = 0; i < view->stalls.nr; i++)
		nr += is_answer(view, &view->stalls.stall[i]);
	return nr - shown;
}

static int largest_first(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;

	if (*x != *y)
		return *x < *y ? 1 : -1;
	return (x > y) - (x < y);
}

/* Store the kinds of causes that the row has, the largest first. Return their number. */
static unsigned int sort_causes(const struct cgroup_causes *row,
				const uint64_t *sorted[NR_CAUSE_KINDS])
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < NR_CAUSE_KINDS; i++)
		if (row->cause[i])
			sorted[nr++] = &row->cause[i];
	qsort(sorted, nr, sizeof(*sorted), largest_first);
	return nr;
}

static void add_cgroup_share(const struct why_view *view, const struct cgroup_causes *row,
			     uint64_t time, const char *what, struct buf *out)
{
	if (!time)
		return;
	add_share(view, time, row->time, out);
	buf_printf(out, "%s\n", what);
}

static void add_cgroup(const struct why_view *view, const struct cgroup_causes *row,
		       struct buf *out)
{
	const uint64_t *sorted[NR_CAUSE_KINDS];
	unsigned int nr = sort_causes(row, sorted);
	uint64_t rest = row->others;
	char text[LENGTH_ROOM];

	buf_printf(out, "%s%s", out->size ? "\n" : "", colour_begin(COLOUR_HEADING));
	if (row->path)
		buf_add_printable(out, row->path, strlen(row->path));
	else
		buf_printf(out, "(unknown)");
	buf_printf(out, "%s: %u waits, %s\n", colour_end(COLOUR_HEADING), row->waits,
		   length_text(view->time, row->time, text));
	for (unsigned int i = 0; i < nr; i++) {
		if (i && *sorted[i] * 100 < row->time * LEAST_SHARE)
			rest += *sorted[i];
		else
			add_cgroup_share(view, row, *sorted[i],
					 cause_name(sorted[i] - row->cause), out);
	}
	add_cgroup_share(view, row, rest, "causes of less than 1 % each", out);
}

static void add_cgroups(const struct why_view *view, struct buf *out)
{
	for (size_t i = 0; i < view->table.nr; i++)
		add_cgroup(view, &view->table.row[i], out);
	if (!view->table.nr)
		buf_printf(out, "No task waited for anything but work.\n");
}

static void add_more(const struct why_view *view, int shown, struct buf *out)
{
	size_t more = why_view_more(view, shown);

	if (!shown)
		buf_printf(out, view->stalls.nr ? "No task waited for anything but work.\n" :
						  "No such wait is in the recording.\n");
	else if (more)
		buf_printf(out, "\n%zu more: --worst %zu\n", more,
			   shown + more < 1000 ? shown + more : 1000);
}

static void add_cut_part(const struct why_view *view, uint64_t nr, const char *where,
			 uint64_t when, struct buf *out)
{
	if (!nr)
		return;
	buf_printf(out, "%" PRIu64 " intervals %s", nr, where);
	add_when(view, out, when);
	buf_printf(out, " were left out, because there are too many: --since and --until choose\n");
}

static void add_cut(const struct why_view *view, struct buf *out)
{
	struct history_cut cut = history_cut(view->teller.history);

	add_cut_part(view, cut.before, "until", cut.since, out);
	add_cut_part(view, cut.behind, "after", cut.until, out);
}

static void add_rest(const struct why_view *view, int shown, struct buf *out)
{
	if (!view->by_cgroup)
		add_more(view, shown, out);
	if (view->stalls.left_out)
		buf_printf(out, "%zu shorter waits were left out: --since, --until and -p choose\n",
			   view->stalls.left_out);
	add_cut(view, out);
}

bool why_view_text(const struct why_view *view)
{
	struct buf out = { 0 };
	int shown = view->by_cgroup ? 0 : each_stall(view, add_stall, &out);
	bool ok = shown >= 0;

	if (view->by_cgroup)
		add_cgroups(view, &out);
	if (ok) {
		add_rest(view, shown, &out);
		add_missing(view, &out);
	}
	ok = ok && !out.failed;
	if (ok)
		fwrite(out.data, 1, out.size, stdout);
	buf_free(&out);
	return ok;
}

/* ---- JSON */
static void json_text(struct json *j, const char *key, struct buf *text)
{
	json_bytes(j, key, text->data ? text->data : "", text->failed ? 0 : text->size);
	buf_free(text);
}

static void json_task(struct json *j, const struct why_view *view, int pid, int cpu)
{
	const struct intervals *intervals = view->teller.intervals;

	task_json_add(j, intervals, intervals_comm_at(intervals, pid, view->teller.at), pid, cpu);
}

static void json_chain(struct json *j, const struct why_view *view, const struct cause *cause)
{
	json_open(j, "chain", '[');
	for (unsigned int i = 0; i < cause->nr_links; i++) {
		const struct piece *wait = cause->chain[i].wait;

		json_open(j, NULL, '{');
		json_task(j, view, cause->chain[i].pid, -1);
		if (wait)
			json_string(j, "state", wait->name);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_cause(struct json *j, const struct why_view *view, const struct cause *cause)
{
	struct buf text = { 0 };
	struct dat_quota quota;

	tell_cause(&view->teller, cause, &text);
	quota.cgroup = NULL;
	if (cause->kind == CAUSE_QUOTA)
		history_quota(view->teller.history, cause->victim, &quota);
	json_open(j, NULL, '{');
	json_string(j, "cause", cause_name(cause->kind));
	json_unsigned(j, "time", length_ns(view->time, cause->time));
	json_unsigned(j, "parts", cause->parts);
	json_text(j, "text", &text);
	json_number(j, "victim", cause->victim);
	if (cause->actor >= 0)
		json_number(j, "actor", cause->actor);
	if (cause->cpu >= 0)
		json_number(j, "cpu", cause->cpu);
	task_json_add_host(j, view->teller.intervals, cause->victim, cause->cpu);
	if (cause->name)
		json_string(j, "name", cause->name);
	if (quota.cgroup)
		json_string(j, "cgroup", quota.cgroup);
	if ((cause->kind == CAUSE_DISK || cause->kind == CAUSE_THRASH) && cause->longest->device)
		json_string(j, "device", cause->longest->device);
	json_chain(j, view, cause);
	json_close(j, '}');
}

static void json_stall(const struct why_view *view, const struct stall *stall,
		       const struct analysis *analysis, void *data)
{
	struct json *j = data;
	struct buf text = { 0 };

	tell_stall(&view->teller, stall, analysis, &text);
	json_open(j, NULL, '{');
	json_text(j, "sentence", &text);
	json_task(j, view, stall->piece->pid, stall->piece->cpu);
	json_unsigned(j, "begin", stall->piece->begin);
	json_unsigned(j, "end", stall->piece->end);
	json_unsigned(j, "time", length_ns(view->time, analysis->time));
	json_unsigned(j, "waits", stall->waits);
	json_unsigned(j, "all", length_ns(view->time, stall->time));
	json_open(j, "causes", '[');
	for (unsigned int i = 0; i < analysis->nr_causes; i++)
		json_cause(j, view, &analysis->cause[i]);
	json_close(j, ']');
	json_unsigned(j, "others", length_ns(view->time, analysis->others));
	json_close(j, '}');
}

static void json_cgroups(const struct why_view *view, struct json *j)
{
	const uint64_t *sorted[NR_CAUSE_KINDS];

	json_open(j, "cgroups", '[');
	for (size_t i = 0; i < view->table.nr; i++) {
		const struct cgroup_causes *row = &view->table.row[i];
		unsigned int nr = sort_causes(row, sorted);

		json_open(j, NULL, '{');
		if (row->path)
			json_string(j, "cgroup", row->path);
		else
			json_null(j, "cgroup");
		json_unsigned(j, "waits", row->waits);
		json_unsigned(j, "time", length_ns(view->time, row->time));
		json_open(j, "causes", '[');
		for (unsigned int k = 0; k < nr; k++) {
			json_open(j, NULL, '{');
			json_string(j, "cause", cause_name(sorted[k] - row->cause));
			json_unsigned(j, "time", length_ns(view->time, *sorted[k]));
			json_close(j, '}');
		}
		json_close(j, ']');
		json_unsigned(j, "others", length_ns(view->time, row->others));
		json_close(j, '}');
	}
	json_close(j, ']');
}

int why_view_json_add_stalls(const struct why_view *view, struct json *j)
{
	int nr;

	json_open(j, "stalls", '[');
	nr = each_stall(view, json_stall, j);
	json_close(j, ']');
	return nr;
}

void why_view_json_add_cut(const struct why_view *view, struct json *j)
{
	struct history_cut cut = history_cut(view->teller.history);

	json_unsigned(j, "cut", cut.before + cut.behind);
	if (cut.before)
		json_unsigned(j, "cut_until", cut.since);
	if (cut.behind)
		json_unsigned(j, "cut_after", cut.until);
}

void why_view_json_add_missing(const struct why_view *view, struct json *j)
{
	json_open(j, "lacking", '[');
	for (size_t i = 0; i < NR_WANTED; i++)
		if (is_missing(view, i))
			json_string(j, NULL, wanted[i].events);
	json_close(j, ']');
}

bool why_view_json(const struct why_view *view, const char *clock)
{
	struct json j = { .out = stdout };
	bool counts = view->time->is_counter && !view->time->real, ok;

	json_open(&j, NULL, '{');
	json_number(&j, "rbmap_why", WHY_JSON_VERSION);
	if (clock)
		json_string(&j, "clock", clock);
	else
		json_null(&j, "clock");
	json_string(&j, "unit", counts ? "cycles" : "ns");
	json_unsigned(&j, "events", view->events);
	json_unsigned(&j, "lost", view->lost);
	json_bool(&j, "lost_unknown", view->lost_unknown);
	json_unsigned(&j, "left_out", view->stalls.left_out);
	if (view->selects)
		json_unsigned(&j, "not_selected", view->stalls.not_selected);
	why_view_json_add_cut(view, &j);
	why_view_json_add_missing(view, &j);
	if (view->by_cgroup)
		json_cgroups(view, &j);
	ok = view->by_cgroup || why_view_json_add_stalls(view, &j) >= 0;
	json_close(&j, '}');
	printf("\n");
	return ok;
}
