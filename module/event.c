// SPDX-License-Identifier: GPL-2.0-only
/* The registry of events. */
#include <linux/mutex.h>
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

/* All of the registry, and which events are enabled. */
static DEFINE_MUTEX(rbmap_events_lock);
static LIST_HEAD(rbmap_events);
static struct rbmap_buffer *rbmap_events_buffer;
static u16 rbmap_last_id;

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

/**
 * rbmap_event_register - add an event to the registry
 * @event: static or otherwise there until rbmap_event_unregister(); what is
 *	not the registry's is filled
 *
 * An event that this kernel can't have is registered too, and says why.
 *
 * Context: may sleep.
 * Return: 0; -EEXIST: there is one of that system and name; -ENOSPC: no id is
 * left.
 */
int rbmap_event_register(struct rbmap_event *event)
{
	struct rbmap_event *other;
	int err = 0;

	mutex_lock(&rbmap_events_lock);
	list_for_each_entry(other, &rbmap_events, list) {
		if (!strcmp(other->system, event->system) &&
		    !strcmp(other->name, event->name))
			err = -EEXIST;
	}
	/* Ids are not used twice: records of the old event may be unread. */
	if (!err && rbmap_last_id == U16_MAX)
		err = -ENOSPC;
	if (!err) {
		event->id = ++rbmap_last_id;
		event->buffer = rbmap_events_buffer;
		event->enabled = false;
		event->tracepoint = NULL;
		rbmap_event_attach(event);
		list_add_tail(&event->list, &rbmap_events);
	}
	mutex_unlock(&rbmap_events_lock);
	return err;
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
static int rbmap_event_switch(struct rbmap_event *event, bool on)
{
	int err = 0;

	lockdep_assert_held(&rbmap_events_lock);
	if (event->enabled == on)
		return 0;
	if (event->unavailable)
		return -ENODEV;
	if (event->probe && on)
		err = tracepoint_probe_register(event->tracepoint,
						event->probe, event);
	else if (event->probe)
		err = tracepoint_probe_unregister(event->tracepoint,
						  event->probe, event);
	if (err) {
		rbmap_warn("%s:%s: the kernel refuses to %s its probe: error %d\n",
			   event->system, event->name,
			   on ? "register" : "unregister", err);
		return err;
	}
	WRITE_ONCE(event->enabled, on);
	return 1;
}

/**
 * rbmap_event_unregister - take an event out of the registry
 * @event: one that was registered; disabled if it was enabled
 *
 * Context: sleeps until its probe does not run any more.
 */
void rbmap_event_unregister(struct rbmap_event *event)
{
	mutex_lock(&rbmap_events_lock);
	rbmap_event_switch(event, false);
	list_del(&event->list);
	mutex_unlock(&rbmap_events_lock);
	tracepoint_synchronize_unregister();
}

/**
 * rbmap_event_find - look an event up
 * @name: "system:name"
 *
 * Context: may sleep.
 * Return: the event, or NULL.
 */
struct rbmap_event *rbmap_event_find(const char *name)
{
	struct rbmap_event *event, *found = NULL;
	size_t len;

	mutex_lock(&rbmap_events_lock);
	list_for_each_entry(event, &rbmap_events, list) {
		len = strlen(event->system);
		if (!strncmp(name, event->system, len) && name[len] == ':' &&
		    !strcmp(name + len + 1, event->name)) {
			found = event;
			break;
		}
	}
	mutex_unlock(&rbmap_events_lock);
	return found;
}

/**
 * rbmap_events_walk - call a function for each event
 * @call: the function; must not call the registry; ends the walk unless it
 *	returns 0
 * @data: for @call
 *
 * Context: may sleep.
 * Return: what the last call returned.
 */
int rbmap_events_walk(int (*call)(struct rbmap_event *event, void *data),
		      void *data)
{
	struct rbmap_event *event;
	int ret = 0;

	mutex_lock(&rbmap_events_lock);
	list_for_each_entry(event, &rbmap_events, list) {
		ret = call(event, data);
		if (ret)
			break;
	}
	mutex_unlock(&rbmap_events_lock);
	return ret;
}

/**
 * rbmap_event_enable - begin or end to record an event
 * @event: the event
 * @on: begin
 *
 * Context: sleeps: where it ends, no record of the event comes after this
 * returns.
 * Return: 0, -ENODEV if the event is unavailable, or what the kernel said.
 */
int rbmap_event_enable(struct rbmap_event *event, bool on)
{
	int ret;

	mutex_lock(&rbmap_events_lock);
	ret = rbmap_event_switch(event, on);
	mutex_unlock(&rbmap_events_lock);
	if (ret > 0 && !on)
		rbmap_events_settle();
	return min(ret, 0);
}

static bool rbmap_event_in(const struct rbmap_event *event, const char *system)
{
	return !system || !strcmp(event->system, system);
}

/**
 * rbmap_events_enable - begin or end to record many events
 * @system: those of a system, or NULL: all
 * @on: begin
 *
 * Unavailable events are skipped; one that fails does not stop the others.
 *
 * Context: as rbmap_event_enable().
 * Return: 0; -ENODEV if none of them is available; the first error.
 */
int rbmap_events_enable(const char *system, bool on)
{
	bool any = false, changed = false;
	struct rbmap_event *event;
	int err = 0, ret;

	mutex_lock(&rbmap_events_lock);
	list_for_each_entry(event, &rbmap_events, list) {
		if (event->unavailable || !rbmap_event_in(event, system))
			continue;
		any = true;
		ret = rbmap_event_switch(event, on);
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
 * rbmap_events_state - which of many events are enabled
 * @system: as in rbmap_events_enable()
 *
 * Return: '0' none, '1' all that are available, 'X' some.
 */
char rbmap_events_state(const char *system)
{
	unsigned int on = 0, off = 0;
	struct rbmap_event *event;

	mutex_lock(&rbmap_events_lock);
	list_for_each_entry(event, &rbmap_events, list) {
		if (event->unavailable || !rbmap_event_in(event, system))
			continue;
		if (event->enabled)
			on++;
		else
			off++;
	}
	mutex_unlock(&rbmap_events_lock);
	if (!on)
		return '0';
	return off ? 'X' : '1';
}

static int rbmap_probes_register(const struct rbmap_probe_set *set)
{
	const struct rbmap_probe *probe;
	int err;

	for (probe = set->probes; probe->name; probe++) {
		struct rbmap_event *event = probe->event;

		event->system = set->system;
		event->name = probe->name;
		event->enum_value = set->enum_value;
		if (!probe->fits)
			event->unavailable = "its probe does not fit this kernel: the build has said why";
		else if (!event->probe)
			event->unavailable = "this kernel has no such tracepoint";
		err = rbmap_event_register(event);
		if (err)
			return err;
	}
	return 0;
}

/**
 * rbmap_events_init - register the built-in events
 * @buf: where their records go
 *
 * All are off but the marker, which costs nothing until someone writes one.
 *
 * Context: may sleep.
 * Return: 0 or a negative error; then all is undone.
 */
int rbmap_events_init(struct rbmap_buffer *buf)
{
	unsigned int i;
	int err;

	rbmap_events_buffer = buf;
	err = rbmap_event_register(&rbmap_marker_event);
	for (i = 0; !err && i < ARRAY_SIZE(rbmap_probe_sets); i++)
		err = rbmap_probes_register(rbmap_probe_sets[i]);
	if (!err)
		err = rbmap_event_enable(&rbmap_marker_event, true);
	if (err)
		rbmap_events_exit();
	return err;
}

/**
 * rbmap_events_exit - disable and forget all events
 *
 * Context: sleeps until no probe runs any more: the module's code and the
 * buffer can go then.
 */
void rbmap_events_exit(void)
{
	struct rbmap_event *event, *next;

	mutex_lock(&rbmap_events_lock);
	list_for_each_entry_safe(event, next, &rbmap_events, list) {
		rbmap_event_switch(event, false);
		list_del(&event->list);
	}
	mutex_unlock(&rbmap_events_lock);
	/*
	 * Also where nothing was enabled: a probe that was disabled a moment
	 * ago may still run.
	 */
	tracepoint_synchronize_unregister();
}
