// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probe of an event is registered once, whatever the number of buffers that record
 * the event.  With one buffer the probe writes each record into the ring itself.  With
 * several buffers it assembles the record on the stack, and a copy goes to each of them.
 *
 * Probes run at any time while this changes.  A probe without checks loads `buffer`.  A
 * probe with RBMAP_CHECK_RECORD asks rbmap_record_wanted(), which loads `copies`, and does
 * not use `buffer` or `filter` unless that is NULL.  While copies are made, `buffer` may
 * be a buffer that is freed.  So the way back to one buffer has three waits.  After the
 * first one, no probe uses the old `buffer`: it is set then.  After the second one, each
 * probe sees the new one: `checks` become those of the buffer.  After the third one, each
 * probe has these checks: `copies` becomes NULL.
 */
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "copies.h"
#include "event_set.h"
#include "hook.h"
#include "source.h"
#include "validate.h"

/**
 * struct rbmap_event_hook - the probe of an event
 * @file: data of the probe.  It stands for the event file of the only buffer, or has
 *	`copies`
 * @only: the event file for which @file stands; NULL: @file has `copies`
 * @nr: number of buffers that record the event; 0: the probe is not registered
 * @settled: rbmap_hooks_settled when the probe was unregistered
 * @lone: entry in the list of hooks that make copies for one buffer only
 */
struct rbmap_event_hook {
	struct rbmap_event_file	file;
	struct rbmap_event_file	*only;
	unsigned int		nr;
	u64			settled;
	struct list_head	lone;
};

/* Bytes of replaced copies that wait for the next wait for probes. */
#define RBMAP_OLD_COPIES_MAX	(64U << 10)

/* All four are under rbmap_event_files_lock. */
static LIST_HEAD(rbmap_lone_hooks);
static LIST_HEAD(rbmap_old_copies);
static size_t rbmap_old_copies_size;
/* Number of times that rbmap_event_hooks_settle() has waited for probes. */
static u64 rbmap_hooks_settled = 1;

/**
 * rbmap_event_hook_create - let the buffers share the probe of an event
 * @event: an event that no buffer has yet
 *
 * They can share it if it assembles the whole record on its stack, or if the source
 * brings the whole record.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_event_hook_create(struct rbmap_event_type *event)
{
	event->hook = NULL;
	if (!event->whole &&
	    (!event->probe || !event->checks || !rbmap_event_fits_stack(event)))
		return 0;
	event->hook = kzalloc(sizeof(*event->hook), GFP_KERNEL);
	if (!event->hook)
		return -ENOMEM;
	INIT_LIST_HEAD(&event->hook->lone);
	return 0;
}

/**
 * rbmap_event_hook_free - undo rbmap_event_hook_create()
 * @event: an event that all buffers have removed; its probe does not run
 */
void rbmap_event_hook_free(struct rbmap_event_type *event)
{
	kfree(event->hook);
	event->hook = NULL;
}

/* Set what a probe uses that makes no copies.  No probe uses it now. */
static void rbmap_hook_stand_for(struct rbmap_event_hook *hook,
				 const struct rbmap_event_file *event_file)
{
	struct rbmap_event_file *file = &hook->file;

	file->head.buffer = event_file->head.buffer;
	file->preempt = event_file->preempt;
	file->id = event_file->id;
	file->event = event_file->event;
	file->pid_field = event_file->pid_field;
	file->switches = event_file->switches;
	file->set = event_file->set;
	file->filter = event_file->filter;
}

/*
 * Let the probe use what rbmap_hook_stand_for() has set.
 * litmus: hook-checks
 */
static void rbmap_hook_stop_copies(struct rbmap_event_hook *hook,
				   struct rbmap_event_file *event_file)
{
	WRITE_ONCE(hook->file.copies, NULL);	/* step: copies */
	WRITE_ONCE(hook->file.head.checks, event_file->head.checks);
	hook->only = event_file;
}

static void rbmap_copies_free(struct list_head *old)
{
	struct rbmap_event_copies *copies, *next;

	list_for_each_entry_safe(copies, next, old, list)
		kvfree(copies);
}

/* Probes that run may still use the copies. */
static void rbmap_copies_replaced(struct rbmap_event_copies *copies)
{
	lockdep_assert_held(&rbmap_event_files_lock);
	list_add_tail(&copies->list, &rbmap_old_copies);
	rbmap_old_copies_size += struct_size(copies, event_file, copies->nr);
}

static void rbmap_old_copies_take(struct list_head *old)
{
	lockdep_assert_held(&rbmap_event_files_lock);
	list_splice_init(&rbmap_old_copies, old);
	rbmap_old_copies_size = 0;
}

/* An event that starts in many buffers replaces its copies as often. */
static void rbmap_old_copies_limit(void)
{
	LIST_HEAD(old);

	if (rbmap_old_copies_size <= RBMAP_OLD_COPIES_MAX)
		return;
	rbmap_old_copies_take(&old);
	rbmap_sync_probes();
	rbmap_hooks_settled++;
	rbmap_copies_free(&old);
}

/*
 * A probe that does not see this yet writes to the only buffer that it knows: the event
 * came before it was enabled in the others.
 * litmus: hook-copies
 */
static void rbmap_hook_set_copies(struct rbmap_event_hook *hook,
				  struct rbmap_event_copies *copies)
{
	if (!hook->only)
		rbmap_copies_replaced(hook->file.copies);
	smp_store_release(&hook->file.copies, copies);
	WRITE_ONCE(hook->file.head.checks, RBMAP_CHECK_RECORD);
	hook->only = NULL;
	hook->nr = copies->nr;
	list_del_init(&hook->lone);
	if (hook->nr == 1)
		list_add_tail(&hook->lone, &rbmap_lone_hooks);
}

/* Return the event files of a hook, with room for one more and the NULL at the end. */
static struct rbmap_event_copies *rbmap_copies_of(const struct rbmap_event_hook *hook)
{
	const struct rbmap_event_copies *old = hook->file.copies;
	struct rbmap_event_copies *copies =
		kvzalloc(struct_size(copies, event_file, hook->nr + 2), GFP_KERNEL);

	if (!copies)
		return NULL;
	copies->nr = hook->nr;
	if (hook->only)
		copies->event_file[0] = hook->only;
	else
		memcpy(copies->event_file, old->event_file,
		       flex_array_size(old, event_file, old->nr));
	return copies;
}

/*
 * Retry until there is memory: an event that stops must stop.  __GFP_NOFAIL is not for
 * more than two pages, which a thousand buffers need.
 */
static struct rbmap_event_copies *
rbmap_copies_of_nofail(const struct rbmap_event_hook *hook)
{
	struct rbmap_event_copies *copies;

	while (!(copies = rbmap_copies_of(hook)))
		usleep_range(1000, 2000);
	return copies;
}

static int rbmap_hook_add_first(struct rbmap_event_hook *hook,
				struct rbmap_event_file *event_file)
{
	const struct rbmap_event_type *event = event_file->event;
	int err;

	/* The probe may still run that was unregistered a moment ago. */
	if (hook->settled == rbmap_hooks_settled)
		rbmap_sync_probes();
	rbmap_hook_stand_for(hook, event_file);
	rbmap_hook_stop_copies(hook, event_file);
	err = event->source->attach(event, &hook->file);
	hook->nr = !err;
	return err;
}

/**
 * rbmap_event_hook_add - record an event in one more buffer
 * @event_file: the event in the buffer, which does not record it yet
 *
 * Context: may sleep; rbmap_event_files_lock is held.
 * Return: 0, -ENOMEM, or an error of the kernel.
 */
int rbmap_event_hook_add(struct rbmap_event_file *event_file)
{
	struct rbmap_event_hook *hook = event_file->event->hook;
	struct rbmap_event_copies *copies;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (!hook->nr)
		return rbmap_hook_add_first(hook, event_file);
	copies = rbmap_copies_of(hook);
	if (!copies)
		return -ENOMEM;
	copies->event_file[copies->nr++] = event_file;
	rbmap_hook_set_copies(hook, copies);
	rbmap_old_copies_limit();
	return 0;
}

static int rbmap_hook_remove_last(struct rbmap_event_hook *hook,
				  const struct rbmap_event_type *event)
{
	int err = event->source->detach(event, &hook->file);

	if (!err)
		rbmap_event_hook_lost(event);
	return err;
}

/**
 * rbmap_event_hook_remove - stop recording an event in a buffer
 * @event_file: the event in the buffer, which records it
 *
 * The caller waits for probes before it frees @event_file.
 *
 * Context: may sleep; rbmap_event_files_lock is held.
 * Return: 0, or an error of the kernel: then nothing has changed.
 */
int rbmap_event_hook_remove(struct rbmap_event_file *event_file)
{
	struct rbmap_event_hook *hook = event_file->event->hook;
	struct rbmap_event_copies *copies;
	unsigned int i = 0;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (hook->nr == 1)
		return rbmap_hook_remove_last(hook, event_file->event);
	copies = rbmap_copies_of_nofail(hook);
	while (copies->event_file[i] != event_file)
		i++;
	copies->event_file[i] = copies->event_file[--copies->nr];
	copies->event_file[copies->nr] = NULL;
	rbmap_hook_set_copies(hook, copies);
	return 0;
}

/**
 * rbmap_event_hook_lost - note that the probe is not registered any more
 * @event: an event that one buffer recorded
 *
 * Context: rbmap_event_files_lock is held.
 */
void rbmap_event_hook_lost(const struct rbmap_event_type *event)
{
	struct rbmap_event_hook *hook = event->hook;

	if (hook->nr && !hook->only)
		rbmap_copies_replaced(hook->file.copies);
	list_del_init(&hook->lone);
	hook->nr = 0;
	hook->settled = rbmap_hooks_settled;
}

/**
 * rbmap_event_hook_update - let the probe know the checks and the filter of a buffer
 * @event_file: the event in the buffer, after a change of these
 *
 * litmus: filter-init
 *
 * Context: rbmap_event_files_lock is held.
 */
void rbmap_event_hook_update(const struct rbmap_event_file *event_file)
{
	struct rbmap_event_hook *hook = event_file->event->hook;

	if (!hook || !hook->nr || hook->only != event_file)
		return;
	smp_store_release(&hook->file.filter, event_file->filter);
	WRITE_ONCE(hook->file.head.checks, event_file->head.checks);
}

/* Let probes write directly that make copies for one buffer only. */
static void rbmap_lone_hooks_settle(void)
{
	struct rbmap_event_hook *hook, *next;

	list_for_each_entry(hook, &rbmap_lone_hooks, lone)
		rbmap_hook_stand_for(hook, hook->file.copies->event_file[0]);
	rbmap_sync_probes();	/* step: sync_direct */
	list_for_each_entry(hook, &rbmap_lone_hooks, lone)
		WRITE_ONCE(hook->file.head.checks,
			   hook->file.copies->event_file[0]->head.checks);
	/* A probe with RBMAP_CHECK_RECORD alone leaves the test of the task to the copies. */
	rbmap_sync_probes();
	list_for_each_entry_safe(hook, next, &rbmap_lone_hooks, lone) {
		struct rbmap_event_copies *copies = hook->file.copies;

		rbmap_hook_stop_copies(hook, copies->event_file[0]);
		rbmap_copies_replaced(copies);
		list_del_init(&hook->lone);
	}
}

/**
 * rbmap_event_hooks_settle - wait for probes after rbmap_event_hook_remove()
 *
 * Context: sleeps until no probe uses what was removed before.
 */
void rbmap_event_hooks_settle(void)
{
	LIST_HEAD(old);

	mutex_lock(&rbmap_event_files_lock);
	rbmap_old_copies_take(&old);
	rbmap_sync_probes();	/* step: sync */
	rbmap_hooks_settled++;
	if (!list_empty(&rbmap_lone_hooks))
		rbmap_lone_hooks_settle();
	mutex_unlock(&rbmap_event_files_lock);
	rbmap_copies_free(&old);
}

/**
 * rbmap_event_hooks_exit - free what is left when no probe runs any more
 */
void rbmap_event_hooks_exit(void)
{
	rbmap_copies_free(&rbmap_old_copies);
}
