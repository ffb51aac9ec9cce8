// SPDX-License-Identifier: GPL-2.0-only
/* The events of a buffer: which are recorded there. */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event.h"
#include "event_pids.h"
#include "log.h"
#include "marker.h"

DEFINE_MUTEX(rbmap_targets_lock);

/**
 * rbmap_targets_settle - wait for whoever records as it was until now
 *
 * The marker has no probe: who writes it looks at `enabled` with preemption off,
 * which not every kernel waits for with its probes.  So it does to look at its
 * filter.  litmus: marker-off, gate-free
 *
 * Context: sleeps.
 */
void rbmap_targets_settle(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

/**
 * rbmap_target_gate - have probes look at what is wanted, if they must
 * @target: its filter is set, and its set's pids
 */
void rbmap_target_gate(struct rbmap_event_target *target)
{
	u8 gate = 0;

	lockdep_assert_held(&rbmap_targets_lock);
	if (target->set->pids)
		gate |= RBMAP_GATE_TASK;
	if ((target->filter && target->filter->program) ||
	    (target->set->pids && target->pid_field))
		gate |= RBMAP_GATE_RECORD;
	WRITE_ONCE(target->head.gate, gate);
}

/**
 * rbmap_targets_gate - the same for all of a set
 * @set: the set
 */
void rbmap_targets_gate(struct rbmap_event_set *set)
{
	struct rbmap_event_target *target;

	list_for_each_entry(target, &set->targets, list)
		rbmap_target_gate(target);
}

/* A probe may be registered more than once, with other data. */
static int rbmap_target_hook(struct rbmap_event_target *target, bool on)
{
	const struct rbmap_event *event = target->event;
	int err;

	if (!event->probe || !event->tp)
		return 0;
	if (on)
		err = tracepoint_probe_register(event->tp, event->probe,
						target);
	else
		err = tracepoint_probe_unregister(event->tp, event->probe,
						  target);
	if (err)
		rbmap_warn("%s:%s: the kernel refuses to %s its probe: error %d\n",
			   event->system, event->name,
			   on ? "register" : "unregister", err);
	return err;
}

/* Returns 1 if it was changed: then wait, before the probe may go. */
static int rbmap_target_switch(struct rbmap_event_target *target, bool on)
{
	int err;

	lockdep_assert_held(&rbmap_targets_lock);
	if (target->enabled == on)
		return 0;
	if (target->event->unavailable)
		return -ENODEV;
	err = rbmap_target_hook(target, on);
	if (err)
		return err;
	WRITE_ONCE(target->enabled, on);
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
	INIT_LIST_HEAD(&set->targets);
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

/**
 * rbmap_event_set_find - an event in a buffer
 * @set: the buffer's
 * @event: one that is registered
 *
 * Context: may sleep.
 */
struct rbmap_event_target *
rbmap_event_set_find(struct rbmap_event_set *set,
		     const struct rbmap_event *event)
{
	struct rbmap_event_target *target, *found = NULL;

	mutex_lock(&rbmap_targets_lock);
	list_for_each_entry(target, &set->targets, list) {
		if (target->event == event)
			found = target;
	}
	mutex_unlock(&rbmap_targets_lock);
	return found;
}

/**
 * rbmap_event_set_add - have an event in a buffer, and show it
 * @set: the buffer's, shown; the caller has the registry's lock
 * @event: the event
 *
 * It is off but for the marker, which costs nothing until someone writes one.
 *
 * Context: may sleep.
 * Return: 0 or a negative error; after both, rbmap_event_set_remove().
 */
int rbmap_event_set_add(struct rbmap_event_set *set,
			const struct rbmap_event *event)
{
	struct rbmap_event_target *target = kzalloc(sizeof(*target),
						    GFP_KERNEL);

	if (!target)
		return -ENOMEM;
	target->id = event->id;
	target->preempt = event->preempt + RBMAP_RESERVE_PREEMPT;
	target->enabled = event == &rbmap_marker_event;
	target->head.buffer = set->buffer;
	target->event = event;
	target->set = set;
	target->pid_field = rbmap_event_pid_field(event);
	mutex_lock(&rbmap_targets_lock);
	list_add_tail(&target->list, &set->targets);
	rbmap_target_gate(target);
	mutex_unlock(&rbmap_targets_lock);
	return set->ops->show(target, set->data);
}

/**
 * rbmap_event_set_remove - hide an event of a buffer, and record it no more
 * @set: the buffer's; the caller has the registry's lock
 * @event: the event; nothing is done where the buffer does not have it
 * @removed: what it was, for rbmap_targets_free()
 *
 * Context: may sleep.
 */
void rbmap_event_set_remove(struct rbmap_event_set *set,
			    const struct rbmap_event *event,
			    struct list_head *removed)
{
	struct rbmap_event_target *target = rbmap_event_set_find(set, event);

	if (!target)
		return;
	/* Nobody enables it after this. */
	set->ops->hide(target, set->data);
	mutex_lock(&rbmap_targets_lock);
	rbmap_target_switch(target, false);
	list_move_tail(&target->list, removed);
	mutex_unlock(&rbmap_targets_lock);
}

/**
 * rbmap_targets_free - free what rbmap_event_set_remove() has removed
 * @targets: of any sets
 *
 * Context: sleeps until no probe is handed one of them any more.
 */
void rbmap_targets_free(struct list_head *targets)
{
	struct rbmap_event_target *target, *next;

	rbmap_targets_settle();
	list_for_each_entry_safe(target, next, targets, list) {
		rbmap_event_filter_free(target->filter);
		kfree(target);
	}
}

/**
 * rbmap_event_set_attach - an event's tracepoint has come, or goes
 * @set: of a buffer; the caller has the registry's lock
 * @event: the event
 * @on: it has come
 *
 * What is enabled stays so.
 *
 * Context: may sleep.
 */
void rbmap_event_set_attach(struct rbmap_event_set *set,
			    const struct rbmap_event *event, bool on)
{
	struct rbmap_event_target *target = rbmap_event_set_find(set, event);

	mutex_lock(&rbmap_targets_lock);
	/* The tracepoint is new: no probe runs that would look. */
	if (target && on)
		target->preempt = event->preempt + RBMAP_RESERVE_PREEMPT;
	if (target && target->enabled)
		rbmap_target_hook(target, on);
	mutex_unlock(&rbmap_targets_lock);
}

/**
 * rbmap_event_enable - begin or end to record an event
 * @target: the event, and where
 * @on: begin; where its tracepoint is not there yet: once it is
 *
 * Context: sleeps: where it ends, no record of the event comes after this
 * returns.
 * Return: 0, -ENODEV if the event is unavailable, or what the kernel said.
 */
int rbmap_event_enable(struct rbmap_event_target *target, bool on)
{
	int ret;

	mutex_lock(&rbmap_targets_lock);
	ret = rbmap_target_switch(target, on);
	mutex_unlock(&rbmap_targets_lock);
	if (ret > 0 && !on)
		rbmap_targets_settle();
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

	mutex_lock(&rbmap_targets_lock);
	list_for_each_entry(target, &set->targets, list) {
		if (!rbmap_event_in(target->event, system))
			continue;
		any = true;
		ret = rbmap_target_switch(target, on);
		if (ret > 0)
			changed = true;
		else if (!err)
			err = ret;
	}
	mutex_unlock(&rbmap_targets_lock);
	/* Once for all of them: it takes milliseconds. */
	if (changed && !on)
		rbmap_targets_settle();
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
	const struct rbmap_event_target *target;
	unsigned int on = 0, off = 0;

	mutex_lock(&rbmap_targets_lock);
	list_for_each_entry(target, &set->targets, list) {
		if (!rbmap_event_in(target->event, system))
			continue;
		if (target->enabled)
			on++;
		else
			off++;
	}
	mutex_unlock(&rbmap_targets_lock);
	if (!on)
		return '0';
	return off ? 'X' : '1';
}
