// SPDX-License-Identifier: GPL-2.0-only
/* The events of a buffer, and whether they are recorded. */
#include <linux/jhash.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer/audience.h"
#include "buffer/resize.h"
#include "cgroups.h"
#include "event.h"
#include "event_set.h"
#include "filter.h"
#include "hook.h"
#include "lib/log.h"
#include "lib/text.h"
#include "pids.h"
#include "release.h"
#include "source.h"

DEFINE_MUTEX(rbmap_event_files_lock);

/**
 * rbmap_event_file_update_checks - set whether probes must test what is wanted
 * @event_file: the event file, after a change of its filter, of its set's pids or
 *	cgroups, or of whether its buffer keeps addresses
 */
void rbmap_event_file_update_checks(struct rbmap_event_file *event_file)
{
	const struct rbmap_event_set *set = event_file->set;
	bool tasks = !event_file->event->apart && (set->pids[RBMAP_PIDS_ONLY] ||
						   set->pids[RBMAP_PIDS_NOT] ||
						   set->cgroups);
	bool excluded = event_file->by_task && set->pids[RBMAP_PIDS_EXCLUDED];
	u8 checks = 0;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (tasks)	/* step: check_task */
		checks |= RBMAP_CHECK_TASK | RBMAP_CHECK_LISTS;
	if (excluded)
		checks |= RBMAP_CHECK_TASK | RBMAP_CHECK_EXCLUDED;
	if ((event_file->filter && event_file->filter->program) ||
	    (tasks && event_file->pid_field))
		checks |= RBMAP_CHECK_RECORD;
	WRITE_ONCE(event_file->head.addresses,
		   rbmap_buffer_keeps_addresses(set->buffer) ? RBMAP_ADDRESSES_SHOWN : 0);
	WRITE_ONCE(event_file->head.checks, checks);
	rbmap_event_hook_update(event_file);
}

/**
 * rbmap_event_set_update_checks - rbmap_event_file_update_checks() for a whole set
 * @set: the set
 */
void rbmap_event_set_update_checks(struct rbmap_event_set *set)
{
	struct rbmap_event_file *event_file;

	list_for_each_entry(event_file, &set->event_files, list)
		rbmap_event_file_update_checks(event_file);
}

/* Looks at the counts of an event that fires meanwhile */
#define RBMAP_MISSED_LOOKS	8

/*
 * Where preemption is on before the record is filled, a task may move to another CPU between
 * its call and its record.  The count of that CPU is then -1.  Only the sum of all CPUs is
 * right, so that nothing is rounded before.
 *
 * A call that has no record yet seems to be missed, and so does one between the two loads.  The
 * smallest difference has the fewest of them.
 */
static u64 rbmap_event_missed(const struct rbmap_event_type *event, int cpu)
{
	struct rbmap_source_count count;
	s64 missed, least = S64_MAX;
	unsigned int i;
	u64 calls;

	event->source->count(event, cpu, &count);
	for (i = 0; i < RBMAP_MISSED_LOOKS && count.calls != count.received; i++) {
		missed = count.calls - count.received;
		calls = count.calls;
		event->source->count(event, cpu, &count);
		if (count.calls == calls)
			least = min(least, missed);
	}
	missed = count.calls - count.received;
	return min(least, missed);
}

/* The kernel may miss an event while the buffer records it: begin to count. */
static void rbmap_event_missed_begin(struct rbmap_event_file *event_file)
{
	const struct rbmap_event_type *event = event_file->event;
	int cpu;

	for_each_possible_cpu(cpu)
		*per_cpu_ptr(event_file->missed, cpu) = rbmap_event_missed(event, cpu);
	event_file->missing = true;
}

static u64 rbmap_event_missed_since(const struct rbmap_event_file *event_file, int cpu)
{
	if (!event_file->missing)
		return 0;
	return rbmap_event_missed(event_file->event, cpu) -
	       *per_cpu_ptr(event_file->missed, cpu);
}

/* Stop counting.  The detached probes have all returned. */
static void rbmap_event_missed_end(struct rbmap_event_file *event_file)
{
	int cpu;

	if (!event_file->missing)
		return;
	for_each_possible_cpu(cpu)
		*per_cpu_ptr(event_file->set->missed, cpu) +=
			rbmap_event_missed_since(event_file, cpu);
	event_file->missing = false;
}

static void rbmap_event_missed_ended(struct rbmap_release *ended)
{
	rbmap_event_missed_end(container_of(ended, struct rbmap_event_file, ended));
}

/* The memory to count them; an event that is never missed needs none. */
static int rbmap_event_missed_alloc(struct rbmap_event_file *event_file)
{
	const struct rbmap_source *source = event_file->event->source;
	struct rbmap_event_set *set = event_file->set;

	if (!source || !source->count || source->never_misses)
		return 0;
	if (!set->missed)
		set->missed = alloc_percpu(u64);
	event_file->missed = alloc_percpu(u64);
	return set->missed && event_file->missed ? 0 : -ENOMEM;
}

/* The number of a CPU, which may be negative. */
static s64 rbmap_event_set_missed_sum(const struct rbmap_event_set *set, int cpu)
{
	const struct rbmap_event_file *event_file;
	u64 missed;

	lockdep_assert_held(&rbmap_event_files_lock);
	missed = *per_cpu_ptr(set->missed, cpu);
	list_for_each_entry(event_file, &set->event_files, list)
		missed += rbmap_event_missed_since(event_file, cpu);
	return missed;
}

/*
 * If a CPU has less than none, others have as many too much.  They are taken from the first
 * CPUs that have some, so that the numbers that are shown have the right sum.
 */
static u64 rbmap_event_set_missed_shown(const struct rbmap_event_set *set, int cpu)
{
	s64 missed = set->missed ? rbmap_event_set_missed_sum(set, cpu) : 0;
	s64 lacking = 0, other;
	int each;

	if (missed <= 0)
		return 0;
	for_each_possible_cpu(each) {
		other = each == cpu ? 0 : rbmap_event_set_missed_sum(set, each);
		if (other < 0 || each < cpu)
			lacking -= other;
	}
	return clamp_t(s64, missed - lacking, 0, missed);
}

/**
 * rbmap_event_set_missed - number of events that the kernel missed
 * @set: the buffer's set
 * @cpu: a CPU
 *
 * These are events that were enabled in the buffer, but for which the kernel had no
 * memory: the task or interrupt was already in another event.  An event that happens
 * at this moment may count, too.  A task may have moved between the call and the record: the
 * sum of all CPUs is right, but such an event may be in the number of another CPU.
 *
 * Context: may sleep.
 */
u64 rbmap_event_set_missed(struct rbmap_event_set *set, int cpu)
{
	u64 missed;

	mutex_lock(&rbmap_event_files_lock);
	missed = rbmap_event_set_missed_shown(set, cpu);
	mutex_unlock(&rbmap_event_files_lock);
	return missed;
}

static void rbmap_event_set_missed_clear(struct rbmap_event_set *set)
{
	struct rbmap_event_file *event_file;
	int cpu;

	list_for_each_entry(event_file, &set->event_files, list) {
		if (event_file->missing)
			rbmap_event_missed_begin(event_file);
	}
	for_each_possible_cpu(cpu)
		*per_cpu_ptr(set->missed, cpu) = 0;
}

/**
 * rbmap_event_set_missed_reset - count missed events from 0 again
 * @set: the buffer's set
 * @cpu: a CPU, or RBMAP_ALL_CPUS
 *
 * Context: may sleep.
 */
void rbmap_event_set_missed_reset(struct rbmap_event_set *set, int cpu)
{
	mutex_lock(&rbmap_event_files_lock);
	if (set->missed && cpu == RBMAP_ALL_CPUS)
		rbmap_event_set_missed_clear(set);
	else if (set->missed)
		*per_cpu_ptr(set->missed, cpu) -= rbmap_event_set_missed_shown(set, cpu);
	mutex_unlock(&rbmap_event_files_lock);
}

/* A probe of its own for this buffer: the kernel calls it for each buffer. */
static int rbmap_event_file_probe(struct rbmap_event_file *event_file, bool on)
{
	const struct rbmap_event_type *event = event_file->event;

	return on ? event->source->attach(event, event_file) :
		    event->source->detach(event, event_file);
}

/*
 * Attach the probe to the event's source, or detach it.  Do nothing if this was
 * already done, or if the event waits or has no source.
 */
static int rbmap_event_file_hook(struct rbmap_event_file *event_file, bool on)
{
	const struct rbmap_event_type *event = event_file->event;
	int err;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (!event->source || !event->origin || event_file->hooked == on)
		return 0;
	if (on && event_file->missed) {
		list_del_init(&event_file->ended.list);
		rbmap_event_missed_end(event_file);
		rbmap_event_missed_begin(event_file);
	}
	if (!event->hook)
		err = rbmap_event_file_probe(event_file, on);
	else if (on)
		err = rbmap_event_hook_add(event_file);
	else
		err = rbmap_event_hook_remove(event_file);
	if (err)
		rbmap_warn("%s:%s: the kernel refuses to %s its probe: error %d\n",
			   event->system, event->name,
			   on ? "register" : "unregister", err);
	else
		event_file->hooked = on;
	if (!event_file->hooked && event_file->missing)
		rbmap_release_later(&event_file->ended, rbmap_event_missed_ended, 0);
	return err;
}

static int rbmap_event_file_switch(struct rbmap_event_file *event_file, bool on)
{
	int err;

	lockdep_assert_held(&rbmap_event_files_lock);
	/* An event that was enabled before it became unavailable can be disabled. */
	if (on && !event_file->enabled && event_file->event->unavailable)
		return -ENODEV;
	/* An enabled event may not be hooked: then this tries again. */
	err = rbmap_event_file_hook(event_file, on);
	if (err)
		return err;
	WRITE_ONCE(event_file->enabled, on);
	return 0;
}

/**
 * rbmap_event_set_create - create the set of events of a buffer
 * @buf: buffer that gets the records
 *
 * The set is empty until rbmap_event_set_show().
 *
 * Context: may sleep.
 * Return: the set, or NULL without memory.
 */
struct rbmap_event_set *rbmap_event_set_create(struct rbmap_buffer *buf)
{
	struct rbmap_event_set *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return NULL;
	set->buffer = buf;
	INIT_LIST_HEAD(&set->event_files);
	hash_init(set->named);
	INIT_LIST_HEAD(&set->removed);
	return set;
}

/**
 * rbmap_event_set_stop - follow no tasks any more
 * @set: a hidden set, whose files nobody writes any more
 *
 * The next rbmap_release_settle() waits for all probes that use the set.
 *
 * Context: may sleep.
 */
void rbmap_event_set_stop(struct rbmap_event_set *set)
{
	rbmap_event_pids_follow(set, false);
}

static void rbmap_event_files_put(struct list_head *event_files)
{
	struct rbmap_event_file *event_file, *next;

	list_for_each_entry_safe(event_file, next, event_files, list) {
		rbmap_event_filter_free(event_file->filter);
		free_percpu(event_file->missed);
		kfree(event_file);
	}
}

/**
 * rbmap_event_set_destroy - free a buffer's set of events
 * @set: a set after rbmap_event_set_stop() and rbmap_release_settle().  The wait is
 *	needed even if no event is enabled: a probe that was disabled a moment ago may
 *	still run
 */
void rbmap_event_set_destroy(struct rbmap_event_set *set)
{
	rbmap_event_files_put(&set->removed);
	rbmap_event_pids_free(set);
	rbmap_event_cgroups_free(set->cgroups);
	free_percpu(set->missed);
	kfree(set);
}

/**
 * rbmap_event_hash - hash of an event's names, for tables of events
 * @system: its system
 * @name: its name
 *
 * Return: the hash.
 */
u32 rbmap_event_hash(const char *system, const char *name)
{
	return jhash(name, strlen(name), jhash(system, strlen(system), 0));
}

static struct rbmap_event_file *
rbmap_event_set_lookup(struct rbmap_event_set *set,
		       const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file;

	lockdep_assert_held(&rbmap_event_files_lock);
	hash_for_each_possible(set->named, event_file, named,
			       rbmap_event_hash(event->system, event->name)) {
		if (event_file->event == event)
			return event_file;
	}
	return NULL;
}

/**
 * rbmap_event_set_find - find an event in a buffer
 * @set: the buffer's set
 * @event: a registered event
 *
 * Context: may sleep.
 * Return: the event file, or NULL if the buffer does not have the event.
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
 * rbmap_event_set_add - add an event to a buffer, and show it
 * @set: the buffer's set, which is shown; the caller has the registry's lock
 * @event: the event
 *
 * The event is disabled at first.  An event with the flag `apart`, like the marker,
 * is enabled: it costs nothing until a program writes one.
 *
 * Context: may sleep.
 * Return: 0 or a negative error.  rbmap_event_set_remove() undoes either.
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
	event_file->head.rings = rbmap_buffer_rings(set->buffer);
	event_file->event = event;
	event_file->set = set;
	rbmap_release_init(&event_file->ended);
	if (rbmap_event_missed_alloc(event_file)) {
		free_percpu(event_file->missed);
		kfree(event_file);
		return -ENOMEM;
	}
	event_file->pid_field = rbmap_event_pid_field(event, &event_file->switches);
	event_file->by_task = rbmap_event_by_task(event);
	mutex_lock(&rbmap_event_files_lock);
	list_add_tail(&event_file->list, &set->event_files);
	hash_add(set->named, &event_file->named,
		 rbmap_event_hash(event->system, event->name));
	rbmap_event_file_update_checks(event_file);
	mutex_unlock(&rbmap_event_files_lock);
	return set->ops->show(event_file, set->data);
}

/**
 * rbmap_event_set_remove - hide an event of a buffer, and stop recording it
 * @set: the buffer's set; the caller has the registry's lock
 * @event: the event; nothing is done if the buffer does not have it
 * @removed: list that gets the event file, for rbmap_event_files_free()
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
	/* Nobody can enable the event after this. */
	set->ops->hide(event_file, set->data);
	mutex_lock(&rbmap_event_files_lock);
	rbmap_event_file_switch(event_file, false);
	list_del_init(&event_file->ended.list);
	list_move_tail(&event_file->list, removed);
	hash_del(&event_file->named);
	mutex_unlock(&rbmap_event_files_lock);
}

/**
 * rbmap_event_files_free - free event files of rbmap_event_set_remove()
 * @event_files: event files of any sets
 *
 * Context: sleeps until no probe uses one of them.
 */
void rbmap_event_files_free(struct list_head *event_files)
{
	rbmap_release_settle();
	rbmap_event_files_put(event_files);
}

/**
 * rbmap_event_set_hook - attach a probe to an origin that appeared
 * @set: a buffer's set; the caller has the registry's lock and
 *	rbmap_event_files_lock
 * @event: the event, which has found its origin
 *
 * An enabled event is recorded from now on.  If the kernel refuses the probe, this
 * is logged, and the event stays enabled: writing 1 to `enable` tries again.
 *
 * Context: may sleep.
 */
void rbmap_event_set_hook(struct rbmap_event_set *set,
			  const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file = rbmap_event_set_lookup(set, event);

	if (!event_file)
		return;
	/* The probe is not registered there yet, so that no probe reads this. */
	event_file->preempt = event->preempt + RBMAP_RESERVE_PREEMPT;
	if (event_file->enabled)
		rbmap_event_file_hook(event_file, true);
}

/**
 * rbmap_event_set_unhook - detach a probe before its origin is freed
 * @set: a buffer's set; the caller has the registry's lock and
 *	rbmap_event_files_lock
 * @event: the event, which still has the origin
 *
 * An enabled event stays enabled.
 *
 * Context: may sleep.
 */
void rbmap_event_set_unhook(struct rbmap_event_set *set,
			    const struct rbmap_event_type *event)
{
	struct rbmap_event_file *event_file = rbmap_event_set_lookup(set, event);

	if (!event_file)
		return;
	/*
	 * The origin is freed even if the kernel refused to detach the probe.
	 */
	if (rbmap_event_file_hook(event_file, false) && event->hook)
		rbmap_event_hook_lost(event);
	event_file->hooked = false;
}

static bool rbmap_event_file_available(const struct rbmap_event_file *event_file)
{
	bool available;

	mutex_lock(&rbmap_event_files_lock);
	available = !event_file->event->unavailable;
	mutex_unlock(&rbmap_event_files_lock);
	return available;
}

/**
 * rbmap_event_enable - start or stop to record an event
 * @event_file: the event in a buffer
 * @on: whether to start.  An event that waits starts when its origin appears
 *
 * After a stop, a probe that already runs on another CPU may still write a record.
 *
 * Context: may sleep.
 * Return: 0, -ENODEV if the event is unavailable, an error of rbmap_buffer_expand() or of
 * the kernel.
 */
int rbmap_event_enable(struct rbmap_event_file *event_file, bool on)
{
	int ret = 0;

	if (on && rbmap_event_file_available(event_file))
		ret = rbmap_buffer_expand(event_file->set->buffer);
	if (ret)
		return ret;
	mutex_lock(&rbmap_event_files_lock);
	ret = rbmap_event_file_switch(event_file, on);
	mutex_unlock(&rbmap_event_files_lock);
	return ret;
}

static bool rbmap_event_named(const char *name, const char *wanted)
{
	return !wanted || !strcmp(name, wanted);
}

/**
 * rbmap_event_matches - test whether an event of these names is meant
 * @match: which events are meant
 * @system: system of the event
 * @name: name of the event
 *
 * Return: whether it is meant; the flag `apart` is not known here.
 */
bool rbmap_event_matches(const struct rbmap_event_match *match, const char *system,
			 const char *name)
{
	return rbmap_event_named(system, match->system) &&
	       rbmap_event_named(name, match->name) &&
	       (rbmap_event_named(system, match->either) ||
		rbmap_event_named(name, match->either));
}

/* An unavailable event that is still enabled is meant, too: so it can be disabled. */
static bool rbmap_event_in(const struct rbmap_event_file *event_file,
			   const struct rbmap_event_match *match)
{
	const struct rbmap_event_type *event = event_file->event;

	if (event->unavailable && !event_file->enabled)
		return false;
	if (!match->system && !match->name && !match->either)
		return !event->apart;
	return rbmap_event_matches(match, event->system, event->name);
}

static struct rbmap_event_file *
rbmap_event_set_in_list(struct rbmap_event_set *set, struct rbmap_event_file *event_file)
{
	if (!event_file)
		return list_first_entry_or_null(&set->event_files,
						struct rbmap_event_file, list);
	if (list_is_last(&event_file->list, &set->event_files))
		return NULL;
	return list_next_entry(event_file, list);
}

static struct rbmap_event_file *
rbmap_event_set_in_bucket(struct rbmap_event_set *set, const struct rbmap_event_match *match,
			  struct rbmap_event_file *event_file)
{
	struct hlist_node *node;
	u32 hash;

	if (event_file) {
		node = event_file->named.next;
	} else {
		hash = rbmap_event_hash(match->system, match->name);
		node = set->named[hash_min(hash, HASH_BITS(set->named))].first;
	}
	return hlist_entry_safe(node, struct rbmap_event_file, named);
}

/* The next one that is meant.  NULL: begin, or there are no more. */
static struct rbmap_event_file *
rbmap_event_set_next(struct rbmap_event_set *set, const struct rbmap_event_match *match,
		     struct rbmap_event_file *event_file)
{
	lockdep_assert_held(&rbmap_event_files_lock);
	do {
		if (rbmap_event_match_is_one(match))
			event_file = rbmap_event_set_in_bucket(set, match, event_file);
		else
			event_file = rbmap_event_set_in_list(set, event_file);
	} while (event_file && !rbmap_event_in(event_file, match));
	return event_file;
}

/**
 * rbmap_event_set_switch - start or stop to record many events
 * @set: the buffer's set
 * @match: the events
 * @on: whether to start
 *
 * Unavailable events are skipped, unless they are enabled.  An event that fails does not stop
 * the others.
 *
 * Context: as rbmap_event_enable().
 * Return: 0; -ENODEV if none of the events is available; or the first error.  After an
 * error of rbmap_buffer_expand() nothing has changed.
 */
int rbmap_event_set_switch(struct rbmap_event_set *set,
			   const struct rbmap_event_match *match, bool on)
{
	struct rbmap_event_file *event_file = NULL;
	int err = 0, ret;
	bool any = false;

	if (on && rbmap_event_set_has(set, match))
		err = rbmap_buffer_expand(set->buffer);
	if (err)
		return err;
	mutex_lock(&rbmap_event_files_lock);
	while ((event_file = rbmap_event_set_next(set, match, event_file))) {
		any = true;
		ret = rbmap_event_file_switch(event_file, on);
		err = err ?: ret;
	}
	mutex_unlock(&rbmap_event_files_lock);
	return any ? err : -ENODEV;
}

/**
 * rbmap_event_set_has - test whether the buffer has an available event
 * @set: the buffer's set
 * @match: the events
 *
 * Context: may sleep.
 */
bool rbmap_event_set_has(struct rbmap_event_set *set, const struct rbmap_event_match *match)
{
	struct rbmap_event_file *event_file = NULL;

	mutex_lock(&rbmap_event_files_lock);
	do {
		event_file = rbmap_event_set_next(set, match, event_file);
	} while (event_file && event_file->event->unavailable);
	mutex_unlock(&rbmap_event_files_lock);
	return event_file;
}

/**
 * rbmap_event_set_state - tell how many of the events are enabled
 * @set: the buffer's set
 * @system: system of the events, or NULL for all events without the flag `apart`
 *
 * Return: '0' if none is enabled, '1' if all available ones are, 'X' if some are.  An event
 * that became unavailable counts as long as it is enabled.
 */
char rbmap_event_set_state(struct rbmap_event_set *set, const char *system)
{
	const struct rbmap_event_match match = { .system = system };
	struct rbmap_event_file *event_file = NULL;
	unsigned int on = 0, off = 0;

	mutex_lock(&rbmap_event_files_lock);
	while ((event_file = rbmap_event_set_next(set, &match, event_file))) {
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

static void rbmap_event_set_print(struct rbmap_event_set *set, bool enabled,
				  struct rbmap_text *text)
{
	const struct rbmap_event_file *event_file;

	lockdep_assert_held(&rbmap_event_files_lock);
	list_for_each_entry(event_file, &set->event_files, list) {
		const struct rbmap_event_type *event = event_file->event;

		if (enabled ? event_file->enabled : !event->unavailable)
			rbmap_text_add(text, "%s:%s\n", event->system,
				       event->name);
	}
}

/**
 * rbmap_event_set_list - list events, a line SYSTEM:EVENT for each
 * @set: the buffer's set
 * @enabled: true: the enabled events; false: all available events
 *
 * Context: may sleep.
 * Return: the text, which the caller frees with kfree(); NULL without memory.
 */
char *rbmap_event_set_list(struct rbmap_event_set *set, bool enabled)
{
	struct rbmap_text text = { 0 };

	mutex_lock(&rbmap_event_files_lock);
	rbmap_event_set_print(set, enabled, &text);
	text.size = text.len + 1;
	text.buf = kzalloc(text.size, GFP_KERNEL);
	text.len = 0;
	if (text.buf)
		rbmap_event_set_print(set, enabled, &text);
	mutex_unlock(&rbmap_event_files_lock);
	return text.buf;
}
