// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probe of an event is registered once, whatever the number of buffers that record
 * the event.  With one buffer the probe writes each record into the ring itself.  With
 * several buffers it assembles the record on the stack, and a copy goes to each of them.
 *
 * Probes run at any time while this changes.  A probe without checks loads `buffer`.  A
 * probe with RBMAP_CHECK_RECORD asks rbmap_record_wanted(), which loads `copies`, and does
 * not use `buffer` or `filter` unless that is NULL.  While copies are made, `buffer` may
 * be a buffer that is freed.  So the way back to one buffer has three steps, each after a
 * wait for probes.  After the first one, no probe uses the old `buffer`: it is set then.
 * After the second one, each probe sees the new one: `checks` become those of the buffer.
 * After the third one, each probe has these checks: `copies` becomes NULL.  The lock is
 * not held during these waits.  If the buffers change meanwhile, the way ends, or begins
 * again.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "copies.h"
#include "event_set.h"
#include "hook.h"
#include "release.h"
#include "source.h"
#include "validate.h"

/**
 * struct rbmap_event_hook - the probe of an event
 * @file: data of the probe.  It stands for the event file of the only buffer, or has
 *	`copies`
 * @only: the event file for which @file stands; NULL: @file has `copies`
 * @nr: number of buffers that record the event; 0: the probe is not registered
 * @lost: rbmap_release_mark() when the probe was unregistered
 * @direct: the next step of a hook that makes copies for one buffer only
 */
struct rbmap_event_hook {
	struct rbmap_event_file	file;
	struct rbmap_event_file	*only;
	unsigned int		nr;
	u64			lost;
	struct rbmap_release	direct;
};

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
	rbmap_release_init(&event->hook->direct);
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
	file->head.rings = event_file->head.rings;
	WRITE_ONCE(file->head.addresses, event_file->head.addresses);
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
	WRITE_ONCE(hook->file.head.addresses, event_file->head.addresses);
	WRITE_ONCE(hook->file.head.checks, event_file->head.checks);
	hook->only = event_file;
}

static void rbmap_copies_free(struct rbmap_release *release)
{
	kvfree(container_of(release, struct rbmap_event_copies, release));
}

/* Probes that run may still use the copies. */
static void rbmap_copies_replaced(struct rbmap_event_copies *copies)
{
	rbmap_release_later(&copies->release, rbmap_copies_free,
			    struct_size(copies, event_file, copies->nr));
}

static struct rbmap_event_hook *rbmap_hook_of(struct rbmap_release *direct)
{
	return container_of(direct, struct rbmap_event_hook, direct);
}

/* Each probe has the checks of the only buffer. */
static void rbmap_hook_end_copies(struct rbmap_release *direct)
{
	struct rbmap_event_hook *hook = rbmap_hook_of(direct);
	struct rbmap_event_copies *copies = hook->file.copies;

	rbmap_hook_stop_copies(hook, copies->event_file[0]);
	rbmap_copies_replaced(copies);
}

/*
 * Each probe sees the only buffer.  But one with RBMAP_CHECK_RECORD alone leaves the test of
 * the task to the copies.
 */
static void rbmap_hook_set_checks(struct rbmap_release *direct)
{
	struct rbmap_event_hook *hook = rbmap_hook_of(direct);

	WRITE_ONCE(hook->file.head.checks, hook->file.copies->event_file[0]->head.checks);
	rbmap_release_later(direct, rbmap_hook_end_copies, 0);
}

/* No probe uses the buffer that the hook stood for. */
static void rbmap_hook_set_buffer(struct rbmap_release *direct)
{
	struct rbmap_event_hook *hook = rbmap_hook_of(direct);

	rbmap_hook_stand_for(hook, hook->file.copies->event_file[0]);
	rbmap_release_later(direct, rbmap_hook_set_checks, 0);	/* step: sync_direct */
}

/* One buffer is left: let probes write to it directly. */
static void rbmap_hook_begin_direct(struct rbmap_event_hook *hook)
{
	list_del_init(&hook->direct.list);
	WRITE_ONCE(hook->file.head.checks, RBMAP_CHECK_RECORD);
	if (hook->nr == 1)
		rbmap_release_later(&hook->direct, rbmap_hook_set_buffer, 0);
}

/* The event files that keep addresses come first. */
static void rbmap_copies_sort(struct rbmap_event_copies *copies)
{
	unsigned int i;

	copies->nr_shown = 0;
	for (i = 0; i < copies->nr; i++) {
		if (!(copies->event_file[i]->head.addresses & RBMAP_ADDRESSES_SHOWN))
			continue;
		swap(copies->event_file[i], copies->event_file[copies->nr_shown]);
		copies->nr_shown++;
	}
}

/*
 * Let probes with RBMAP_CHECK_RECORD leave addresses in the record, if a buffer keeps them.
 * The other flag belongs to `buffer`.  A probe that sees an older flag than `copies` hashes
 * more than it must, or asks rbmap_record_wanted_shown() in vain.
 */
static void rbmap_hook_set_copied(struct rbmap_event_hook *hook, bool copied)
{
	u8 addresses = hook->file.head.addresses & RBMAP_ADDRESSES_SHOWN;

	WRITE_ONCE(hook->file.head.addresses,
		   addresses | (copied ? RBMAP_ADDRESSES_COPIED : 0));
}

/*
 * A probe that does not see this yet writes to the only buffer that it knows: the event
 * came before it was enabled in the others.
 * litmus: hook-copies
 */
static void rbmap_hook_set_copies(struct rbmap_event_hook *hook,
				  struct rbmap_event_copies *copies)
{
	if (hook->nr && !hook->only)
		rbmap_copies_replaced(hook->file.copies);
	rbmap_copies_sort(copies);
	rbmap_hook_set_copied(hook, copies->nr_shown);
	smp_store_release(&hook->file.copies, copies);
	hook->only = NULL;
	hook->nr = copies->nr;
	rbmap_hook_begin_direct(hook);
}

/* The probe is not registered any more, but may still run. */
static void rbmap_hook_clear(struct rbmap_event_hook *hook)
{
	if (!hook->only)
		rbmap_copies_replaced(hook->file.copies);
	list_del_init(&hook->direct.list);
	hook->nr = 0;
	hook->lost = rbmap_release_mark();
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

static void rbmap_hook_set_only(struct rbmap_event_hook *hook,
				struct rbmap_event_file *event_file)
{
	rbmap_hook_stand_for(hook, event_file);
	rbmap_hook_stop_copies(hook, event_file);
}

/* litmus: filter-init */
static void rbmap_hook_update_only(struct rbmap_event_hook *hook,
				   const struct rbmap_event_file *event_file)
{
	smp_store_release(&hook->file.filter, event_file->filter);
	WRITE_ONCE(hook->file.head.addresses, event_file->head.addresses);
	WRITE_ONCE(hook->file.head.checks, event_file->head.checks);
}

/*
 * The probe may still run that was unregistered a moment ago.  Do not wait for it.  If it
 * stands for another buffer, it still does so, and probes that begin now make copies for
 * one buffer.
 */
static int rbmap_hook_set_first(struct rbmap_event_hook *hook,
				struct rbmap_event_file *event_file)
{
	struct rbmap_event_copies *copies;

	if (rbmap_release_passed(hook->lost)) {
		rbmap_hook_set_only(hook, event_file);
		return 0;
	}
	if (hook->only == event_file && hook->file.preempt == event_file->preempt) {
		rbmap_hook_update_only(hook, event_file);
		return 0;
	}
	copies = kvzalloc(struct_size(copies, event_file, 2), GFP_KERNEL);
	if (!copies)
		return -ENOMEM;
	copies->nr = 1;
	copies->event_file[0] = event_file;
	rbmap_hook_set_copies(hook, copies);
	return 0;
}

static int rbmap_hook_add_first(struct rbmap_event_hook *hook,
				struct rbmap_event_file *event_file)
{
	const struct rbmap_event_type *event = event_file->event;
	int err = rbmap_hook_set_first(hook, event_file);

	if (err)
		return err;
	hook->nr = 1;
	err = event->source->attach(event, &hook->file);
	if (err)
		rbmap_hook_clear(hook);
	rbmap_release_limit();
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
	rbmap_release_limit();
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
	rbmap_release_limit();
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
	if (event->hook->nr)
		rbmap_hook_clear(event->hook);
}

/* Return true if the copies and the event file differ in whether addresses are kept. */
static bool rbmap_copies_stale(const struct rbmap_event_copies *copies,
			       const struct rbmap_event_file *event_file)
{
	bool shown = event_file->head.addresses & RBMAP_ADDRESSES_SHOWN;
	unsigned int i = 0;

	while (copies->event_file[i] != event_file)
		i++;
	return shown != (i < copies->nr_shown);
}

/**
 * rbmap_event_hook_update - let the probe know the checks and the filter of a buffer
 * @event_file: the event in the buffer, after a change of these, or of its addresses
 *
 * A hook that begins to write directly has copied them, and copies them again.
 *
 * Context: may sleep; rbmap_event_files_lock is held.
 */
void rbmap_event_hook_update(const struct rbmap_event_file *event_file)
{
	struct rbmap_event_hook *hook = event_file->event->hook;

	if (!hook || !hook->nr || !event_file->hooked)
		return;
	if (hook->only == event_file)
		rbmap_hook_update_only(hook, event_file);
	else if (rbmap_copies_stale(hook->file.copies, event_file))
		rbmap_hook_set_copies(hook, rbmap_copies_of_nofail(hook));
	else if (hook->nr == 1)
		rbmap_hook_begin_direct(hook);	/* step: again */
}
