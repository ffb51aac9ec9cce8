// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rbmap.h>

#include <linux/rbmap.h>

#include "base/array.h"
#include "base/complain.h"
#include "base/process.h"
#include "event_common.h"
#include "kernel/anonymous_buffer.h"
#include "kernel/control.h"
#include "live/event_select.h"
#include "live/pid_list.h"
#include "recording/dat_read.h"
#include "trigger.h"

/*
 * ---- a small buffer that has the events of --trigger for which --trigger-if is true. The
 * kernel evaluates the filter, so nobody looks at all other events.
 */

#define NAME_PREFIX	"trigger"
/* After a file, only the number of further triggers counts. */
#define SIZE_KB		"64"

/* Settings that decide which events are recorded, in an order that loses no thread */
static const struct {
	const char *file;
	enum { VALUE, PIDS, CGROUPS } kind;
} copied[] = {
	{ "tracing_cpumask", VALUE },
	{ "options/event-fork", VALUE },
	{ PID_LIST_ONLY, PIDS },
	{ PID_LIST_NONE, PIDS },
	{ CGROUP_LIST, CGROUPS },
};

#define NR_COPIED	(sizeof(copied) / sizeof(*copied))

static bool create(struct anonymous_buffer *kept)
{
	char settings[128], message[1024], *clock = control_clock();
	int ret = clock ? 0 : -errno;

	if (!ret) {
		snprintf(settings, sizeof(settings),
			 "clock=%s buffer_size_kb=" SIZE_KB " overwrite=1", clock);
		ret = anonymous_buffer_create(kept, NAME_PREFIX, settings, message, sizeof(message));
	}
	free(clock);
	if (ret == -EPERM || ret == -EACCES)
		complain("no permission to make a buffer for --trigger-if: run the command as root");
	else if (ret)
		complain("cannot make a buffer for --trigger-if: %s", strerror(-ret));
	return !ret;
}

static bool read_settings_of_events(char *text[NR_COPIED])
{
	for (size_t i = 0; i < NR_COPIED; i++) {
		text[i] = control_read(copied[i].file);
		if (!text[i]) {
			control_complain(CONTROL_READ, copied[i].file, -errno);
			return false;
		}
	}
	return true;
}

/* A list of the new buffer is empty. */
static bool write_setting(size_t i, char *text)
{
	switch (copied[i].kind) {
	case PIDS:
		return !*text || pid_list_write(copied[i].file, text);
	case CGROUPS:
		return !*text || event_select_write_cgroups(text);
	default:
		return control_set(copied[i].file, text);
	}
}

static bool write_settings_of_events(char *const text[NR_COPIED])
{
	for (size_t i = 0; i < NR_COPIED; i++)
		if (!write_setting(i, text[i]))
			return false;
	return true;
}

static bool enable_events(const char *pattern, const char *filter)
{
	struct event_select select = { .filter = filter };
	struct control_events events = { 0 };
	char *patterns[] = { (char *)pattern };
	bool ok = !control_events_read(&events) &&
		  !control_events_demand(&events, patterns, 1) &&
		  !control_select(&events, patterns, 1) &&
		  event_select_filter(&select, &events);

	event_select_keep(&select, &events);
	if (ok)
		ok = !control_enable_selected(&events, true);
	control_events_free(&events);
	return ok;
}

static bool fill(char *const text[NR_COPIED], const struct trigger_options *options)
{
	return write_settings_of_events(text) &&
	       (options->self || pid_list_exclude_self(true)) &&
	       enable_events(options->pattern, options->filter);
}

/*
 * Create the buffer, with the clock, the CPUs, the threads and the cgroups of the buffer that
 * is selected, and enable the events of @options. The same buffer is selected afterwards.
 * On failure, report the error and return false.
 */
static bool trigger_buffer_begin(struct anonymous_buffer *kept,
				 const struct trigger_options *options)
{
	const char *before = control_buffer();
	char *text[NR_COPIED] = { NULL };
	bool ok = read_settings_of_events(text) && create(kept);

	if (ok) {
		control_set_buffer(kept->name);
		ok = fill(text, options);
		control_set_buffer(before);
		if (!ok)
			anonymous_buffer_destroy(kept);
	}
	for (size_t i = 0; i < NR_COPIED; i++)
		free(text[i]);
	return ok;
}

/* ---- triggers */

#define SETTLE_US	1000
#define SCAN_SECONDS	1.0	/* between two looks for CPUs that came online */

struct watched {
	struct rbmap_map *map;
	unsigned int first;		/* first ring that counts */
	bool late;			/* events that were overwritten before it was opened count */
};

struct trigger {
	const struct control_event **event;	/* matching events, indexed by their ids */
	size_t nr_ids;
	struct watched *cpu;
	size_t nr_cpus;
	char devices[128];		/* directory of the rings that are observed */
	double next_scan;		/* a time of now() */
	bool failed;
	bool opened;			/* CPUs that are found now come later */
	const struct trigger_options *options;
	struct anonymous_buffer filtered; /* has the events of the filter alone, if there is one */
	double quiet_until;		/* a time of now() */
	uint64_t held_off, reported;	/* numbers of events; @reported: those in a reason */
	uint64_t missed;
	bool missed_more;		/* than the number says */
};

/* Matching events that no snapshot contains */
struct hits {
	uint64_t nr;
	const struct control_event *event;	/* the first one */
	int cpu;
	uint64_t ts;
};

static bool add_event(struct trigger *t, const struct control_event *event, int id)
{
	if (!array_extend(t->event, t->nr_ids, (size_t)id + 1)) {
		complain("out of memory");
		return false;
	}
	t->event[id] = event;
	return true;
}

static bool add_events(struct trigger *t, const char *pattern,
		       const struct control_events *events,
		       bool (*wanted)(const void *data,
				      const struct control_event *event),
		       const void *data)
{
	bool any = false;

	for (size_t i = 0; i < events->nr; i++) {
		struct control_event *ev = &events->v[i];
		int id;

		if (!control_match(pattern, ev->system, ev->name) || !wanted(data, ev))
			continue;
		id = control_event_id(ev);
		if (id < 0)
			continue;
		any = true;
		if (!add_event(t, ev, id))
			return false;
	}
	if (!any)
		complain("--trigger %s names no recorded event: name an event of -e, or an enabled event",
			 pattern);
	return any;
}

/* Observe the ring of a CPU. One without a ring has no events yet. */
static bool add_cpu(struct trigger *t, unsigned int cpu)
{
	char path[256];
	int ret;

	if (!array_extend(t->cpu, t->nr_cpus, cpu + 1)) {
		complain("out of memory");
		return false;
	}
	if (t->cpu[cpu].map)
		return true;
	snprintf(path, sizeof(path), "%s/cpu%u", t->devices, cpu);
	ret = rbmap_observe_path(&t->cpu[cpu].map, path, 0);
	t->cpu[cpu].late = t->opened;
	if (!ret)
		return true;
	t->cpu[cpu].map = NULL;
	if (ret == -ENODATA)
		return true;
	complain("cannot observe the ring of CPU %u: %s", cpu, rbmap_strerror(ret));
	return false;
}

/* Observe the rings that are not observed yet. */
static bool add_cpus(struct trigger *t)
{
	DIR *dir = opendir(t->devices);
	struct dirent *entry;
	bool ok = true;
	int cpu;

	if (!dir) {
		complain("cannot read %s: %s", t->devices, strerror(errno));
		return false;
	}
	while (ok && (entry = readdir(dir))) {
		cpu = control_cpu_of(entry->d_name);
		ok = cpu < 0 || add_cpu(t, cpu);
	}
	closedir(dir);
	t->next_scan = now() + SCAN_SECONDS;
	return ok;
}

/* A CPU can come online. After an error, no further one is observed. */
static void look_for_cpus(struct trigger *t)
{
	if (now() < t->next_scan)
		return;
	if (add_cpus(t))
		return;
	complain("note: events of CPUs that come online write no file");
	t->next_scan = 1e18;
}

/* Return NULL for an event that does not match. */
static const struct control_event *match(const struct trigger *t, const struct rbmap_event *ev)
{
	uint16_t id;

	return event_id(ev, &id) && id < t->nr_ids ? t->event[id] : NULL;
}

/* The number of the first event of a ring is that of the events before. */
static void count_older(struct trigger *t, struct watched *w)
{
	if (w->late)
		dat_sum_lost(&t->missed, &t->missed_more, rbmap_generation(w->map) > 1 ?
			     RBMAP_LOST_UNKNOWN :
			     rbmap_observer_number(w->map) - rbmap_events_read(w->map));
	w->late = false;
}

static void add_hit(struct hits *hits, const struct control_event *event,
		    const struct rbmap_event *ev, int cpu)
{
	if (!hits->nr++ || ev->ts < hits->ts) {
		hits->event = event;
		hits->cpu = cpu;
		hits->ts = ev->ts;
	}
}

static void count_hits(struct trigger *t, struct watched *w, unsigned int cpu,
		       struct hits *hits)
{
	const struct control_event *event;
	struct rbmap_event ev;
	int ret;

	while ((ret = rbmap_next_event(w->map, &ev)) == 1) {
		count_older(t, w);
		dat_sum_lost(&t->missed, &t->missed_more, ev.lost);
		event = match(t, &ev);
		if (event && rbmap_generation(w->map) >= w->first)
			add_hit(hits, event, &ev, cpu);
	}
	if (ret < 0 && !t->failed) {
		complain("cannot observe the ring of CPU %u: %s; --trigger may miss events",
			 cpu, rbmap_strerror(ret));
		t->failed = true;
	}
}

static void look_at_all(struct trigger *t, struct hits *hits)
{
	*hits = (struct hits){ 0 };
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].map)
			count_hits(t, &t->cpu[i], i, hits);
}

bool trigger_fires(struct trigger *t, char *reason, size_t size)
{
	uint64_t held_off = t->held_off - t->reported;
	struct hits hits;
	int len;

	look_for_cpus(t);
	look_at_all(t, &hits);
	if (!hits.nr)
		return false;
	if (now() < t->quiet_until) {
		t->held_off += hits.nr;
		return false;
	}
	len = snprintf(reason, size, "event %s:%s of CPU %d at %" PRIu64, hits.event->system,
		       hits.event->name, hits.cpu, hits.ts);
	if (held_off && len > 0 && (size_t)len < size)
		snprintf(reason + len, size - len, "; %" PRIu64 " were held off before it",
			 held_off);
	t->reported = t->held_off;
	/* An event comes to one buffer after the other: let the snapshot have it, too. */
	if (t->options->filter)
		usleep(SETTLE_US);
	return true;
}

/* A snapshot gives the recorder's buffer new rings. Later events come to these. */
void trigger_covered(struct trigger *t)
{
	uint64_t generation;

	for (unsigned int i = 0; !t->options->filter && i < t->nr_cpus; i++)
		if (t->cpu[i].map &&
		    !control_cpu_stat(i, "generation", &generation))
			t->cpu[i].first = generation;
	t->quiet_until = now() + t->options->holdoff;
}

uint64_t trigger_held_off(const struct trigger *t)
{
	return t->held_off;
}

uint64_t trigger_missed(const struct trigger *t, bool *more)
{
	*more = t->missed_more;
	return t->missed;
}

static bool observe(struct trigger *t)
{
	if (!t->options->filter) {
		snprintf(t->devices, sizeof(t->devices), "%s", control_devices());
		return add_cpus(t);
	}
	if (!trigger_buffer_begin(&t->filtered, t->options))
		return false;
	snprintf(t->devices, sizeof(t->devices), "/dev/rbmap/%s", t->filtered.name);
	return add_cpus(t);
}

struct trigger *trigger_open(const struct trigger_options *options,
			     const struct control_events *events,
			     bool (*wanted)(const void *data,
					    const struct control_event *event),
			     const void *data)
{
	struct trigger *t = calloc(1, sizeof(*t));
	struct hits earlier;

	if (!t) {
		complain("out of memory");
		return NULL;
	}
	t->options = options;
	if (!add_events(t, options->pattern, events, wanted, data) || !observe(t)) {
		trigger_close(t);
		return NULL;
	}
	/* Earlier events do not trigger. */
	look_at_all(t, &earlier);
	t->missed = 0;
	t->missed_more = false;
	t->opened = true;
	return t;
}

void trigger_close(struct trigger *t)
{
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].map)
			rbmap_close(t->cpu[i].map);
	anonymous_buffer_destroy(&t->filtered);
	free(t->cpu);
	free(t->event);
	free(t);
}
