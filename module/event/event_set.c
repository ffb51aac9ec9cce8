// SPDX-License-Identifier: GPL-2.0-only
/* The events of a buffer: which are recorded there. */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event.h"
#include "event_set.h"
#include "filter.h"
#include "lib/log.h"
#include "pids.h"

DEFINE_MUTEX(rbmap_event_files_lock);

/**
 * rbmap_sync_probes - wait for whoever records as it was until now
 *
 * The marker has no probe: who writes it looks at `enabled` with preemption off,
 * which not every kernel waits for with its probes.  So it does to look at its
 * filter.  litmus: marker-off, gate-free
 *
 * Context: sleeps.
 */
void rbmap_sync_probes(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

/**
 * rbmap_event_file_update_checks - have probes look at what is wanted, if they must
 * @event_file: its filter is set, and its set's pids
 */
void rbmap_event_file_update_checks(struct rbmap_event_file *event_file)
{
	const struct rbmap_event_set *set = event_file->set;
	bool tasks = !event_file->event->apart && (set->pids[RBMAP_PIDS_ONLY] ||
						   set->pids[RBMAP_PIDS_NOT]);
	u8 checks = 0;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (tasks)
		checks |= RBMAP_CHECK_TASK;
	if ((event_file->filter && event_file->filter->program) ||
	    (tasks && event_file->pid_field))
		checks |= RBMAP_CHECK_RECORD;
	WRITE_ONCE(event_file->head.checks, checks);
}

/**
 * rbmap_event_set_update_checks - the same for all of a set
 * @set: the set
 */
void rbmap_event_set_update_checks(struct rbmap_event_set *set)
{
	struct rbmap_event_file *event_file;

	list_for_each_entry(event_file, &set->event_files, list)
		rbmap_event_file_update_checks(event_file);
}

/*
 * Register the probe at the event's tracepoint, or unregister it; nothing is done
 * where that is so already, or where there is no tracepoint.  A probe may be
 * registered more than once, with other data.
 */
static int rbmap_event_file_hook(struct rbmap_event_file *event_file, bool on)
{
	const struct rbmap_event_type *event = event_file->event;
	int err;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (!event->probe || !event->tp || event_file->hooked == on)
		return 0;
	if (on)
		err = tracepoint_probe_register(event->tp, event->probe,
						event_file);
	else
		err = tracepoint_probe_unregister(event->tp, event->probe,
						  event_file);
	if (err)
		rbmap_warn("%s:%s: the kernel refuses to %s its probe: error %d\n",
			   event->system, event->name,
			   on ? "register" : "unregister", err);
	else
		event_file->hooked = on;
	return err;
}

/* Returns 1 if it was changed: then wait, before the probe may go. */
static int rbmap_event_file_switch(struct rbmap_event_file *event_file, bool on)
{
	int err;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (event_file->enabled != on && event_file->event->unavailable)
		return -ENODEV;
	/* It may be enabled and not hooked: then this tries again. */
	err = rbmap_event_file_hook(event_file, on);
	if (err)
		return err;
	if (event_file->enabled == on)
		return 0;
	WRITE_ONCE(event_file->enabled, on);
	return 1;
}

/**
 * rbmap_event_set_create - have events for a buffer
 * @buf: where their records go
 *
 * There are none until rbmap_event_set_show().
 *
 * Context: may sleep.
 * Return: them, or NULL: no memory.
 */
struct rbmap_event_set *rbmap_event_set_create(struct rbmap_buffer *buf)
{
	struct rbmap_event_set *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return NULL;
	set->buffer = buf;
	INIT_LIST_HEAD(&set->event_files);
	return set;
}

/**
 * rbmap_event_set_destroy - free a buffer's events
 * @set: hidden; nobody uses it any more
 *
 * Context: sleeps until no probe runs any more: the module's code and the
 * buffer can go then, also where nothing was enabled: a probe that was disabled
 * a moment ago may still run.
 */
void rbmap_event_set_destroy(struct rbmap_event_set *set)
{
	rbmap_event_pids_free(set);
	tracepoint_synchronize_unregister();
	kfree(set);
}

static struct rbmap_event_file *
rbmap_event_set_lookup(struct rbmap_event_set *set,
		       const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file;

	lockdep_assert_held(&rbmap_event_files_lock);
	list_for_each_entry(event_file, &set->event_files, list) {
		if (event_file->event == event)
			return event_file;
	}
	return NULL;
}

/**
 * rbmap_event_set_find - an event in a buffer
 * @set: the buffer's
 * @event: one that is registered
 *
 * Context: may sleep.
 * Return: the target, or NULL: the buffer does not have it.
 */
struct rbmap_event_file *
rbmap_event_set_find(struct rbmap_event_set *set,
		     const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file;

	mutex_lock(&rbmap_event_files_lock);
	event_file = rbmap_event_set_lookup(set, event);
	mutex_unlock(&rbmap_event_files_lock);
	return event_file;
}

/**
 * rbmap_event_set_add - have an event in a buffer, and show it
 * @set: the buffer's, shown; the caller has the registry's lock
 * @event: the event
 *
 * The event is off at first, unless it stands apart as the marker does, which costs
 * nothing until a program writes one.
 *
 * Context: may sleep.
 * Return: 0 or a negative error; after both, rbmap_event_set_remove().
 */
int rbmap_event_set_add(struct rbmap_event_set *set,
			const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file = kzalloc(sizeof(*event_file),
						      GFP_KERNEL);

	if (!event_file)
		return -ENOMEM;
	event_file->id = event->id;
	event_file->preempt = event->preempt + RBMAP_RESERVE_PREEMPT;
	event_file->enabled = event->apart;
	event_file->head.buffer = set->buffer;
	event_file->event = event;
	event_file->set = set;
	event_file->pid_field = rbmap_event_pid_field(event, &event_file->switches);
	mutex_lock(&rbmap_event_files_lock);
	list_add_tail(&event_file->list, &set->event_files);
	rbmap_event_file_update_checks(event_file);
	mutex_unlock(&rbmap_event_files_lock);
	return set->ops->show(event_file, set->data);
}

/**
 * rbmap_event_set_remove - hide an event of a buffer, and record it no more
 * @set: the buffer's; the caller has the registry's lock
 * @event: the event; nothing is done where the buffer does not have it
 * @removed: what it was, for rbmap_event_files_free()
 *
 * Context: may sleep.
 */
void rbmap_event_set_remove(struct rbmap_event_set *set,
			    const struct rbmap_event_type *event,
			    struct list_head *removed)
{
	struct rbmap_event_file *event_file = rbmap_event_set_find(set, event);

	if (!event_file)
		return;
	/* Nobody enables it after this. */
	set->ops->hide(event_file, set->data);
	mutex_lock(&rbmap_event_files_lock);
	rbmap_event_file_switch(event_file, false);
	list_move_tail(&event_file->list, removed);
	mutex_unlock(&rbmap_event_files_lock);
}

/**
 * rbmap_event_files_free - free what rbmap_event_set_remove() has removed
 * @event_files: of any sets
 *
 * Context: sleeps until no probe is handed one of them any more.
 */
void rbmap_event_files_free(struct list_head *event_files)
{
	struct rbmap_event_file *event_file, *next;

	rbmap_sync_probes();
	list_for_each_entry_safe(event_file, next, event_files, list) {
		rbmap_event_filter_free(event_file->filter);
		kfree(event_file);
	}
}

/**
 * rbmap_event_set_hook - an event has got a tracepoint
 * @set: of a buffer; the caller has the registry's lock and rbmap_event_files_lock
 * @event: the event
 *
 * An event that is enabled is recorded from here on.  Where the kernel refuses the
 * probe, the log says so, and the event stays enabled: writing 1 to `enable` tries
 * again.
 *
 * Context: may sleep.
 */
void rbmap_event_set_hook(struct rbmap_event_set *set,
			  const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file = rbmap_event_set_lookup(set, event);

	if (!event_file)
		return;
	/* The probe is not registered there yet, so that nothing reads this. */
	event_file->preempt = event->preempt + RBMAP_RESERVE_PREEMPT;
	if (event_file->enabled)
		rbmap_event_file_hook(event_file, true);
}

/**
 * rbmap_event_set_unhook - an event's tracepoint goes
 * @set: of a buffer; the caller has the registry's lock and rbmap_event_files_lock
 * @event: the event, which still has the tracepoint
 *
 * An event that is enabled stays so.
 *
 * Context: may sleep.
 */
void rbmap_event_set_unhook(struct rbmap_event_set *set,
			    const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file = rbmap_event_set_lookup(set, event);

	if (!event_file)
		return;
	rbmap_event_file_hook(event_file, false);
	/* The tracepoint goes, also where the kernel has refused. */
	event_file->hooked = false;
}

/**
 * rbmap_event_enable - begin or end to record an event
 * @event_file: the event, and where
 * @on: begin; where its tracepoint is not there yet: once it is
 *
 * Context: sleeps: where it ends, no record of the event comes after this
 * returns.
 * Return: 0, -ENODEV if the event is unavailable, or what the kernel said.
 */
int rbmap_event_enable(struct rbmap_event_file *event_file, bool on)
{
	int ret;

	mutex_lock(&rbmap_event_files_lock);
	ret = rbmap_event_file_switch(event_file, on);
	mutex_unlock(&rbmap_event_files_lock);
	if (ret > 0 && !on)
		rbmap_sync_probes();
	return min(ret, 0);
}

static bool rbmap_event_in(const struct rbmap_event_type *event, const char *system)
{
	if (event->unavailable)
		return false;
	return system ? !strcmp(event->system, system) : !event->apart;
}

/**
 * rbmap_event_set_enable - begin or end to record many events
 * @set: the buffer's
 * @system: those of a system, or NULL: all but those that stand apart
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
	struct rbmap_event_file *event_file;
	int err = 0, ret;

	mutex_lock(&rbmap_event_files_lock);
	list_for_each_entry(event_file, &set->event_files, list) {
		if (!rbmap_event_in(event_file->event, system))
			continue;
		any = true;
		ret = rbmap_event_file_switch(event_file, on);
		if (ret > 0)
			changed = true;
		else if (!err)
			err = ret;
	}
	mutex_unlock(&rbmap_event_files_lock);
	/* Once for all of them: it takes milliseconds. */
	if (changed && !on)
		rbmap_sync_probes();
	return any ? err : -ENODEV;
}

/**
 * rbmap_event_set_state - which of many events are enabled
 * @set: the buffer's
 * @system: as in rbmap_event_set_enable()
 *
 * Return: '0' none, '1' all that are available, 'X' some.
 */
char rbmap_event_set_state(struct rbmap_event_set *set, const char *system)
{
	const struct rbmap_event_file *event_file;
	unsigned int on = 0, off = 0;

	mutex_lock(&rbmap_event_files_lock);
	list_for_each_entry(event_file, &set->event_files, list) {
		if (!rbmap_event_in(event_file->event, system))
			continue;
		if (event_file->enabled)
			on++;
		else
			off++;
	}
	mutex_unlock(&rbmap_event_files_lock);
	if (!on)
		return '0';
	return off ? 'X' : '1';
}
