// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/printable.h"
#include "intervals/summary/view.h"
#include "meta.h"
#include "page.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"

#define HTML_VERSION	2	/* grows when the scripts of older pages cannot read the data */
#define ROWS		10	/* in the table of each kind */

/* A string as others print it: control characters are escaped. */
static void add_text(struct json *j, const char *key, const char *text)
{
	struct buf b = { 0 };

	if (!text) {
		json_null(j, key);
		return;
	}
	buf_add_printable(&b, text, strlen(text));
	json_bytes(j, key, b.data ? b.data : "", b.size);
	buf_free(&b);
}

/* JavaScript's numbers are too small for times of the ring. */
static void add_long(struct json *j, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	json_string(j, key, text);
}

static void add_bool_or_count(struct json *j, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN)
		json_null(j, NULL);
	else
		json_unsigned(j, NULL, lost);
}

/* ---- times */
static void add_trigger(struct json *j, const struct page *page, const struct origin *origin)
{
	const struct dat_times *times = origin->times;

	if (!times->trigger.real)
		return;
	json_open(j, "trigger", '{');
	json_unsigned(j, "time", page_time(page, times->trigger.ring));
	add_text(j, "reason", times->reason);
	json_close(j, '}');
}

static void add_times(struct json *j, const struct page *page, const struct origin *origin)
{
	const struct time_view *time = origin->time;

	add_text(j, "clock", origin->clock);
	json_string(j, "unit", time->is_counter && !time->real ? "cycles" : "ns");
	json_bool(j, "counter", time->is_counter);
	if (time->is_counter && time->real) {
		json_unsigned(j, "real_step", time->real_step);
		json_unsigned(j, "ring_step", time->ring_step);
	}
	add_long(j, "base", page->base);
	if (time->real)
		add_long(j, "base_real", time_view_real(time, page->base));
	json_unsigned(j, "last", page->last);
	add_trigger(j, page, origin);
}

/* ---- names */
/* Values are stored with a sign. The page shows those of unsigned fields without one. */
static void add_fields(struct json *j, const struct type *type)
{
	json_open(j, NULL, '[');
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		json_open(j, NULL, '[');
		add_text(j, NULL, type->field[i].name);
		json_bool(j, NULL, type->field[i].is_signed);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void add_types(struct json *j, const struct page *page)
{
	json_open(j, "types", '[');
	for (unsigned int i = 1; i <= types_nr(page->types); i++) {
		const struct type *type = types_get(page->types, i);

		json_open(j, NULL, '[');
		add_text(j, NULL, type->system);
		add_text(j, NULL, type->name);
		json_number(j, NULL, type->id);
		json_unsigned(j, NULL, type->events);
		add_fields(j, type);
		json_close(j, ']');
	}
	json_close(j, ']');
}

/* Each path once: tasks have the number of their cgroup in the list, from 1 on. */
struct groups {
	const char **path;
	uint32_t nr;
	uint32_t *of;		/* by index of the task */
};

static int by_path(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Find the cgroups of the tasks with these pids. Return false if memory is lacking. */
static bool find_groups(struct groups *g, const struct page *page, const int *pid)
{
	uint32_t nr = page->tasks.nr_indexes, kept = 0;
	const struct dat_task *task;

	g->path = calloc(nr + 1, sizeof(*g->path));
	g->of = calloc(nr + 1, sizeof(*g->of));
	if (!g->path || !g->of)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		task = pid[i] > 0 ? intervals_recorded_task(page->intervals, pid[i]) : NULL;
		if (task)
			g->path[g->nr++] = task->cgroup;
	}
	qsort(g->path, g->nr, sizeof(*g->path), by_path);
	for (uint32_t i = 0; i < g->nr; i++)
		if (!kept || strcmp(g->path[kept - 1], g->path[i]))
			g->path[kept++] = g->path[i];
	g->nr = kept;
	for (uint32_t i = 0; i < nr; i++) {
		const char **found = NULL;

		task = pid[i] > 0 ? intervals_recorded_task(page->intervals, pid[i]) : NULL;
		if (task)
			found = bsearch(&task->cgroup, g->path, g->nr, sizeof(*g->path), by_path);
		g->of[i] = found ? found - g->path + 1 : 0;
	}
	return true;
}

static void add_groups(struct json *j, const struct groups *g)
{
	json_open(j, "cgroups", '[');
	for (uint32_t i = 0; i < g->nr; i++)
		add_text(j, NULL, g->path[i]);
	json_close(j, ']');
}

/* The hosts of a merged recording: name, first CPU, number of CPUs */
static void add_hosts(struct json *j, const struct dat_hosts *hosts)
{
	const struct dat_host *host;
	size_t nr = dat_hosts_all(hosts, &host);

	if (!nr)
		return;
	json_open(j, "hosts", '[');
	for (size_t i = 0; i < nr; i++) {
		json_open(j, NULL, '[');
		add_text(j, NULL, host[i].name);
		json_unsigned(j, NULL, host[i].first_cpu);
		json_unsigned(j, NULL, host[i].nr_cpus);
		json_close(j, ']');
	}
	json_close(j, ']');
}

/* A task: pid, name, its number in its own namespace or 0, number of its cgroup or 0 */
static void add_one_task(struct json *j, const struct page *page, int pid, uint32_t group)
{
	json_open(j, NULL, '[');
	json_number(j, NULL, pid);
	add_text(j, NULL, intervals_comm(page->intervals, pid));
	if (group || intervals_ns_pid(page->intervals, pid)) {
		json_number(j, NULL, intervals_ns_pid(page->intervals, pid));
		json_unsigned(j, NULL, group);
	}
	json_close(j, ']');
}

static bool add_tasks(struct json *j, const struct page *page)
{
	struct groups groups = { 0 };
	bool ok;
	int *pid = calloc(page->tasks.nr_indexes + 1, sizeof(*pid));
	const struct page_task *task;

	if (!pid)
		return false;
	pid[OTHER_TASKS] = -1;
	hash_for_each(&page->tasks.table, task)
		if (task->pid >= 0)
			pid[task->index] = task->pid;
	ok = find_groups(&groups, page, pid);
	json_open(j, "tasks", '[');
	for (uint32_t i = 0; ok && i < page->tasks.nr_indexes; i++)
		add_one_task(j, page, pid[i], groups.of[i]);
	json_close(j, ']');
	if (ok)
		add_groups(j, &groups);
	add_hosts(j, intervals_hosts(page->intervals));
	free(groups.path);
	free(groups.of);
	free(pid);
	return ok;
}

static void add_texts(struct json *j, const struct page *page)
{
	json_open(j, "texts", '[');
	for (size_t i = 0; i < page->texts.table.nr; i++)
		add_text(j, NULL, page->texts.text[i]);
	json_close(j, ']');
}

/* ---- lanes: each with the numbers of its tracks */
static void add_cpu(struct json *j, const struct cpu_lane *lane)
{
	json_open(j, NULL, '{');
	json_string(j, "kind", "cpu");
	json_unsigned(j, "cpu", lane->cpu);
	json_unsigned(j, "events", lane->nr_events);
	json_unsigned(j, "lost", lane->lost);
	json_bool(j, "lost_unknown", lane->lost_unknown);
	json_unsigned(j, "task", lane->task.number);
	json_unsigned(j, "call", lane->call.number);
	json_unsigned(j, "softirq", lane->softirq.number);
	json_unsigned(j, "irq", lane->irq.number);
	json_unsigned(j, "ticks", lane->events.number);
	json_unsigned(j, "arrows", lane->arrows.number);
	json_close(j, '}');
}

static void add_task(struct json *j, const struct task_lane *lane)
{
	static const char *const interests[] = { "why", "named", "worst", "other", "recorder" };

	json_open(j, NULL, '{');
	json_string(j, "kind", "task");
	json_unsigned(j, "index", lane->index);
	json_string(j, "interest", interests[lane->interest]);
	json_unsigned(j, "state", lane->state.number);
	json_unsigned(j, "call", lane->call.number);
	json_unsigned(j, "irq", lane->irq.number);
	json_close(j, '}');
}

static void add_device(struct json *j, const struct page *page, const struct device_lane *lane)
{
	const char *file = intervals_device(page->intervals, lane->dev);
	char name[32];

	snprintf(name, sizeof(name), "%u,%u", lane->dev >> 20, lane->dev & ((1 << 20) - 1));
	json_open(j, NULL, '{');
	json_string(j, "kind", "disk");
	json_string(j, "device", name);
	if (file)
		add_text(j, "name", file);
	json_unsigned(j, "queued", lane->depth[DEPTH_QUEUED].number);
	json_unsigned(j, "issued", lane->depth[DEPTH_ISSUED].number);
	json_unsigned(j, "most_queued", lane->most[DEPTH_QUEUED]);
	json_unsigned(j, "most_issued", lane->most[DEPTH_ISSUED]);
	json_close(j, '}');
}

static unsigned int devices_without_lane(const struct page *page)
{
	const struct interval_requests *requests;

	return intervals_requests(page->intervals, &requests) - page->nr_devices +
	       intervals_other_devices(page->intervals);
}

static void add_lanes(struct json *j, const struct page *page)
{
	json_open(j, "lanes", '[');
	for (unsigned int i = 0; i < MOST_CPUS; i++)
		if (page->cpu[i])
			add_cpu(j, page->cpu[i]);
	for (unsigned int i = 0; i < page->nr_task_lanes; i++)
		add_task(j, page->task_lane[i]);
	for (unsigned int i = 0; i < page->nr_devices; i++)
		add_device(j, page, &page->device[i]);
	json_close(j, ']');
}

static void add_losses(struct json *j, const struct page *page)
{
	json_unsigned(j, "losses", page->losses);
	json_open(j, "loss", '[');
	for (unsigned int i = 0; i < page->losses && i < MOST_LOSSES; i++) {
		json_open(j, NULL, '[');
		json_unsigned(j, NULL, page->loss[i].ts);
		json_number(j, NULL, page->loss[i].cpu);
		add_bool_or_count(j, page->loss[i].lost);
		json_close(j, ']');
	}
	json_close(j, ']');
}

/* The longest intervals are those of rbmap latency, and so is their form. */
static bool add_kinds(struct json *j, const struct page *page, const struct origin *origin)
{
	struct view view = { .time = *origin->time, .rows = ROWS }, blocked = view;

	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++) {
		const struct summary *s = &page->summary[kind];

		view.discarded[kind] = intervals_discarded(page->intervals, kind);
		view.idle[kind] = page->idle[kind];
		if (s->all.count || s->unfinished || view.discarded[kind] || view.idle[kind])
			view.summary[kind] = s;
	}
	if (page->blocked.all.count || page->blocked.unfinished)
		blocked.summary[INTERVAL_OFFCPU] = &page->blocked;
	return view_json_add_kinds(&view, j, "kinds") &&
	       view_json_add_kinds(&blocked, j, "uninterruptible");
}

static bool add_all(struct json *j, const struct page *page, const struct origin *origin)
{
	const char *name = strrchr(origin->path, '/');
	bool ok;

	json_open(j, NULL, '{');
	json_number(j, "rbmap_html", HTML_VERSION);
	add_text(j, "file", name ? name + 1 : origin->path);
	add_text(j, "uname", origin->uname);
	json_unsigned(j, "events", page->events);
	json_unsigned(j, "lost", page->lost);
	json_bool(j, "lost_unknown", page->lost_unknown);
	if (page->selector)
		json_unsigned(j, "not_selected", page->left_out);
	json_unsigned(j, "without_text", page->without_text);
	json_unsigned(j, "without_values", page->without_values);
	json_unsigned(j, "without_lane", page->without_lane);
	json_unsigned(j, "without_device", devices_without_lane(page));
	json_bool(j, "named", page->named);
	add_times(j, page, origin);
	add_types(j, page);
	ok = add_tasks(j, page);
	add_texts(j, page);
	add_lanes(j, page);
	add_losses(j, page);
	ok &= add_kinds(j, page, origin);
	json_close(j, '}');
	return ok;
}

/* JSON has "<" in strings only. There it must not begin a tag that ends the element. */
static void write_escaped(const char *text, size_t size, FILE *out)
{
	const char *end = text + size, *less;

	for (; (less = memchr(text, '<', end - text)); text = less + 1) {
		fwrite(text, 1, less - text, out);
		fputs("\\u003c", out);
	}
	fwrite(text, 1, end - text, out);
}

int meta_write(const struct page *page, const struct origin *origin, FILE *out)
{
	const struct buf *index = store_index(page->store);
	char *text = NULL;
	size_t size = 0;
	struct json j = { .out = open_memstream(&text, &size), .compact = true };
	bool ok;

	if (!j.out)
		return -ENOMEM;
	ok = add_all(&j, page, origin);
	ok &= !fclose(j.out);
	if (ok) {
		fputs("<script type=\"application/json\" id=\"meta\">", out);
		write_escaped(text, size, out);
		fputs("</script>\n<script type=\"application/json\" id=\"why\">", out);
		write_escaped(origin->why ? origin->why : "null",
			      origin->why ? origin->why_size : 4, out);
		fputs("</script>\n<script type=\"application/json\" id=\"index\">[", out);
		fwrite(index->data, 1, index->size, out);
		fputs("]</script>\n", out);
	}
	free(text);
	return ok ? 0 : -ENOMEM;
}
