// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events on demand: the kernel has far more events than a buffer has directories.
 * available_events lists them all, and a name that is written there gets its directory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "control.h"

#define FILE_NAME	"available_events"

/* Split a line SYSTEM:EVENT in place. Return the event, or NULL. */
static char *split_line(char *line)
{
	char *colon = strchr(line, ':');

	if (colon)
		*colon++ = '\0';
	return colon;
}

/*
 * Call @each for each event that the buffer does not have, or only for those for which @wanted
 * returns true. @each gets NULL, or the buffer's event of that name. The probe of such an event
 * does not fit this kernel, so the kernel's own event takes its place.
 */
static int for_each_other(struct control_events *events,
			  bool (*wanted)(const char *system, const char *name, const void *data),
			  int (*each)(struct control_events *events,
				      struct control_event *event, const char *system,
				      const char *name, void *data), void *data)
{
	char *text = control_read(FILE_NAME), *rest = text, *line;
	const size_t nr = events->nr;
	int ret = 0;

	/* A raw buffer has no events. */
	if (!text)
		return errno == ENOENT ? 0 : -errno;
	while (!ret && (line = strsep(&rest, "\n"))) {
		const char *name = split_line(line);
		struct control_event *event;

		/* Most of the 1500 names are not wanted, and this test costs least. */
		if (!name || (wanted && !wanted(line, name, data)))
			continue;
		event = control_events_find(events, nr, line, name);
		if (!event || event->unavailable)
			ret = each(events, event, line, name, data);
	}
	free(text);
	return ret;
}

static int add_name(struct control_events *events, struct control_event *event,
		    const char *system, const char *name, void *data)
{
	(void)data;
	if (event) {
		free(event->unavailable);
		event->unavailable = NULL;
		event->on_demand = true;
		return 0;
	}
	return control_events_add_name(events, system, name);
}

int control_events_read_available(struct control_events *events)
{
	int ret = control_events_read(events);

	if (ret)
		return ret;
	ret = for_each_other(events, NULL, add_name, NULL);
	if (ret) {
		control_complain(CONTROL_READ, FILE_NAME, ret);
		control_events_free(events);
		return ret;
	}
	control_events_sort(events);
	return 0;
}

static bool has_unavailable(const struct control_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->v[i].unavailable)
			return true;
	return false;
}

static int replace(struct control_events *events, struct control_event *event,
		   const char *system, const char *name, void *data)
{
	return event ? add_name(events, event, system, name, data) : 0;
}

int control_events_replace(struct control_events *events)
{
	int ret = has_unavailable(events) ? for_each_other(events, NULL, replace, NULL) : 0;

	if (ret)
		control_complain(CONTROL_READ, FILE_NAME, ret);
	return ret;
}

/* ---- make events that patterns name */

struct demand {
	char *const *patterns;
	size_t nr;
	struct buf names;
};

static bool demand_matches(const char *system, const char *name, const void *data)
{
	const struct demand *demand = data;

	for (size_t i = 0; i < demand->nr; i++)
		if (control_match(demand->patterns[i], system, name))
			return true;
	return false;
}

static int demand_name(struct control_events *events, struct control_event *event,
		       const char *system, const char *name, void *data)
{
	struct demand *demand = data;

	(void)events;
	(void)event;
	buf_printf(&demand->names, "%s:%s\n", system, name);
	return demand->names.failed ? -ENOMEM : 0;
}

/* Return true if the pattern can name events that are not in @events. */
static bool names_others(const struct control_events *events, const char *pattern)
{
	if (strpbrk(pattern, "*?[\\") || !strcmp(pattern, CONTROL_ALL_EVENTS))
		return true;
	for (size_t i = 0; i < events->nr; i++) {
		const struct control_event *ev = &events->v[i];

		/* Few names of events are in two systems, and those events are rare. */
		if (!ev->unavailable && strcmp(pattern, ev->system) &&
		    control_match(pattern, ev->system, ev->name))
			return false;
	}
	return true;
}

static bool any_names_others(const struct control_events *events, char *const *patterns,
			     size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (names_others(events, patterns[i]))
			return true;
	return false;
}

/* The module may refuse a name: write the others one by one. */
static void write_each(char *names)
{
	char *line;

	while ((line = strsep(&names, "\n")))
		if (*line)
			control_write_list(FILE_NAME, line, true);
}

/*
 * Read the events that the module has made. A name that it could not make, because the
 * event is gone or has no record, stays unknown.
 */
static int add_made(struct control_events *events, char *names)
{
	const size_t nr = events->nr;
	struct control_event *event;
	char *line, *name;
	int ret = 0;

	while (!ret && (line = strsep(&names, "\n"))) {
		name = split_line(line);
		event = name ? control_events_find(events, nr, line, name) : NULL;
		if (event)
			ret = control_event_update(event);
		else if (name)
			ret = control_events_add(events, line, name);
		if (ret == -ENOENT || ret == -ENOTDIR)
			ret = 0;
	}
	return ret;
}

static int make_names(struct control_events *events, const char *names)
{
	int ret = control_write_list(FILE_NAME, names, true);
	char *copy;

	if (ret == -EACCES || ret == -EPERM)
		return ret;
	copy = strdup(names);
	if (!copy)
		return -ENOMEM;
	if (ret) {
		write_each(copy);
		strcpy(copy, names);
	}
	ret = add_made(events, copy);
	free(copy);
	return ret;
}

int control_events_demand(struct control_events *events, char *const *patterns, size_t nr)
{
	struct demand demand = { .patterns = patterns, .nr = nr };
	int ret;

	if (!any_names_others(events, patterns, nr))
		return 0;
	ret = for_each_other(events, demand_matches, demand_name, &demand);
	if (ret) {
		control_complain(CONTROL_READ, FILE_NAME, ret);
	} else if (demand.names.size) {
		buf_add(&demand.names, "", 1);
		ret = demand.names.failed ? -ENOMEM : make_names(events, demand.names.data);
		if (ret)
			control_complain(CONTROL_WRITE, FILE_NAME, ret);
		control_events_sort(events);
	}
	buf_free(&demand.names);
	return ret;
}

/* ---- how the kernel's events arrive */

enum control_way control_way_describe(const char *text, struct buf *sentence)
{
	const char *colon = strchr(text, ':'), *reason = colon ? colon + 2 : "";
	enum control_way way = CONTROL_WAY_BEST;

	if (!strncmp(text, "none", 4)) {
		way = CONTROL_WAY_NONE;
		buf_printf(sentence, "by probes with the tracepoints' arguments, because %s in the check of better ways",
			   reason);
	} else if (!strncmp(text, "perf", 4)) {
		way = CONTROL_WAY_WORSE;
		buf_printf(sentence, "by a perf event for each event and CPU, because %s in the check of a better way",
			   reason);
	} else if (!strcmp(text, "alias")) {
		buf_printf(sentence, "by records of the kernel that nobody else gets");
	} else {
		buf_printf(sentence, "not used yet");
	}
	buf_add(sentence, "", 1);
	return way;
}
