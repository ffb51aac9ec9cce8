// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of events.  Events are registered and unregistered by this module and
 * by other modules, at any time.
 */
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "event.h"
#include "event_set.h"
#include "hook.h"
#include "lib/log.h"
#include "registry.h"
#include "release.h"
#include "source.h"
#include "validate.h"

/*
 * Protects the list of events and the list of sets.  Directories are made and
 * removed with this lock held, so that no callback of a file in one of them may take
 * it.
 */
static DEFINE_MUTEX(rbmap_registry_lock);
static LIST_HEAD(rbmap_events);
static LIST_HEAD(rbmap_event_sets);

/* Events by their names, under the same lock.  All events of a kernel are some 1600. */
static DEFINE_HASHTABLE(rbmap_events_named, 8);

/*
 * Readers decode records by these numbers.  Recordings and rings may be older than
 * the last event that was unregistered, so that a number is reused as late as
 * possible.
 */
static DEFINE_IDR(rbmap_event_ids);

/* Smaller numbers are those of ftrace's own records, such as its markers. */
#define RBMAP_EVENT_ID_FIRST	32

static bool rbmap_event_is(const struct rbmap_event_type *event, const char *system,
			   const char *name)
{
	return !strcmp(event->system, system) && !strcmp(event->name, name);
}

static struct rbmap_event_type *rbmap_event_lookup(const char *system, const char *name)
{
	struct rbmap_event_type *event;

	hash_for_each_possible(rbmap_events_named, event, named,
			       rbmap_event_hash(system, name)) {
		if (rbmap_event_is(event, system, name))
			return event;
	}
	return NULL;
}

/* May an event on demand take the place of this one? */
static bool rbmap_event_yields(const struct rbmap_event_type *event)
{
	return event->replaceable && event->unavailable;
}

/* An event with a probe, but without a source, is one of a driver or of a tracepoint. */
static void rbmap_event_find_origin(struct rbmap_event_type *event)
{
	event->origin = NULL;
	if (!event->source && event->probe)
		event->source = event->called ? &rbmap_call_source :
						&rbmap_tracepoint_source;
	if (event->source && !event->unavailable)
		event->unavailable = event->source->find(event);
}

static void rbmap_event_unregister_locked(struct rbmap_event_type *event,
					  struct list_head *removed)
{
	struct rbmap_event_set *set;

	lockdep_assert_held(&rbmap_registry_lock);
	list_for_each_entry(set, &rbmap_event_sets, list)
		rbmap_event_set_remove(set, event, removed);
	list_del_init(&event->list);
	hash_del(&event->named);
	idr_remove(&rbmap_event_ids, event->id);
}

static void rbmap_event_remove(struct rbmap_event_type *event)
{
	LIST_HEAD(removed);

	rbmap_event_unregister_locked(event, &removed);
	rbmap_event_files_free(&removed);
	rbmap_event_hook_free(event);
}

static int rbmap_event_add(struct rbmap_event_type *event)
{
	struct rbmap_event_type *old = rbmap_event_lookup(event->system, event->name);
	struct rbmap_event_set *set;
	int id, err;

	lockdep_assert_held(&rbmap_registry_lock);
	if (old && !(event->on_demand && rbmap_event_yields(old))) {
		rbmap_warn("event %s:%s refused: an event with this name exists\n",
			   event->system, event->name);
		return -EEXIST;
	}
	err = rbmap_event_hook_create(event);
	if (err)
		return err;
	id = idr_alloc_cyclic(&rbmap_event_ids, event, RBMAP_EVENT_ID_FIRST, U16_MAX + 1,
			      GFP_KERNEL);
	if (id < 0) {
		rbmap_event_hook_free(event);
		return id;
	}
	event->id = id;
	rbmap_event_find_origin(event);
	if (old)
		rbmap_event_remove(old);
	list_add_tail(&event->list, &rbmap_events);
	hash_add(rbmap_events_named, &event->named,
		 rbmap_event_hash(event->system, event->name));
	if (event->on_demand)
		return 0;
	list_for_each_entry(set, &rbmap_event_sets, list) {
		err = rbmap_event_set_add(set, event);
		if (err) {
			rbmap_event_remove(event);
			return err;
		}
	}
	return 0;
}

int rbmap_event_register(struct rbmap_event_type *event)
{
	int err = rbmap_event_check(event);

	if (err)
		return err;
	mutex_lock(&rbmap_registry_lock);
	err = rbmap_event_add(event);
	mutex_unlock(&rbmap_registry_lock);
	return err;
}
EXPORT_SYMBOL_GPL(rbmap_event_register);

void rbmap_event_unregister(struct rbmap_event_type *event)
{
	mutex_lock(&rbmap_registry_lock);
	rbmap_event_remove(event);
	mutex_unlock(&rbmap_registry_lock);
}
EXPORT_SYMBOL_GPL(rbmap_event_unregister);

int rbmap_events_register(const char *system, struct rbmap_event_type *const *events)
{
	unsigned int i;
	int err;

	for (i = 0; events[i]; i++) {
		events[i]->system = system;
		err = rbmap_event_register(events[i]);
		if (err) {
			while (i--)
				rbmap_event_unregister(events[i]);
			return err;
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(rbmap_events_register);

void rbmap_events_unregister(struct rbmap_event_type *const *events)
{
	unsigned int i = 0;

	while (events[i])
		i++;
	while (i--)
		rbmap_event_unregister(events[i]);
}
EXPORT_SYMBOL_GPL(rbmap_events_unregister);

/**
 * rbmap_event_is_enabled - test whether any buffer records an event
 * @event: a registered event
 *
 * Context: may sleep.
 */
bool rbmap_event_is_enabled(const struct rbmap_event_type *event)
{
	const struct rbmap_event_file *event_file;
	struct rbmap_event_set *set;
	bool enabled = false;

	mutex_lock(&rbmap_registry_lock);
	list_for_each_entry(set, &rbmap_event_sets, list) {
		event_file = rbmap_event_set_find(set, event);
		enabled |= event_file && READ_ONCE(event_file->enabled);
	}
	mutex_unlock(&rbmap_registry_lock);
	return enabled;
}

/**
 * rbmap_event_forget - unregister an event after the last buffer
 * @event: a registered event
 *
 * rbmap_event_unregister() waits for probes.  Destroying each buffer has already
 * done so.  Waiting again for each of many events would take long.
 *
 * Context: may sleep.
 */
void rbmap_event_forget(struct rbmap_event_type *event)
{
	LIST_HEAD(removed);

	mutex_lock(&rbmap_registry_lock);
	WARN_ON(!list_empty(&rbmap_event_sets));
	rbmap_event_unregister_locked(event, &removed);
	rbmap_event_hook_free(event);
	mutex_unlock(&rbmap_registry_lock);
}

/**
 * rbmap_event_set_show - show all events of a buffer, including future ones
 * @set: the buffer's set
 * @ops: operations that show the events
 * @data: argument of @ops
 *
 * Context: may sleep.
 * Return: 0, or the first error.  After an error some events are shown, until
 * rbmap_event_set_hide().
 */
int rbmap_event_set_show(struct rbmap_event_set *set,
			 const struct rbmap_event_set_ops *ops, void *data)
{
	struct rbmap_event_type *event;
	int err = 0;

	mutex_lock(&rbmap_registry_lock);
	set->ops = ops;
	set->data = data;
	list_add_tail(&set->list, &rbmap_event_sets);
	list_for_each_entry(event, &rbmap_events, list) {
		if (event->on_demand)
			continue;
		err = rbmap_event_set_add(set, event);
		if (err)
			break;
	}
	mutex_unlock(&rbmap_registry_lock);
	return err;
}

/**
 * rbmap_event_set_hide - hide all events of a buffer, and stop recording them
 * @set: a set, shown or not
 *
 * Probes write to the buffer until rbmap_release_settle().
 *
 * Context: may sleep.
 */
void rbmap_event_set_hide(struct rbmap_event_set *set)
{
	struct rbmap_event_type *event;

	if (!set->ops)
		return;
	mutex_lock(&rbmap_registry_lock);
	list_for_each_entry(event, &rbmap_events, list)
		rbmap_event_set_remove(set, event, &set->removed);
	list_del(&set->list);
	set->ops = NULL;
	mutex_unlock(&rbmap_registry_lock);
}

/**
 * rbmap_events_reset_missed - count the missed events of a buffer from 0 again
 * @buf: a buffer, which may be about to end
 * @cpu: a CPU, or RBMAP_ALL_CPUS
 *
 * Context: may sleep.
 */
void rbmap_events_reset_missed(const struct rbmap_buffer *buf, int cpu)
{
	struct rbmap_event_set *set;

	mutex_lock(&rbmap_registry_lock);
	list_for_each_entry(set, &rbmap_event_sets, list) {
		if (set->buffer == buf)
			rbmap_event_set_missed_reset(set, cpu);
	}
	mutex_unlock(&rbmap_registry_lock);
}

/**
 * rbmap_event_registered - test whether an event exists that is not to be replaced
 * @system: its system
 * @name: its name
 *
 * Context: may sleep.
 */
bool rbmap_event_registered(const char *system, const char *name)
{
	const struct rbmap_event_type *event;
	bool exists;

	mutex_lock(&rbmap_registry_lock);
	event = rbmap_event_lookup(system, name);
	exists = event && !rbmap_event_yields(event);
	mutex_unlock(&rbmap_registry_lock);
	return exists;
}

/**
 * rbmap_event_visit - call a function with the event of a number
 * @id: common_type of a record
 * @visit: called with the event, which exists until it returns; NULL: there is no such event
 * @data: passed on
 *
 * Context: may sleep.
 */
void rbmap_event_visit(u16 id,
		       void (*visit)(const struct rbmap_event_type *event, void *data),
		       void *data)
{
	mutex_lock(&rbmap_registry_lock);
	visit(idr_find(&rbmap_event_ids, id), data);
	mutex_unlock(&rbmap_registry_lock);
}

/* Add an event on demand that the buffer does not have yet. */
static int rbmap_event_set_add_demanded(struct rbmap_event_set *set,
					const struct rbmap_event_type *event,
					struct list_head *removed)
{
	int err;

	if (!event->on_demand || rbmap_event_set_find(set, event))
		return 0;
	err = rbmap_event_set_add(set, event);
	if (err)
		rbmap_event_set_remove(set, event, removed);
	return err;
}

/**
 * rbmap_event_set_add_some - let a buffer have registered events on demand
 * @set: the buffer's set
 * @match: the events; the buffer may have some of them
 *
 * Context: may sleep.
 * Return: 0; -ENODEV if the set is not shown any more; -ENOMEM.
 */
int rbmap_event_set_add_some(struct rbmap_event_set *set,
			     const struct rbmap_event_match *match)
{
	struct rbmap_event_type *event;
	LIST_HEAD(removed);
	int err = 0;

	mutex_lock(&rbmap_registry_lock);
	if (!set->ops) {
		err = -ENODEV;
	} else if (rbmap_event_match_is_one(match)) {
		event = rbmap_event_lookup(match->system, match->name);
		err = event ? rbmap_event_set_add_demanded(set, event, &removed) : 0;
	} else {
		list_for_each_entry(event, &rbmap_events, list) {
			if (rbmap_event_matches(match, event->system, event->name))
				err = rbmap_event_set_add_demanded(set, event, &removed);
			if (err)
				break;
		}
	}
	mutex_unlock(&rbmap_registry_lock);
	if (!list_empty(&removed))
		rbmap_event_files_free(&removed);
	return err;
}

/*
 * The origin and the probes that are attached to it change together.  Otherwise a write
 * to `enable` in between would attach a probe twice, or leave one at a tracepoint
 * that is freed.
 */
static void rbmap_event_origin_came(struct rbmap_event_type *event)
{
	struct rbmap_event_set *set;

	lockdep_assert_held(&rbmap_registry_lock);
	mutex_lock(&rbmap_event_files_lock);
	event->unavailable = event->source->find(event);
	if (event->origin) {
		list_for_each_entry(set, &rbmap_event_sets, list)
			rbmap_event_set_hook(set, event);
	}
	mutex_unlock(&rbmap_event_files_lock);
}

static void rbmap_event_origin_goes(struct rbmap_event_type *event)
{
	struct rbmap_event_set *set;

	lockdep_assert_held(&rbmap_registry_lock);
	mutex_lock(&rbmap_event_files_lock);
	list_for_each_entry(set, &rbmap_event_sets, list)
		rbmap_event_set_unhook(set, event);
	WRITE_ONCE(event->origin, NULL);
	mutex_unlock(&rbmap_event_files_lock);
}

/*
 * Only its source has found an event on demand to be unavailable: the next module may be as
 * the event expects.
 */
static bool rbmap_event_waits_for(const struct rbmap_event_type *event,
				  const char *tracepoint)
{
	return event->source && !event->origin && (!event->unavailable || event->on_demand) &&
	       !strcmp(rbmap_event_tracepoint(event), tracepoint);
}

/**
 * rbmap_origin_came - handle a tracepoint of a module that is being loaded
 * @tracepoint: name of the tracepoint, for which events may wait.  Sources find it
 *
 * Context: may sleep.
 */
void rbmap_origin_came(const char *tracepoint)
{
	struct rbmap_event_type *event;

	mutex_lock(&rbmap_registry_lock);
	list_for_each_entry(event, &rbmap_events, list) {
		if (rbmap_event_waits_for(event, tracepoint))
			rbmap_event_origin_came(event);
	}
	mutex_unlock(&rbmap_registry_lock);
}

/**
 * rbmap_origin_goes - handle a tracepoint of a module that is being unloaded
 * @origin: the tracepoint, which sources find no more.  Its events wait for another
 *	one of that name
 * @tracepoint: its name.  An event that it did not suit waits, too
 *
 * Context: may sleep.
 */
void rbmap_origin_goes(const void *origin, const char *tracepoint)
{
	struct rbmap_event_type *event;

	mutex_lock(&rbmap_registry_lock);
	list_for_each_entry(event, &rbmap_events, list) {
		if (event->origin == origin)
			rbmap_event_origin_goes(event);
		else if (event->unavailable && rbmap_event_waits_for(event, tracepoint))
			rbmap_event_origin_came(event);
	}
	mutex_unlock(&rbmap_registry_lock);
}

/**
 * rbmap_events_exit - clean up after the last buffer
 *
 * The built-in events are still registered.  Nobody finds them any more.
 *
 * Context: sleeps.
 */
void rbmap_events_exit(void)
{
	struct rbmap_event_type *event;

	list_for_each_entry(event, &rbmap_events, list)
		rbmap_event_hook_free(event);
	rbmap_release_exit();
	idr_destroy(&rbmap_event_ids);
}
