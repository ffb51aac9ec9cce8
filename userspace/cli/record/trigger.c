// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/rbmap.h>
#include <rbmap.h>

#include "common/cli.h"
#include "trigger.h"

struct watched {
	struct rbmap_map *map;
	unsigned int first;		/* first ring that counts */
	uint64_t missed;
};

struct trigger {
	bool *is_one;			/* indexed by the event's id */
	size_t nr_ids;
	struct watched *cpu;
	unsigned int nr_cpus;
	bool failed;
};

static bool add_id(struct trigger *t, int id)
{
	size_t nr = id + 1;
	bool *more;

	if (!t->is_one || nr > t->nr_ids) {
		more = realloc(t->is_one, nr);
		if (!more) {
			complain("out of memory");
			return false;
		}
		memset(more + t->nr_ids, 0, nr - t->nr_ids);
		t->is_one = more;
		t->nr_ids = nr;
	}
	t->is_one[id] = true;
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
		const struct control_event *ev = &events->v[i];

		if (ev->id < 0 || !control_match(pattern, ev->system, ev->name) ||
		    !wanted(data, ev))
			continue;
		any = true;
		if (!add_id(t, ev->id))
			return false;
	}
	if (!any)
		complain("--trigger %s names no recorded event: name an event of -e, or an enabled event",
			 pattern);
	return any;
}

static bool add_cpus(struct trigger *t)
{
	int nr = sysconf(_SC_NPROCESSORS_CONF), ret;

	t->cpu = calloc(nr, sizeof(*t->cpu));
	if (!t->cpu) {
		complain("out of memory");
		return false;
	}
	t->nr_cpus = nr;
	for (int i = 0; i < nr; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/cpu%d", control_devices(), i);
		if (access(path, F_OK))
			continue;
		ret = rbmap_observe_path(&t->cpu[i].map, path, 0);
		if (ret) {
			complain("cannot observe the ring of CPU %d: %s", i,
				 rbmap_strerror(ret));
			return false;
		}
	}
	return true;
}

static bool is_one(const struct trigger *t, const struct rbmap_event *ev)
{
	const struct rbmap_event_common *common = ev->data;

	return ev->size >= sizeof(*common) && common->type < t->nr_ids &&
	       t->is_one[common->type];
}

static bool look(struct trigger *t, struct watched *w, unsigned int cpu)
{
	struct rbmap_event ev;
	bool seen = false;
	int ret;

	while ((ret = rbmap_next_event(w->map, &ev)) == 1) {
		if (ev.lost != RBMAP_LOST_UNKNOWN)
			w->missed += ev.lost;
		if (is_one(t, &ev) && rbmap_generation(w->map) >= w->first)
			seen = true;
	}
	if (ret < 0 && !t->failed) {
		complain("cannot observe the ring of CPU %u: %s; --trigger may miss events",
			 cpu, rbmap_strerror(ret));
		t->failed = true;
	}
	return seen;
}

bool trigger_seen(struct trigger *t)
{
	bool seen = false;

	for (unsigned int i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].map && look(t, &t->cpu[i], i))
			seen = true;
	return seen;
}

void trigger_covered(struct trigger *t)
{
	uint64_t generation;

	for (unsigned int i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].map &&
		    !control_cpu_stat(i, "generation", &generation))
			t->cpu[i].first = generation;
}

uint64_t trigger_missed(const struct trigger *t)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < t->nr_cpus; i++)
		sum += t->cpu[i].missed;
	return sum;
}

struct trigger *trigger_open(const char *pattern,
			     const struct control_events *events,
			     bool (*wanted)(const void *data,
					    const struct control_event *event),
			     const void *data)
{
	struct trigger *t = calloc(1, sizeof(*t));

	if (!t) {
		complain("out of memory");
		return NULL;
	}
	if (!add_events(t, pattern, events, wanted, data) || !add_cpus(t)) {
		trigger_close(t);
		return NULL;
	}
	/* Earlier events do not trigger. */
	trigger_seen(t);
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		t->cpu[i].missed = 0;
	return t;
}

void trigger_close(struct trigger *t)
{
	for (unsigned int i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].map)
			rbmap_close(t->cpu[i].map);
	free(t->cpu);
	free(t->is_one);
	free(t);
}
