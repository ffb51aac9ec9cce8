// SPDX-License-Identifier: GPL-2.0-only
/* The events below /sys/kernel/rbmap/events: list, select and enable them. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "control.h"
#include "foreign.h"
#include "suggest.h"

#define UNAVAILABLE	"unavailable: "

static int by_name(const void *a, const void *b)
{
	const struct control_event *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static void free_event(struct control_event *event)
{
	free(event->system);
	free(event->name);
	free(event->unavailable);
}

void control_events_free(struct control_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		free_event(&events->v[i]);
	free(events->v);
	*events = (struct control_events){ 0 };
}

static char *read_of(const char *system, const char *name, const char *file)
{
	char path[1024];

	snprintf(path, sizeof(path), "events/%s/%s/%s", system, name, file);
	return control_read(path);
}

static int read_event(struct control_event *event, const char *system,
		      const char *name)
{
	char *enable = read_of(system, name, "enable");
	char *id, *status;
	uint64_t number;

	*event = (struct control_event){ .id = -1 };
	if (!enable)
		return -errno;
	event->enabled = *enable == '1';
	free(enable);

	id = read_of(system, name, "id");
	if (id && parse_u64(id, &number) && number <= UINT16_MAX)
		event->id = number;
	free(id);

	status = read_of(system, name, "status");
	if (status && !strncmp(status, UNAVAILABLE, strlen(UNAVAILABLE)))
		event->unavailable = strdup(status + strlen(UNAVAILABLE));
	free(status);

	event->system = strdup(system);
	event->name = strdup(name);
	if (!event->system || !event->name)
		return -ENOMEM;
	return 0;
}

static int add_event(struct control_events *events, const char *system,
		     const char *name)
{
	struct control_event *v;
	int ret;

	/* The array grows by powers of two. */
	if (!(events->nr & (events->nr - 1))) {
		v = realloc(events->v, (events->nr ? 2 * events->nr : 1) *
				       sizeof(*v));
		if (!v)
			return -ENOMEM;
		events->v = v;
	}
	ret = read_event(&events->v[events->nr], system, name);
	if (!ret || ret == -ENOMEM)
		events->nr++;
	return ret;
}

static int add_system(struct control_events *events, const char *system)
{
	char path[1024];
	struct dirent *entry;
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/events/%s", control_dir(), system);
	dir = opendir(path);
	if (!dir)
		return errno == ENOTDIR ? 0 : -errno;
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		ret = add_event(events, system, entry->d_name);
		/* It is a file, or an event that was removed meanwhile. */
		if (ret == -ENOTDIR || ret == -ENOENT)
			ret = 0;
	}
	closedir(dir);
	return ret;
}

int control_events_read(struct control_events *events)
{
	char path[1024];
	struct dirent *entry;
	DIR *dir;
	int ret = 0;

	*events = (struct control_events){ 0 };
	if (!control_present())
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/events", control_dir());
	dir = opendir(path);
	if (!dir) {
		ret = -errno;
		control_complain(CONTROL_READ, "events", ret);
		return ret;
	}
	while (!ret && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			ret = add_system(events, entry->d_name);
	closedir(dir);
	if (ret) {
		control_complain(CONTROL_READ, "events", ret);
		control_events_free(events);
		return ret;
	}
	if (events->nr)
		qsort(events->v, events->nr, sizeof(*events->v), by_name);
	return 0;
}

bool control_match(const char *pattern, const char *system, const char *name)
{
	const char *colon = strchr(pattern, ':');
	char *first;
	bool match;

	if (!colon)
		return !fnmatch(pattern, name, 0) ||
		       !fnmatch(pattern, system, 0);
	first = strndup(pattern, colon - pattern);
	match = first && !fnmatch(first, system, 0) &&
		(!colon[1] || !fnmatch(colon + 1, name, 0));
	free(first);
	return match;
}

static void complain_unknown(const struct control_events *events,
			     const char *pattern)
{
	struct suggest suggest = suggest_events(pattern);
	char list[512];

	if (foreign_event(pattern)) {
		complain("no event '%s': %s", pattern, foreign_event(pattern));
		return;
	}
	for (size_t i = 0; i < events->nr; i++)
		suggest_offer_event(&suggest, events->v[i].system, events->v[i].name);
	suggest_list(&suggest, list, sizeof(list));
	if (*list)
		complain("no event '%s': similar names: %s", pattern, list);
	else
		complain("no event '%s': 'rbmap list' lists the events",
			 pattern);
}

int control_select(struct control_events *events, char *const *patterns,
		   size_t nr_patterns)
{
	for (size_t i = 0; i < events->nr; i++)
		events->v[i].selected = false;
	for (size_t p = 0; p < nr_patterns; p++) {
		bool found = false;

		for (size_t i = 0; i < events->nr; i++) {
			struct control_event *ev = &events->v[i];

			if (!control_match(patterns[p], ev->system, ev->name))
				continue;
			ev->selected = true;
			found = true;
		}
		if (!found) {
			complain_unknown(events, patterns[p]);
			return -ENOENT;
		}
	}
	return 0;
}

static int control_event_switch(const struct control_event *event, bool on)
{
	char path[1024];

	snprintf(path, sizeof(path), "events/%s/%s/enable", event->system,
		 event->name);
	return control_write(path, on ? "1" : "0");
}

int control_event_enable(const struct control_event *event, bool on)
{
	int ret = control_event_switch(event, on);
	char path[1024];

	if (ret == -ENODEV) {
		complain("event %s:%s is unavailable: %s", event->system,
			 event->name, event->unavailable ? event->unavailable :
			 "the kernel log says why (dmesg | grep rbmap)");
	} else if (ret) {
		snprintf(path, sizeof(path), "events/%s/%s/enable",
			 event->system, event->name);
		control_complain(CONTROL_WRITE, path, ret);
	}
	return ret;
}

static const struct control_event *
only_unavailable(const struct control_events *events)
{
	const struct control_event *first = NULL;

	for (size_t i = 0; i < events->nr; i++) {
		const struct control_event *ev = &events->v[i];

		if (!ev->selected)
			continue;
		if (!ev->unavailable)
			return NULL;
		if (!first)
			first = ev;
	}
	return first;
}

static int switch_one(struct control_event *ev, bool on)
{
	int ret = control_event_enable(ev, on);

	if (!ret)
		ev->changed = on != ev->enabled;
	return ret;
}

int control_enable_selected(struct control_events *events, bool on)
{
	const struct control_event *none = only_unavailable(events);
	int ret = 0;

	if (on && none) {
		complain("event %s:%s is unavailable: %s", none->system,
			 none->name, none->unavailable);
		return -ENODEV;
	}
	for (size_t i = 0; i < events->nr && !ret; i++) {
		struct control_event *ev = &events->v[i];

		if (ev->selected && !ev->unavailable)
			ret = switch_one(ev, on);
	}
	return ret;
}

int control_disable_others(struct control_events *events)
{
	int ret = 0;

	for (size_t i = 0; i < events->nr && !ret; i++) {
		struct control_event *ev = &events->v[i];

		if (ev->enabled && !ev->selected)
			ret = switch_one(ev, false);
	}
	return ret;
}

/* Report one error only, but try all events. */
static int change_back(struct control_events *events, bool on)
{
	int ret = 0;

	for (size_t i = 0; i < events->nr; i++) {
		struct control_event *ev = &events->v[i];

		if (!ev->changed || ev->enabled != on)
			continue;
		ev->changed = false;
		if (ret)
			control_event_switch(ev, on);
		else
			ret = control_event_enable(ev, on);
	}
	return ret;
}

int control_disable_ours(struct control_events *events)
{
	return change_back(events, false);
}

int control_restore(struct control_events *events)
{
	int ret = change_back(events, false);
	int error = change_back(events, true);

	return ret ? ret : error;
}
