// SPDX-License-Identifier: GPL-2.0-only
/* source.rbmap.live: the events of a buffer, as they happen. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <linux/rbmap.h>

#include "comms.h"
#include "components.h"
#include "event_common.h"
#include "live_params.h"
#include "rings.h"
#include "trace.h"

#define CONTROL		"/sys/kernel/rbmap"
#define DEVICES		"/dev/rbmap"
#define HOLD		(RBMAP_MERGE_HOLD_US * 1000ULL)	/* ns: for interrupted writers */
#define READING_SECONDS	0.02	/* between two readings of the ring's clock */
#define MEASURE_NS	50000000	/* for the length of a cycle */

/**
 * struct live - the rings of a buffer. The data of a component begins with its trace
 * @frequency: Hz of the ring's clock
 * @seconds: how long events are read; 0: until the graph ends
 * @quiet: rings that are empty get no events before this time; read again at @next_reading
 * @last: the ring's time when that is over; 0: not yet
 * @looked: for each ring: the value of @quiet at the last look for it
 * @told_end: for each ring: its last losses were told
 * @late: for each ring: the losses before a sub-buffer that is too late
 * @came: for each ring: it came later, and nothing of it was read yet
 * @missed: for each CPU: events of which the kernel had no record, before the source
 * @before: for each CPU: all other events before the source
 * @asked: ids of events for which the formats were read again
 */
struct live {
	struct trace trace;
	struct rings rings;
	struct rbmap_formats *formats;
	char *control;
	char *events;
	int clock;
	uint64_t frequency;
	double seconds;
	double deadline;
	double next_reading;
	uint64_t quiet;
	uint64_t last;
	uint64_t *looked;
	bool *told_end;
	uint64_t *late;
	bool *came;
	uint64_t *missed;
	uint64_t *before;
	struct trace_place *place;
	bool asked[NR_IDS];
	struct comms comms;
};

static struct live *of(struct trace *t)
{
	return (struct live *)t;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* ---- source */

/* Return the ring's time now, or an error. */
static int ring_now(const struct live *l, uint64_t *now)
{
	struct rbmap_moment m;
	int ret = rbmap_moment_now(&m, l->clock, l->control);

	if (!ret)
		*now = m.ring;
	return ret;
}

/*
 * A time before which a ring that is empty now gets no more events. One reading serves all
 * CPUs, as an older one is true as well.
 */
static int quiet_time(struct live *l, uint64_t *quiet)
{
	uint64_t hold = (double)HOLD * l->frequency / NS_PER_S, now;
	double second = seconds_now();
	int ret;

	if (second >= l->next_reading) {
		ret = ring_now(l, &now);
		if (ret)
			return ret;
		l->quiet = now > hold ? now - hold : 0;
		l->next_reading = second + READING_SECONDS;
	}
	*quiet = l->quiet;
	return 0;
}

static uint64_t lost_sum(uint64_t a, uint64_t b)
{
	return a == RBMAP_LOST_UNKNOWN || b == RBMAP_LOST_UNKNOWN ? RBMAP_LOST_UNKNOWN : a + b;
}

/* Return a counter of a CPU, a line "KEY: NUMBER" of its statistics, or 0. */
static uint64_t counter(const struct live *l, unsigned int i, const char *key)
{
	char path[4096], line[256];
	size_t len = strlen(key);
	uint64_t nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", l->control, l->rings.cpu[i]);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, len) && line[len] == ':') {
			nr = strtoull(line + len + 1, NULL, 10);
			break;
		}
	if (file)
		fclose(file);
	return nr;
}

/* No ring has heard of the events of which the kernel had no record. */
static uint64_t missed(const struct live *l, unsigned int i)
{
	return counter(l, i, "missed");
}

/* A reset sets the counter to 0. */
static uint64_t missed_since(const struct live *l, unsigned int i)
{
	uint64_t now = missed(l, i);

	return now < l->missed[i] ? now : now - l->missed[i];
}

/* The losses after the last event come in a sub-buffer without events. */
static enum source_state end(struct live *l, unsigned int i, struct rbmap_subbuf *sb)
{
	uint64_t lost = lost_sum(l->late[i], missed_since(l, i));
	struct rbmap_loss loss;

	l->told_end[i] = true;
	if (l->rings.map[i] && !rbmap_loss(l->rings.map[i], &loss))
		lost = lost_sum(lost, loss.unreported);
	*sb = (struct rbmap_subbuf){ .lost = lost };
	return lost ? SOURCE_SUBBUF : SOURCE_END;
}

/*
 * An observer begins with the oldest events that are left. All events of a CPU that came later
 * are those of the source: the number of its first one is how many were overwritten.
 */
static uint64_t older(const struct live *l, unsigned int i)
{
	const struct rbmap_map *map = l->rings.map[i];

	if (!l->came[i] || !l->rings.observe)
		return 0;
	return rbmap_generation(map) > 1 ? RBMAP_LOST_UNKNOWN :
	       rbmap_observer_number(map) - rbmap_events_read(map);
}

/* Return 1 and a sub-buffer, 0: none is there now, or a negative error. */
static int look(struct live *l, unsigned int i, struct rbmap_subbuf *sb)
{
	int ret = rbmap_next_subbuf(l->rings.map[i], sb);

	if (ret == 1) {
		sb->lost = lost_sum(sb->lost, older(l, i));
		l->came[i] = false;
	}
	/* Later events do not count any more, and might never end. The ring tells a loss once. */
	if (ret == 1 && l->last && sb->size && sb->timestamp > l->last) {
		l->late[i] = lost_sum(l->late[i], sb->lost);
		return 0;
	}
	return ret;
}

/* Do the same, and store the time before which no later sub-buffer has an event. */
static int look_and_time(struct live *l, unsigned int i, struct rbmap_subbuf *sb, uint64_t *quiet)
{
	int ret = look(l, i, sb);

	if (ret || l->last)
		return ret;
	/* The time must be older than the look that finds no event. */
	ret = quiet_time(l, quiet);
	return ret ? ret : look(l, i, sb);
}

static enum source_state next(struct trace *t, unsigned int i, struct rbmap_subbuf *sb,
			      uint64_t *quiet, int *error)
{
	struct live *l = of(t);
	int ret = 0;

	if (l->told_end[i])
		return SOURCE_END;
	if (!l->last && l->seconds && seconds_now() >= l->deadline)
		ret = ring_now(l, &l->last);
	if (!ret)
		ret = look_and_time(l, i, sb, quiet);
	if (ret == 1)
		return SOURCE_SUBBUF;
	if (ret == RBMAP_ERR_GONE || (!ret && l->last))
		return end(l, i, sb);
	*error = ret;
	return ret ? SOURCE_ERROR : SOURCE_IDLE;
}

/* A CPU that comes on line for the first time gets a ring, and then a device. */
static enum source_state begin(struct trace *t, unsigned int i, uint64_t *quiet, int *error)
{
	struct live *l = of(t);
	int ret = 0;

	if (l->rings.map[i])
		return SOURCE_SUBBUF;
	if (!l->last && l->seconds && seconds_now() >= l->deadline)
		ret = ring_now(l, &l->last);
	/* The time must be older than the look that finds no ring. */
	if (!ret && !l->last)
		ret = quiet_time(l, quiet);
	if (!ret && (l->last || *quiet != l->looked[i]))
		ret = rings_look(&l->rings, i);
	l->looked[i] = *quiet;
	/* The buffer is gone. */
	if (ret == RBMAP_ERR_NOT_LOADED)
		return SOURCE_END;
	if (ret) {
		*error = ret;
		return SOURCE_ERROR;
	}
	l->came[i] = l->rings.map[i];
	if (l->rings.map[i])
		return SOURCE_SUBBUF;
	return l->last ? SOURCE_END : SOURCE_IDLE;
}

static size_t room(struct trace *t, unsigned int i)
{
	return rbmap_subbuf_size(of(t)->rings.map[i]);
}

static const char *comm(struct trace *t, int pid)
{
	return comms_find(&of(t)->comms, pid);
}

/* An event may be newer than the formats. */
static bool learn(struct trace *t, const struct rbmap_event *ev)
{
	struct live *l = of(t);
	uint16_t id;

	if (!event_id(ev, &id) || l->asked[id])
		return false;
	l->asked[id] = true;
	return rbmap_formats_load(l->formats, l->events) >= 0;
}

static const struct source source = {
	.begin = begin, .next = next, .room = room, .comm = comm, .learn = learn,
};

/* ---- component */

static void free_live(struct live *l)
{
	trace_free(&l->trace);
	rings_close(&l->rings);
	rbmap_formats_free(l->formats);
	free(l->control);
	free(l->events);
	free(l->told_end);
	free(l->late);
	free(l->came);
	free(l->missed);
	free(l->before);
	free(l->looked);
	free(l->place);
	free(l);
}

static bool set_paths(struct live *l, const char *buffer)
{
	const char *slash = *buffer ? "/" : "", *instances = *buffer ? "/instances/" : "";

	if (asprintf(&l->trace.path, "%s%s%s", DEVICES, slash, buffer) < 0)
		l->trace.path = NULL;
	if (asprintf(&l->control, "%s%s%s", CONTROL, instances, buffer) < 0)
		l->control = NULL;
	if (l->control && asprintf(&l->events, "%s/events", l->control) < 0)
		l->events = NULL;
	return l->trace.path && l->events;
}

/* Return 0 or an error of librbmap. */
static int open_rings(struct live *l, const struct live_params *p)
{
	int ret = rings_open(&l->rings, l->trace.path, p->observe);

	if (ret == RBMAP_ERR_NOT_LOADED && *p->buffer)
		ret = -ENOENT;
	if (!ret)
		ret = rbmap_formats_new(&l->formats);
	if (!ret)
		ret = rbmap_formats_load(l->formats, l->events);
	if (ret < 0)
		return ret;
	l->told_end = calloc(l->rings.nr, sizeof(*l->told_end));
	l->late = calloc(l->rings.nr, sizeof(*l->late));
	l->came = calloc(l->rings.nr, sizeof(*l->came));
	l->missed = calloc(l->rings.nr, sizeof(*l->missed));
	l->before = calloc(l->rings.nr, sizeof(*l->before));
	l->looked = calloc(l->rings.nr, sizeof(*l->looked));
	l->clock = rbmap_clock(rings_first(&l->rings));
	l->trace.nr_streams = l->rings.nr;
	l->place = calloc(l->rings.nr, sizeof(*l->place));
	l->trace.place = l->place;
	l->trace.formats = l->formats;
	if (!l->told_end || !l->late || !l->came || !l->missed || !l->before || !l->looked ||
	    !l->place)
		return -ENOMEM;
	for (unsigned int i = 0; i < l->rings.nr; i++) {
		l->place[i] = (struct trace_place){ l->rings.cpu[i], "", NULL };
		l->missed[i] = missed(l, i);
		l->before[i] = counter(l, i, "emitted");
	}
	return 0;
}

static bool make_trace(struct live *l, bt_self_component_source *self)
{
	static const char *const clocks[] = { "local", "mono", "boot", "x86-tsc" };
	struct trace_facts facts = { .frequency = NS_PER_S };
	struct rbmap_moment first, second;
	struct utsname name;
	char *uname_text = NULL;
	bool ok;

	if (l->clock >= 0 && (size_t)l->clock < sizeof(clocks) / sizeof(clocks[0]))
		facts.clock = clocks[l->clock];
	if (!rbmap_moment_now(&first, l->clock, l->control))
		facts.moment = &first;
	if (facts.moment && l->clock == RBMAP_CLOCK_X86_TSC) {
		nanosleep(&(struct timespec){ .tv_nsec = MEASURE_NS }, NULL);
		if (!rbmap_moment_now(&second, l->clock, l->control))
			facts.frequency = clock_frequency(&first, &second);
	}
	l->frequency = facts.frequency;
	if (!uname(&name) && asprintf(&uname_text, "%s %s %s %s", name.sysname, name.nodename,
				      name.release, name.machine) < 0)
		uname_text = NULL;
	facts.uname = uname_text;
	ok = trace_make(&l->trace, self, &facts);
	free(uname_text);
	return ok;
}

/* Without devices the module may be loaded: a container may have none of them. */
static const char *open_error(const struct live *l, int error)
{
	DIR *control = error == RBMAP_ERR_NOT_LOADED || error == -ENOENT ? opendir(l->control) : NULL;

	if (!control)
		return rbmap_strerror(error);
	closedir(control);
	return "it does not exist, although the module is loaded: /dev is not that of the machine, as in a container";
}

static init_status open_live(struct live *l, bt_self_component_source *self,
			     const struct live_params *p)
{
	int ret;

	if (!set_paths(l, p->buffer))
		return INIT_MEMORY;
	ret = open_rings(l, p);
	if (ret) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			l->trace.self, "%s: %s", l->trace.path, open_error(l, ret));
		return INIT_ERROR;
	}
	l->seconds = p->seconds;
	l->deadline = seconds_now() + p->seconds;
	return make_trace(l, self) ? INIT_OK : INIT_MEMORY;
}

init_status live_init(bt_self_component_source *self,
		      bt_self_component_source_configuration *configuration,
		      const bt_value *params, void *data)
{
	bt_self_component *component = bt_self_component_source_as_self_component(self);
	struct live_params p;
	init_status status;
	struct live *l;

	(void)configuration;
	(void)data;
	live_params_read(&p, params);
	if (p.error) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(component, "%s", p.error);
		return INIT_ERROR;
	}
	l = calloc(1, sizeof(*l));
	if (!l)
		return INIT_MEMORY;
	l->trace.source = &source;
	l->trace.self = component;
	status = open_live(l, self, &p);
	if (status == INIT_OK)
		bt_self_component_set_data(component, l);
	else
		free_live(l);
	return status;
}

/*
 * A CPU without a stream has lost its events: in a container /dev can lack its device. Without
 * events, nothing is missing.
 */
static void tell_unread(const struct live *l)
{
	for (unsigned int i = 0; i < l->rings.nr; i++) {
		uint64_t now = l->rings.map[i] ? 0 : counter(l, i, "emitted");

		/* A reset sets the counter to 0. */
		now -= now < l->before[i] ? 0 : l->before[i];
		if (!l->rings.map[i] && now + missed_since(l, i))
			fprintf(stderr, "rbmap: CPU %u has no ring in %s, and %" PRIu64 " events of it are lost\n",
				l->rings.cpu[i], l->trace.path, now + missed_since(l, i));
	}
}

void live_finalize(bt_self_component_source *self)
{
	struct live *l = bt_self_component_get_data(
		bt_self_component_source_as_self_component(self));

	tell_unread(l);
	free_live(l);
}
