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
	const struct rbmap_event_set *set = target->set;
	bool tasks = !target->event->apart && (set->pids[RBMAP_PIDS_ONLY] ||
					       set->pids[RBMAP_PIDS_NOT]);
	u8 gate = 0;

	lockdep_assert_held(&rbmap_targets_lock);
	if (tasks)
		gate |= RBMAP_GATE_TASK;
	if ((target->filter && target->filter->program) ||
	    (tasks && target->pid_field))
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

/*
 * Register the probe at the event's tracepoint, or unregister it; nothing is done
 * where that is so already, or where there is no tracepoint.  A probe may be
 * registered more than once, with other data.
 */
static int rbmap_target_hook(struct rbmap_event_target *target, bool on)
{
	const struct rbmap_event *event = target->event;
	int err;

	lockdep_assert_held(&rbmap_targets_lock);
	if (!event->probe || !event->tp || target->hooked == on)
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
	else
		target->hooked = on;
	return err;
}

/* Returns 1 if it was changed: then wait, before the probe may go. */
static int rbmap_target_switch(struct rbmap_event_target *target, bool on)
{
	int err;

	lockdep_assert_held(&rbmap_targets_lock);
	if (target->enabled != on && target->event->unavailable)
		return -ENODEV;
	/* It may be enabled and not hooked: then this tries again. */
	err = rbmap_target_hook(target, on);
	if (err)
		return err;
	if (target->enabled == on)
		return 0;
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

static struct rbmap_event_target *
rbmap_event_set_look(struct rbmap_event_set *set,
		     const struct rbmap_event *event)
{
	struct rbmap_event_target *target;

	lockdep_assert_held(&rbmap_targets_lock);
	list_for_each_entry(target, &set->targets, list) {
		if (target->event == event)
			return target;
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
struct rbmap_event_target *
rbmap_event_set_find(struct rbmap_event_set *set,
		     const struct rbmap_event *event)
{
	struct rbmap_event_target *target;

	mutex_lock(&rbmap_targets_lock);
	target = rbmap_event_set_look(set, event);
	mutex_unlock(&rbmap_targets_lock);
	return target;
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
			const struct rbmap_event *event)
{
	struct rbmap_event_target *target = kzalloc(sizeof(*target),
						    GFP_KERNEL);

	if (!target)
		return -ENOMEM;
	target->id = event->id;
	target->preempt = event->preempt + RBMAP_RESERVE_PREEMPT;
	target->enabled = event->apart;
	target->head.buffer = set->buffer;
	target->event = event;
	target->set = set;
	target->pid_field = rbmap_event_pid_field(event, &target->switches);
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
 * rbmap_event_set_hook - an event has got a tracepoint
 * @set: of a buffer; the caller has the registry's lock and rbmap_targets_lock
 * @event: the event
 *
 * An event that is enabled is recorded from here on.  Where the kernel refuses the
 * probe, the log says so, and the event stays enabled: writing 1 to `enable` tries
 * again.
 *
 * Context: may sleep.
 */
void rbmap_event_set_hook(struct rbmap_event_set *set,
			  const struct rbmap_event *event)
{
	struct rbmap_event_target *target = rbmap_event_set_look(set, event);

	if (!target)
		return;
	/* The probe is not registered there yet, so that nothing reads this. */
	target->preempt = event->preempt + RBMAP_RESERVE_PREEMPT;
	if (target->enabled)
		rbmap_target_hook(target, true);
}

/**
 * rbmap_event_set_unhook - an event's tracepoint goes
 * @set: of a buffer; the caller has the registry's lock and rbmap_targets_lock
 * @event: the event, which still has the tracepoint
 *
 * An event that is enabled stays so.
 *
 * Context: may sleep.
 */
void rbmap_event_set_unhook(struct rbmap_event_set *set,
			    const struct rbmap_event *event)
{
	struct rbmap_event_target *target = rbmap_event_set_look(set, event);

	if (!target)
		return;
	rbmap_target_hook(target, false);
	/* The tracepoint goes, also where the kernel has refused. */
	target->hooked = false;
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
