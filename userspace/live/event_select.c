// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "event_select.h"
#include "kernel/cgroups.h"
#include "pid_list.h"

#define NO_FILTER	"none"
#define EVENT_FORK	"options/event-fork"

int event_select_add_pid(const struct command *cmd, void *to, char *value)
{
	struct event_select *event_select = to;
	uint64_t pid;

	if (*value && strspn(value, "0123456789") != strlen(value))
		return usage_error(cmd, "invalid process id '%s': rbmap has no tracers; -e names events, and 'rbmap list' lists them",
				   value);
	if (!parse_u64(value, &pid) || !pid || pid > INT32_MAX)
		return usage_error(cmd, "invalid process id '%s'", value);
	if (event_select->nr_pids == MAX_PIDS)
		return usage_error(cmd, "at most %d processes", MAX_PIDS);
	event_select->pid[event_select->nr_pids++] = pid;
	return STATUS_OK;
}

static int add_cgroup(const struct command *cmd, struct event_select *event_select,
		      const char *name, char *(*find)(const char *name))
{
	if (!*name)
		return usage_error(cmd, "a cgroup without a name");
	if (event_select->nr_cgroups == MAX_CGROUPS)
		return usage_error(cmd, "at most %d cgroups", MAX_CGROUPS);
	event_select->cgroup[event_select->nr_cgroups++] =
		(struct named_cgroup){ name, find };
	return STATUS_OK;
}

int event_select_add_cgroup(const struct command *cmd, void *to, char *value)
{
	return add_cgroup(cmd, to, value, cgroup_of_path);
}

int event_select_add_unit(const struct command *cmd, void *to, char *value)
{
	return add_cgroup(cmd, to, value, cgroup_of_unit);
}

int event_select_add_container(const struct command *cmd, void *to, char *value)
{
	return add_cgroup(cmd, to, value, cgroup_of_container);
}

static void filter_file(char *path, size_t size,
			const struct control_event *event)
{
	snprintf(path, size, "events/%s/%s/filter", event->system,
		 event->name);
}

/* The filter file shows the expression and the place of the error. */
static void complain_filter(const struct control_event *event,
			    const char *file, int error)
{
	char *text = error == -EINVAL ? control_read(file) : NULL;

	if (!text || !strstr(text, "parse_error")) {
		control_complain(CONTROL_WRITE, file, error);
	} else {
		complain("%s:%s refuses the filter (%s/events/%s/%s/format lists its fields):",
			 event->system, event->name, control_dir(),
			 event->system, event->name);
		while (*text && text[strlen(text) - 1] == '\n')
			text[strlen(text) - 1] = '\0';
		fprintf(stderr, "%s\n", text);
	}
	free(text);
}

/* The text of an error is not a filter: restore none. */
static bool restore_filter(const struct control_event *event, const char *old)
{
	bool none = !strcmp(old, NO_FILTER) || strchr(old, '\n');
	char file[512];
	int ret;

	filter_file(file, sizeof(file), event);
	ret = control_write(file, none ? "0" : old);
	/* The event may be gone together with its module. */
	if (ret && ret != -ENOENT)
		control_complain(CONTROL_WRITE, file, ret);
	return !ret || ret == -ENOENT;
}

static bool restore_filters(struct event_select *event_select,
			    const struct control_events *events)
{
	bool good = true;

	if (!event_select->old_filter)
		return true;
	for (size_t i = 0; i < events->nr; i++) {
		if (event_select->old_filter[i] &&
		    !restore_filter(&events->v[i], event_select->old_filter[i]))
			good = false;
		free(event_select->old_filter[i]);
	}
	free(event_select->old_filter);
	event_select->old_filter = NULL;
	return good;
}

static bool set_filter(struct event_select *event_select,
		       const struct control_events *events, size_t i)
{
	const struct control_event *event = &events->v[i];
	char file[512];
	int ret;

	filter_file(file, sizeof(file), event);
	event_select->old_filter[i] = control_read(file);
	if (!event_select->old_filter[i]) {
		control_complain(CONTROL_READ, file, -errno);
		return false;
	}
	ret = control_write(file, event_select->filter);
	if (ret)
		complain_filter(event, file, ret);
	return !ret;
}

bool event_select_filter(struct event_select *event_select, const struct control_events *events)
{
	bool good = true;

	if (!event_select->filter)
		return true;
	event_select->old_filter = calloc(events->nr + 1, sizeof(char *));
	if (!event_select->old_filter) {
		complain("out of memory");
		return false;
	}
	for (size_t i = 0; good && i < events->nr; i++) {
		if (events->v[i].selected && !events->v[i].unavailable)
			good = set_filter(event_select, events, i);
	}
	if (!good)
		restore_filters(event_select, events);
	return good;
}

void event_select_keep(struct event_select *event_select, const struct control_events *events)
{
	for (size_t i = 0; event_select->old_filter && i < events->nr; i++)
		free(event_select->old_filter[i]);
	free(event_select->old_filter);
	event_select->old_filter = NULL;
}

static bool set_pids(struct event_select *event_select)
{
	event_select->old_pids = pid_list_read(PID_LIST_ONLY);
	if (!event_select->old_pids)
		return false;
	event_select->old_fork = control_read(EVENT_FORK);
	if (!event_select->old_fork) {
		control_complain(CONTROL_READ, EVENT_FORK, -errno);
		return false;
	}
	/* Follow forks first, so that no child is missed. */
	return control_set(EVENT_FORK, "1") &&
	       pid_list_set_processes(PID_LIST_ONLY, event_select->pid,
				      event_select->nr_pids);
}

static bool write_cgroup(const char *path, bool append)
{
	int ret = control_write_list(CGROUP_LIST, path, append);

	if (ret == -ENOENT)
		complain("cgroup %s has gone", path);
	else if (ret)
		control_complain(CONTROL_WRITE, CGROUP_LIST, ret);
	return !ret;
}

static bool set_cgroups(struct event_select *event_select)
{
	bool ok = true;

	event_select->old_cgroups = control_read(CGROUP_LIST);
	if (!event_select->old_cgroups) {
		control_complain(CONTROL_READ, CGROUP_LIST, -errno);
		return false;
	}
	for (size_t i = 0; ok && i < event_select->nr_cgroups; i++) {
		char *path = event_select->cgroup[i].find(event_select->cgroup[i].name);

		ok = path && write_cgroup(path, i > 0);
		free(path);
	}
	return ok;
}

bool event_select_write_cgroups(char *text)
{
	bool ok = write_cgroup("\n", false);
	char *path, *rest = text;

	while (ok && (path = strsep(&rest, "\n"))) {
		int ret = *path ? control_write_list(CGROUP_LIST, path, true) : 0;

		if (ret && ret != -ENOENT) {
			control_complain(CONTROL_WRITE, CGROUP_LIST, ret);
			ok = false;
		}
	}
	return ok;
}

static bool restore_cgroups(struct event_select *event_select)
{
	bool ok = !event_select->old_cgroups ||
		  event_select_write_cgroups(event_select->old_cgroups);

	free(event_select->old_cgroups);
	event_select->old_cgroups = NULL;
	return ok;
}

bool event_select_begin(struct event_select *event_select, const struct control_events *events)
{
	return event_select_filter(event_select, events) &&
	       (!event_select->nr_pids || set_pids(event_select)) &&
	       (!event_select->nr_cgroups || set_cgroups(event_select));
}

bool event_select_end(struct event_select *event_select, const struct control_events *events)
{
	bool good = restore_filters(event_select, events);

	if (event_select->old_fork &&
	    !(control_set(EVENT_FORK, event_select->old_fork) &&
	      pid_list_write(PID_LIST_ONLY, event_select->old_pids)))
		good = false;
	free(event_select->old_pids);
	free(event_select->old_fork);
	event_select->old_pids = event_select->old_fork = NULL;
	if (!restore_cgroups(event_select))
		good = false;
	return good;
}
