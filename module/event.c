// SPDX-License-Identifier: GPL-2.0-only
/* The registry of events, and which are recorded in which buffer. */
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event.h"
#include "log.h"
#include "marker.h"
#include "probes/probes.h"

static const struct rbmap_probe_set *const rbmap_probe_sets[] = {
	&rbmap_sched_probes,
	&rbmap_irq_probes,
	&rbmap_raw_syscalls_probes,
};

/* Filled when the module is loaded, and the same from then on. */
static LIST_HEAD(rbmap_events);
static unsigned int rbmap_nr_events;

/* Which events are enabled. */
static DEFINE_MUTEX(rbmap_events_lock);

static void rbmap_find_tracepoint(struct tracepoint *tp, void *data)
{
	struct rbmap_event *event = data;

	if (!strcmp(tp->name, event->name))
		event->tracepoint = tp;
}

/* By name: most tracepoints are not exported to modules. */
static void rbmap_event_attach(struct rbmap_event *event)
{
	if (!event->probe || event->unavailable)
		return;
	for_each_kernel_tracepoint(rbmap_find_tracepoint, event);
	if (event->tracepoint)
		event->preempt = rbmap_tracepoint_preempt(event->tracepoint);
	else
		event->unavailable = "this kernel was built without the tracepoint";
}

static void rbmap_event_register(struct rbmap_event *event)
{
	event->id = ++rbmap_nr_events;
	rbmap_event_attach(event);
	list_add_tail(&event->list, &rbmap_events);
}

/* An event that this kernel can't have is there too, and says why. */
static void rbmap_probes_register(const struct rbmap_probe_set *set)
{
	const struct rbmap_probe *probe;

	for (probe = set->probes; probe->name; probe++) {
		struct rbmap_event *event = probe->event;

		event->system = set->system;
		event->name = probe->name;
		event->enum_value = set->enum_value;
		if (!probe->fits)
			event->unavailable = "its probe does not fit this kernel: the build has said why";
		else if (!event->probe)
			event->unavailable = "this kernel has no such tracepoint";
		rbmap_event_register(event);
	}
}

/**
 * rbmap_events_init - before the first rbmap_event_set_create()
 */
void __init rbmap_events_init(void)
{
	unsigned int i;

	rbmap_event_register(&rbmap_marker_event);
	for (i = 0; i < ARRAY_SIZE(rbmap_probe_sets); i++)
		rbmap_probes_register(rbmap_probe_sets[i]);
}

/*
 * Wait for whoever was recording what is now off.  The marker has no probe: who
 * writes it looks at `enabled` with preemption off, which not every kernel waits
 * for with its probes.  litmus: marker-off
 */
static void rbmap_events_settle(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

/* Returns 1 if it was changed: then wait, before the probe may go. */
static int rbmap_event_switch(struct rbmap_event_target *target, bool on)
{
	const struct rbmap_event *event = target->event;
	int err = 0;

	lockdep_assert_held(&rbmap_events_lock);
	if (target->enabled == on)
		return 0;
	if (event->unavailable)
		return -ENODEV;
	/* A probe may be registered more than once, with other data. */
	if (event->probe && on)
		err = tracepoint_probe_register(event->tracepoint,
						event->probe, target);
	else if (event->probe)
		err = tracepoint_probe_unregister(event->tracepoint,
						  event->probe, target);
	if (err) {
		rbmap_warn("%s:%s: the kernel refuses to %s its probe: error %d\n",
			   event->system, event->name,
			   on ? "register" : "unregister", err);
		return err;
	}
	WRITE_ONCE(target->enabled, on);
	return 1;
}

#define for_each_target(_target, _set)					\
	for ((_target) = (_set)->target;				\
	     (_target) < (_set)->target + (_set)->nr; (_target)++)

/**
 * rbmap_event_set_create - have events for a buffer
 * @buf: where their records go
 *
 * All are off but the marker, which costs nothing until someone writes one.
 *
 * Context: may sleep.
 * Return: them, or NULL: no memory.
 */
struct rbmap_event_set *rbmap_event_set_create(struct rbmap_buffer *buf)
{
	struct rbmap_event_target *target;
	struct rbmap_event_set *set;
	struct rbmap_event *event;

	set = kzalloc(struct_size(set, target, rbmap_nr_events), GFP_KERNEL);
	if (!set)
		return NULL;
	set->nr = rbmap_nr_events;
	target = set->target;
	list_for_each_entry(event, &rbmap_events, list) {
		*target++ = (struct rbmap_event_target) {
			.id		= event->id,
			.preempt	= event->preempt,
			.enabled	= event == &rbmap_marker_event,
			.buffer		= buf,
			.event		= event,
		};
	}
	return set;
}

/**
 * rbmap_event_set_destroy - disable and free a buffer's events
 * @set: nobody else uses it any more
 *
 * Context: sleeps until no probe runs any more: the module's code and the
 * buffer can go then.
 */
void rbmap_event_set_destroy(struct rbmap_event_set *set)
{
	rbmap_event_set_enable(set, NULL, false);
	/*
	 * Also where nothing was enabled: a probe that was disabled a moment
	 * ago may still run.
	 */
	tracepoint_synchronize_unregister();
	kfree(set);
}

/**
 * rbmap_event_set_find - an event in a buffer
 * @set: the buffer's
 * @event: one that is registered
 */
struct rbmap_event_target *
rbmap_event_set_find(struct rbmap_event_set *set,
		     const struct rbmap_event *event)
{
	struct rbmap_event_target *target;

	for_each_target(target, set) {
		if (target->event == event)
			return target;
	}
	return NULL;
}

/**
 * rbmap_event_enable - begin or end to record an event
 * @target: the event, and where
 * @on: begin
 *
 * Context: sleeps: where it ends, no record of the event comes after this
 * returns.
 * Return: 0, -ENODEV if the event is unavailable, or what the kernel said.
 */
int rbmap_event_enable(struct rbmap_event_target *target, bool on)
{
	int ret;

	mutex_lock(&rbmap_events_lock);
	ret = rbmap_event_switch(target, on);
	mutex_unlock(&rbmap_events_lock);
	if (ret > 0 && !on)
		rbmap_events_settle();
	return min(ret, 0);
}

static bool rbmap_event_in(const struct rbmap_event *event, const char *system)
{
	return !event->unavailable &&
	       (!system || !strcmp(event->system, system));
}

/**
 * rbmap_event_set_enable - begin or end to record many events
 * @set: the buffer's
 * @system: those of a system, or NULL: all
 * @on: begin
 *
 * Unavailable events are skipped; one that fails does not stop the others.
 *
 * Context: as rbmap_event_enable().
 * Return: 0; -ENODEV if none of them is available; the first error.
 */
int rbmap_event_set_enable(struct rbmap_event_set *set, const char *system,
			   bool on)
{
	bool any = false, changed = false;
	struct rbmap_event_target *target;
	int err = 0, ret;

	mutex_lock(&rbmap_events_lock);
	for_each_target(target, set) {
		if (!rbmap_event_in(target->event, system))
			continue;
		any = true;
		ret = rbmap_event_switch(target, on);
		if (ret > 0)
			changed = true;
		else if (!err)
			err = ret;
	}
	mutex_unlock(&rbmap_events_lock);
	/* Once for all of them: it takes milliseconds. */
	if (changed && !on)
		rbmap_events_settle();
	return any ? err : -ENODEV;
}

/**
 * rbmap_event_set_state - which of many events are enabled
 * @set: the buffer's
 * @system: as in rbmap_event_set_enable()
 *
 * Return: '0' none, '1' all that are available, 'X' some.
 */
char rbmap_event_set_state(const struct rbmap_event_set *set,
			   const char *system)
{
	const struct rbmap_event_target *target;
	unsigned int on = 0, off = 0;

	mutex_lock(&rbmap_events_lock);
	for_each_target(target, set) {
		if (!rbmap_event_in(target->event, system))
			continue;
		if (target->enabled)
			on++;
		else
			off++;
	}
	mutex_unlock(&rbmap_events_lock);
	if (!on)
		return '0';
	return off ? 'X' : '1';
}
