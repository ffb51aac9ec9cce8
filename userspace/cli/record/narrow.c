// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "narrow.h"

#define NO_FILTER	"none"
#define EVENT_FORK	"options/event-fork"

int narrow_add_pid(const struct command *cmd, struct narrow *narrow,
		   const char *text)
{
	uint64_t pid;

	if (!parse_u64(text, &pid) || !pid || pid > INT32_MAX)
		return usage_error(cmd, "'%s' is no process id", text);
	if (narrow->nr_pids == MAX_PIDS)
		return usage_error(cmd, "at most %d processes", MAX_PIDS);
	narrow->pid[narrow->nr_pids++] = pid;
	return 0;
}

static void filter_file(char *path, size_t size,
			const struct control_event *event)
{
	snprintf(path, size, "events/%s/%s/filter", event->system,
		 event->name);
}

/* The file shows the expression, and where it is wrong. */
static void complain_filter(const struct control_event *event,
			    const char *file, int error)
{
	char *text = error == -EINVAL ? control_read(file) : NULL;

	if (!text || !strstr(text, "parse_error")) {
		control_complain(CONTROL_WRITE, file, error);
	} else {
		complain("%s:%s does not take the filter (%s/events/%s/%s/format has its fields):",
			 event->system, event->name, control_dir(),
			 event->system, event->name);
		while (*text && text[strlen(text) - 1] == '\n')
			text[strlen(text) - 1] = '\0';
		fprintf(stderr, "%s\n", text);
	}
	free(text);
}

/* What was shown of an error is no filter. */
static bool restore_filter(const struct control_event *event, const char *old)
{
	bool none = !strcmp(old, NO_FILTER) || strchr(old, '\n');
	char file[512];
	int ret;

	filter_file(file, sizeof(file), event);
	ret = control_write(file, none ? "0" : old);
	/* It may have gone with its module. */
	if (ret && ret != -ENOENT)
		control_complain(CONTROL_WRITE, file, ret);
	return !ret || ret == -ENOENT;
}

static bool restore_filters(struct narrow *narrow,
			    const struct control_events *events)
{
	bool good = true;

	if (!narrow->old_filter)
		return true;
	for (size_t i = 0; i < events->nr; i++) {
		if (narrow->old_filter[i] &&
		    !restore_filter(&events->v[i], narrow->old_filter[i]))
			good = false;
		free(narrow->old_filter[i]);
	}
	free(narrow->old_filter);
	narrow->old_filter = NULL;
	return good;
}

static bool set_filter(struct narrow *narrow,
		       const struct control_events *events, size_t i)
{
	const struct control_event *event = &events->v[i];
	char file[512];
	int ret;

	filter_file(file, sizeof(file), event);
	narrow->old_filter[i] = control_read(file);
	if (!narrow->old_filter[i]) {
		control_complain(CONTROL_READ, file, -errno);
		return false;
	}
	ret = control_write(file, narrow->filter);
	if (ret)
		complain_filter(event, file, ret);
	return !ret;
}

bool narrow_filter(struct narrow *narrow, const struct control_events *events)
{
	bool good = true;

	if (!narrow->filter)
		return true;
	narrow->old_filter = calloc(events->nr + 1, sizeof(char *));
	if (!narrow->old_filter) {
		complain("out of memory");
		return false;
	}
	for (size_t i = 0; good && i < events->nr; i++) {
		if (events->v[i].selected && !events->v[i].unavailable)
			good = set_filter(narrow, events, i);
	}
	if (!good)
		restore_filters(narrow, events);
	return good;
}

void narrow_keep(struct narrow *narrow, const struct control_events *events)
{
	for (size_t i = 0; narrow->old_filter && i < events->nr; i++)
		free(narrow->old_filter[i]);
	free(narrow->old_filter);
	narrow->old_filter = NULL;
}

/* All threads of a process. */
static bool add_threads(struct buf *pids, unsigned int pid)
{
	struct dirent *entry;
	uint64_t thread;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir) {
		complain("there is no process %u", pid);
		return false;
	}
	while ((entry = readdir(dir))) {
		if (parse_u64(entry->d_name, &thread))
			buf_printf(pids, "%s ", entry->d_name);
	}
	closedir(dir);
	return true;
}

static bool write_file(const char *file, const char *value)
{
	int ret = control_write(file, value);

	if (ret)
		control_complain(CONTROL_WRITE, file, ret);
	return !ret;
}

/* A kernel file takes a page at a time, and more than that in parts. */
static bool set_pids(struct narrow *narrow)
{
	struct buf pids = { 0 };
	bool good = true;

	narrow->old_pids = control_read("set_event_pid");
	narrow->old_fork = narrow->old_pids ? control_read(EVENT_FORK) : NULL;
	if (!narrow->old_fork) {
		control_complain(CONTROL_READ, "set_event_pid", -errno);
		return false;
	}
	/* First: no child may come between. */
	if (!write_file(EVENT_FORK, "1"))
		return false;
	for (size_t i = 0; good && i < narrow->nr_pids; i++)
		good = add_threads(&pids, narrow->pid[i]);
	buf_add(&pids, "", 1);
	if (good && pids.failed) {
		complain("out of memory");
		good = false;
	}
	good = good && write_file("set_event_pid", pids.data);
	buf_free(&pids);
	return good;
}

bool narrow_begin(struct narrow *narrow, const struct control_events *events)
{
	return narrow_filter(narrow, events) &&
	       (!narrow->nr_pids || set_pids(narrow));
}

bool narrow_end(struct narrow *narrow, const struct control_events *events)
{
	bool good = restore_filters(narrow, events);

	if (narrow->old_fork &&
	    !(write_file(EVENT_FORK, narrow->old_fork) &&
	      write_file("set_event_pid", *narrow->old_pids ?
			 narrow->old_pids : "\n")))
		good = false;
	free(narrow->old_pids);
	free(narrow->old_fork);
	narrow->old_pids = narrow->old_fork = NULL;
	return good;
}
