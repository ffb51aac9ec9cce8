// SPDX-License-Identifier: GPL-2.0-only
/* The events below /sys/kernel/rbmap/events: list, select and enable them. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/complain.h"
#include "base/suggest.h"
#include "base/units.h"
#include "command/command.h"
#include "control.h"

#define UNAVAILABLE	"unavailable: "
#define WAITING		"waiting: "

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
	free(event->waiting);
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

int control_event_id(struct control_event *event)
{
	uint64_t id;
	char *text;

	if (event->has_id)
		return event->id;
	text = read_of(event->system, event->name, "id");
	event->id = text && parse_u64(text, &id) && id <= UINT16_MAX ? (int)id : -1;
	event->has_id = true;
	free(text);
	return event->id;
}

/* All but whether it is enabled */
static int read_event(struct control_event *event, const char *system,
		      const char *name)
{
	char *status = read_of(system, name, "status");

	*event = (struct control_event){ 0 };
	if (!status)
		return -errno;
	if (!strncmp(status, UNAVAILABLE, strlen(UNAVAILABLE)))
		event->unavailable = strdup(status + strlen(UNAVAILABLE));
	else if (!strncmp(status, WAITING, strlen(WAITING)))
		event->waiting = strdup(status + strlen(WAITING));
	free(status);

	event->system = strdup(system);
	event->name = strdup(name);
	if (!event->system || !event->name)
		return -ENOMEM;
	return 0;
}

static int read_enabled(struct control_event *event)
{
	char *enable = read_of(event->system, event->name, "enable");

	if (!enable)
		return -errno;
	event->enabled = *enable == '1';
	free(enable);
	return 0;
}

static int add_event(struct control_events *events, const char *system, const char *name)
{
	int ret;

	if (!array_grow(events->v, events->nr))
		return -ENOMEM;
	ret = read_event(&events->v[events->nr], system, name);
	if (!ret || ret == -ENOMEM)
		events->nr++;
	return ret;
}

int control_events_add(struct control_events *events, const char *system, const char *name)
{
	int ret = add_event(events, system, name);

	if (!ret) {
		ret = read_enabled(&events->v[events->nr - 1]);
		if (ret)
			free_event(&events->v[--events->nr]);
	}
	return ret;
}

int control_event_update(struct control_event *event)
{
	struct control_event old = *event, new;
	int ret = read_event(&new, old.system, old.name);

	if (!ret)
		ret = read_enabled(&new);
	*event = new;

	if (ret && ret != -ENOMEM)
		*event = old;
	else
		free_event(&old);
	return ret;
}

int control_events_add_name(struct control_events *events, const char *system,
			    const char *name)
{
	struct control_event *event;

	if (!array_grow(events->v, events->nr))
		return -ENOMEM;
	event = &events->v[events->nr++];
	*event = (struct control_event){
		.system = strdup(system), .name = strdup(name), .on_demand = true,
	};
	return event->system && event->name ? 0 : -ENOMEM;
}

void control_events_sort(struct control_events *events)
{
	if (events->nr)
		qsort(events->v, events->nr, sizeof(*events->v), by_name);
}

struct control_event *control_events_find(const struct control_events *events, size_t nr,
					  const char *system, const char *name)
{
	struct control_event key = { .system = (char *)system, .name = (char *)name };

	return nr ? bsearch(&key, events->v, nr, sizeof(key), by_name) : NULL;
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

/* Without the list, read the file of each event. */
static int read_each_enabled(struct control_events *events)
{
	int ret = 0;

	for (size_t i = 0; i < events->nr && !ret; i++) {
		ret = read_enabled(&events->v[i]);
		/* The event was removed meanwhile. */
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

/* The list takes one read, where the files `enable` take one for each event. */
static int read_all_enabled(struct control_events *events)
{
	char *text = control_read("set_event"), *rest = text, *line;

	if (!text)
		return errno == ENOENT ? read_each_enabled(events) : -errno;
	while ((line = strsep(&rest, "\n"))) {
		char *name = strchr(line, ':');
		struct control_event *event;

		if (!name)
			continue;
		*name++ = '\0';
		event = control_events_find(events, events->nr, line, name);
		if (event)
			event->enabled = true;
	}
	free(text);
	return 0;
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
	control_events_sort(events);
	if (!ret)
		ret = read_all_enabled(events);
	if (ret) {
		control_complain(CONTROL_READ, "events", ret);
		control_events_free(events);
	}
	return ret;
}

bool control_match(const char *pattern, const char *system, const char *name)
{
	const char *colon = strchr(pattern, ':');
	char *first;
	bool match;

	if (!strcmp(pattern, CONTROL_ALL_EVENTS))
		return true;
	if (!colon)
		return !fnmatch(pattern, name, 0) ||
		       !fnmatch(pattern, system, 0);
	first = strndup(pattern, colon - pattern);
	match = first && !fnmatch(first, system, 0) &&
		(!colon[1] || !fnmatch(colon + 1, name, 0));
	free(first);
	return match;
}

/*
 * Return the length of the system's name in SYSTEM:EVENT, if no event has that system; otherwise
 * return 0. Such a pattern often names the events of a module that is not loaded.
 */
static size_t missing_system(const struct control_events *events, const char *pattern)
{
	const size_t len = strcspn(pattern, ":");

	if (!pattern[len] || strcspn(pattern, "*?[\\") < len)
		return 0;
	for (size_t i = 0; i < events->nr; i++)
		if (strlen(events->v[i].system) == len &&
		    !strncmp(events->v[i].system, pattern, len))
			return 0;
	return len;
}

static void suggest_similar(const struct control_events *events, const char *pattern)
{
	struct suggest suggest = suggest_events(pattern);
	const size_t len = missing_system(events, pattern);
	char cause[256] = "", list[512];

	for (size_t i = 0; i < events->nr; i++)
		suggest_offer_event(&suggest, events->v[i].system, events->v[i].name);
	suggest_list(&suggest, list, sizeof(list));
	if (len)
		snprintf(cause, sizeof(cause), "neither the kernel nor a loaded module has a system '%.*s'; ",
			 (int)len, pattern);
	if (*list)
		complain("no event '%s': %ssimilar names: %s", pattern, cause, list);
	else
		complain("no event '%s': %s'rbmap list' lists the events, those of a module while it is loaded",
			 pattern, cause);
}

static bool any_matches(const struct control_events *events, const char *pattern)
{
	for (size_t i = 0; i < events->nr; i++)
		if (control_match(pattern, events->v[i].system, events->v[i].name))
			return true;
	return false;
}

/* Return the end of a message about an unknown name, or NULL. */
static const char *hint_for(const struct control_events *events, const char *pattern)
{
	const char *hint = event_hint(pattern);

	return hint || any_matches(events, "syscalls:*") ? hint : syscall_hint(pattern);
}

static void complain_unknown(const char *pattern)
{
	struct control_events events;
	const char *hint;

	if (control_events_read_available(&events))
		return;
	hint = hint_for(&events, pattern);
	if (any_matches(&events, pattern))
		complain("event '%s' cannot be recorded: the kernel gives no records of it to others ('dmesg | grep rbmap')",
			 pattern);
	else if (hint)
		complain("no event '%s': %s", pattern, hint);
	else
		suggest_similar(&events, pattern);
	control_events_free(&events);
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
			complain_unknown(patterns[p]);
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

static bool is_ours(const struct control_event *ev)
{
	return ev->changed && !ev->enabled;
}

static bool is_another(const struct control_event *ev)
{
	return ev->enabled && !ev->selected;
}

static bool is_selected(const struct control_event *ev)
{
	return ev->selected && !ev->unavailable && !ev->on_demand;
}

/*
 * Disable events by a list. The kernel waits once for the list, but once for each file `enable`
 * that is written. Return false if some events may still be enabled.
 */
static bool disable_together(struct control_events *events,
			     bool (*is_one)(const struct control_event *ev))
{
	struct buf names = { 0 };
	bool ok = true;

	for (size_t i = 0; i < events->nr; i++)
		if (is_one(&events->v[i]))
			buf_printf(&names, "!%s:%s\n", events->v[i].system,
				   events->v[i].name);
	if (names.size) {
		buf_add(&names, "", 1);
		ok = !names.failed && !control_write_list("set_event", names.data, true);
	}
	for (size_t i = 0; ok && i < events->nr; i++)
		if (is_one(&events->v[i]))
			events->v[i].changed = events->v[i].enabled;
	buf_free(&names);
	return ok;
}

static int switch_all(struct control_events *events, bool on,
		      bool (*is_one)(const struct control_event *ev))
{
	int ret = 0;

	for (size_t i = 0; i < events->nr && !ret; i++)
		if (is_one(&events->v[i]))
			ret = switch_one(&events->v[i], on);
	return ret;
}

int control_enable_selected(struct control_events *events, bool on)
{
	const struct control_event *none = only_unavailable(events);

	if (on && none) {
		complain("event %s:%s is unavailable: %s", none->system,
			 none->name, none->unavailable);
		return -ENODEV;
	}
	if (!on && disable_together(events, is_selected))
		return 0;
	return switch_all(events, on, is_selected);
}

int control_disable_others(struct control_events *events)
{
	return disable_together(events, is_another) ? 0 :
	       switch_all(events, false, is_another);
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
	return disable_together(events, is_ours) ? 0 : change_back(events, false);
}

int control_restore(struct control_events *events)
{
	int ret = control_disable_ours(events);
	int error = change_back(events, true);

	return ret ? ret : error;
}
