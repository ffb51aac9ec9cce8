// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/units.h"
#include "control.h"

static size_t count_lines(const char *file)
{
	char *text = control_read(file);
	size_t nr = text && *text;

	for (const char *c = text; c && *c; c++)
		nr += *c == '\n';
	free(text);
	return nr;
}

static bool has_filter(const struct control_event *event)
{
	char file[512], *text;
	bool has;

	snprintf(file, sizeof(file), "events/%s/%s/filter", event->system, event->name);
	text = control_read(file);
	has = text && strcmp(text, "none");
	free(text);
	return has;
}

static void add(struct buf *text, const char *what, const char *one, const char *several,
		const char *file)
{
	size_t nr = count_lines(file);

	if (nr)
		buf_printf(text, "%s%s%zu %s (%s)", text->size ? ", " : "", what, nr,
			   nr == 1 ? one : several, file);
}

/* Return how many CPUs a mask has, which is hexadecimal digits and commas. */
static size_t count_mask(const char *mask)
{
	size_t nr = 0;

	for (; *mask; mask++) {
		char digit[2] = { *mask };

		nr += __builtin_popcountl(strtoul(digit, NULL, 16));
	}
	return nr;
}

/* Return how many CPUs this machine can have, or 0 if that is unknown. */
static size_t count_possible(void)
{
	uint32_t words[CPU_LIST_WORDS] = { 0 };
	struct buf list = { 0 };
	size_t nr = 0;

	buf_read_file(&list, "/sys/devices/system/cpu/possible");
	buf_add(&list, "", 1);
	if (!list.failed)
		list.data[strcspn(list.data, "\n")] = '\0';
	if (!list.failed && parse_cpus(list.data, words))
		for (size_t i = 0; i < CPU_LIST_WORDS; i++)
			nr += __builtin_popcount(words[i]);
	buf_free(&list);
	return nr;
}

static void add_cpus(struct buf *text)
{
	char *mask = control_read("tracing_cpumask");
	size_t nr = mask ? count_mask(mask) : 0;

	if (mask && nr < count_possible())
		buf_printf(text, "%sonly events of %zu %s (tracing_cpumask)",
			   text->size ? ", " : "", nr, nr == 1 ? "CPU" : "CPUs");
	free(mask);
}

bool selection_describe(struct buf *text, const struct control_events *events)
{
	size_t filters = 0;

	add_cpus(text);
	add(text, "only events of ", "thread", "threads", "set_event_pid");
	add(text, "no events of ", "thread", "threads", "set_event_notrace_pid");
	add(text, "only events of ", "cgroup", "cgroups", "set_event_cgroup");
	add(text, "nothing that is done by ", "process", "processes", "exclude_process");
	for (size_t i = 0; i < events->nr; i++)
		filters += has_filter(&events->v[i]);
	if (filters)
		buf_printf(text, "%s%zu %s", text->size ? ", " : "", filters,
			   filters == 1 ? "event has a filter" : "events have filters");
	if (!text->size)
		return false;
	buf_add(text, "", 1);
	return !text->failed;
}

void selection_tell(const struct control_events *events)
{
	struct buf text = { 0 };

	if (selection_describe(&text, events))
		complain("note: this buffer records a part only: %s (in %s)", text.data,
			 control_dir());
	buf_free(&text);
}
