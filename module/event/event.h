/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of events: the name and the record layout of each event, and the
 * buffers in which it is recorded.
 */
#ifndef RBMAP_MODULE_EVENT_H
#define RBMAP_MODULE_EVENT_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <rbmap/event.h>

#include "cgroups.h"
#include "compat/compat.h"
#include "compat/context.h"
#include "pids.h"
#include "release.h"

struct rbmap_event_copies;
struct rbmap_event_set;
struct rbmap_filter;

/**
 * struct rbmap_event_filter - the text written to a filter file, and its meaning
 * @list: entry in a list of filters of a system
 * @release: frees a filter that was replaced
 * @program: the compiled filter, or NULL after an error
 * @common: whether the filter uses the members that all records start with
 * @text: text that the file shows
 */
struct rbmap_event_filter {
	struct list_head	list;
	struct rbmap_release	release;
	struct rbmap_filter	*program;
	bool			common;
	char			text[];
};

/**
 * struct rbmap_event_file - an event in a buffer: the data of a probe
 * @head: part that probes of other modules know; its buffer is the set's
 * @id: the event's number
 * @preempt: how often preemption is disabled between reserve and commit because of
 *	this event
 * @enabled: whether records are wanted; under rbmap_event_files_lock
 * @hooked: whether the probe is registered at the event's tracepoint; under the same
 *	lock.  It is not while the event waits for its tracepoint, or if the kernel
 *	refused the probe
 * @event: the event
 * @pid_field: offset in the record of the pid of another task that the event is
 *	about; 0 if there is none
 * @by_task: whether the current task alone has caused the event, unless it is in an
 *	interrupt
 * @switches: whether the event is the switch from the current task to that other
 *	task
 * @filter: filter of the records, or NULL if all are wanted
 * @copies: event files that get a copy of each record; NULL: only this one.  Only the
 *	file of a struct rbmap_event_hook has copies
 * @missed: for each CPU, how many events the kernel had missed when the probe was
 *	attached; NULL if it misses none.  Under rbmap_event_files_lock
 * @missing: whether @missed is to be subtracted: the probe is attached, or was since
 * @ended: adds the missed events to those of the set, when a detached probe runs no more
 * @set: all events of the buffer
 * @list: entry in the list of the buffer's events
 * @named: entry in the table of the buffer's events by name
 * @dir: directory that shows the event; used by the set's operations
 */
struct rbmap_event_file {
	struct rbmap_event_head	head;
	unsigned int		preempt;
	u16			id;
	bool			enabled;
	bool			hooked;
	const struct rbmap_event_type *event;
	u16			pid_field;
	bool			switches;
	bool			by_task;
	struct rbmap_event_filter *filter;
	struct rbmap_event_copies *copies;
	u64 __percpu		*missed;
	bool			missing;
	struct rbmap_release	ended;
	struct rbmap_event_set	*set;
	struct list_head	list;
	struct hlist_node	named;
	struct kobject		*dir;
};

/**
 * struct rbmap_event_set_ops - operations that show a buffer's events to users
 * @show: called for a new event; returns 0 or a negative error
 * @hide: called when an event is removed, or show() has failed.  No callback of the
 *	event's files runs when this returns.  No such callback may wait for
 *	rbmap_event_register() or rbmap_event_unregister(), which wait for hide()
 */
struct rbmap_event_set_ops {
	int	(*show)(struct rbmap_event_file *event_file, void *data);
	void	(*hide)(struct rbmap_event_file *event_file, void *data);
};

/* All events of a kernel are some 1600, and a buffer has a hundred without demand. */
#define RBMAP_EVENT_SET_BITS	7

/**
 * struct rbmap_event_set - all events, for one buffer
 * @buffer: buffer that gets the records
 * @event_files: event file of each event
 * @named: the same, by the names of the events
 * @removed: event files of a hidden set, which probes may still use
 * @missed: for each CPU, events that the kernel missed while the buffer recorded them,
 *	without those of events that are recorded now; NULL if it cannot miss any
 * @pids: tasks of each list, or NULL if the list is not used
 * @cgroups: only tasks in these cgroups are recorded; NULL: all tasks are
 * @follow: whether children of listed tasks are added to the list
 * @list: entry in the list of the sets of all buffers
 * @ops: operations that show the events; NULL if the set is not shown
 * @data: argument of @ops
 */
struct rbmap_event_set {
	struct rbmap_buffer		*buffer;
	struct list_head		event_files;
	DECLARE_HASHTABLE(named, RBMAP_EVENT_SET_BITS);
	struct list_head		removed;
	u64 __percpu			*missed;
	struct rbmap_pids		*pids[RBMAP_NR_PIDS];
	struct rbmap_cgroups		*cgroups;
	bool				follow;
	struct list_head		list;
	const struct rbmap_event_set_ops *ops;
	void				*data;
};

/*
 * Checks that only this module knows, beside RBMAP_CHECK_TASK: whether the lists of tasks
 * or of cgroups are used, and whether processes are excluded.
 */
#define RBMAP_CHECK_LISTS	4
#define RBMAP_CHECK_EXCLUDED	8

/* The part of @preempt that the reservation adds. */
#define RBMAP_RESERVE_PREEMPT	IS_ENABLED(CONFIG_PREEMPT_COUNT)

/*
 * rbmap_event_reserve() for rbmap's own probes.  The reservation has disabled
 * preemption, which @preempt accounts for.  The rest of the context is read after
 * the reservation, so that no register must hold it across the call of the clock.
 */
static __always_inline void *
rbmap_event_begin(const struct rbmap_event_file *event_file,
		  struct rbmap_reservation *resv, size_t size)
{
	struct rbmap_record *record =
		rbmap_reserve_in(rbmap_event_rings(event_file), resv, size);

	if (likely(record))
		rbmap_record_begin(record, event_file->id, event_file->preempt);
	return record;
}

/*
 * The acquire makes the content of the filter visible to probes.  A caller that
 * replaces the filter waits for all probes before freeing it.
 * litmus: filter-init, filter-free
 */
static __always_inline const struct rbmap_event_filter *
rbmap_event_file_filter(const struct rbmap_event_file *event_file)
{
	return smp_load_acquire(&event_file->filter);
}

/* litmus: hook-copies */
static __always_inline const struct rbmap_event_copies *
rbmap_event_file_copies(const struct rbmap_event_file *event_file)
{
	return smp_load_acquire(&event_file->copies);
}

/* litmus: filter-init, filter-free */
static __always_inline struct rbmap_pids *
rbmap_set_pids(const struct rbmap_event_set *set, enum rbmap_pids_list list)
{
	return smp_load_acquire(&set->pids[list]);
}

/* litmus: filter-init, filter-free */
static __always_inline struct rbmap_cgroups *
rbmap_set_cgroups(const struct rbmap_event_set *set)
{
	return smp_load_acquire(&set->cgroups);
}

static inline const char *
rbmap_event_tracepoint(const struct rbmap_event_type *event)
{
	return event->tracepoint ?: event->name;
}

#endif /* RBMAP_MODULE_EVENT_H */
