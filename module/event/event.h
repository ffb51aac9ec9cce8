/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of events: what each is called, how its records look, and in
 * which buffers it is recorded.
 */
#ifndef RBMAP_MODULE_EVENT_H
#define RBMAP_MODULE_EVENT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <rbmap/event.h>

#include "compat/compat.h"
#include "compat/context.h"
#include "pids.h"

struct rbmap_event_set;
struct rbmap_filter;

/**
 * struct rbmap_event_filter - what was written to a filter file
 * @list: of those that are to be freed
 * @program: what it means, or NULL: there was an error
 * @common: it looks at what all records begin with
 * @text: what the file shows
 */
struct rbmap_event_filter {
	struct list_head	list;
	struct rbmap_filter	*program;
	bool			common;
	char			text[];
};

/**
 * struct rbmap_event_file - an event in a buffer: what a probe is handed
 * @head: what probes of other modules know of it; its buffer is the set's
 * @id: the event's
 * @preempt: how often preemption is disabled between reserve and commit, on account
 *	of this event
 * @enabled: records are wanted; under rbmap_event_files_lock
 * @hooked: its probe is registered at the event's tracepoint; under the same lock.
 *	It is not while the tracepoint is awaited, or where the kernel refused
 * @event: the event
 * @pid_field: where in the record the pid is of a task that the event is about,
 *	beside the current one; 0: there is none
 * @switches: the event is the switch from the current task to that one
 * @filter: which records are wanted, or NULL: all
 * @set: the buffer's events
 * @list: the buffer's
 * @dir: the directory that shows it; of the set's operations
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
	struct rbmap_event_filter *filter;
	struct rbmap_event_set	*set;
	struct list_head	list;
	struct kobject		*dir;
};

/**
 * struct rbmap_event_set_ops - who shows a buffer's events to users
 * @show: an event has come; 0 or a negative error
 * @hide: it goes, or show() has failed: nobody is in a callback afterwards.  No
 *	callback may wait for rbmap_event_register() or
 *	rbmap_event_unregister(), which waits for this
 */
struct rbmap_event_set_ops {
	int	(*show)(struct rbmap_event_file *event_file, void *data);
	void	(*hide)(struct rbmap_event_file *event_file, void *data);
};

/**
 * struct rbmap_event_set - all events, for one buffer
 * @buffer: where their records go
 * @event_files: each
 * @pids: the tasks that each list names, or NULL: the list is not used
 * @follow: children of tasks that a list names are added to it
 * @list: the sets of all buffers
 * @ops: of who shows them; NULL: nobody does
 * @data: for @ops
 */
struct rbmap_event_set {
	struct rbmap_buffer		*buffer;
	struct list_head		event_files;
	struct rbmap_pids		*pids[RBMAP_NR_PIDS];
	bool				follow;
	struct list_head		list;
	const struct rbmap_event_set_ops *ops;
	void				*data;
};

/* Of @preempt, what the reservation does. */
#define RBMAP_RESERVE_PREEMPT	IS_ENABLED(CONFIG_PREEMPT_COUNT)

/*
 * rbmap_event_reserve() for rbmap's own probes.  The reservation has disabled
 * preemption; what the context is apart from that is looked at behind it, where it
 * need not be kept in mind while the clock is called.
 */
static __always_inline void *
rbmap_event_begin(const struct rbmap_event_file *event_file,
		  struct rbmap_reservation *resv, size_t size)
{
	struct rbmap_record *record =
		rbmap_reserve(rbmap_event_buffer(event_file), resv, size);

	if (likely(record))
		rbmap_record_begin(record, event_file->id, event_file->preempt);
	return record;
}

/*
 * For probes, which find them ready.  Whoever replaces one waits for all probes
 * before it is freed.  litmus: gate-filter, gate-free
 */
static __always_inline const struct rbmap_event_filter *
rbmap_event_file_filter(const struct rbmap_event_file *event_file)
{
	return smp_load_acquire(&event_file->filter);
}

/* litmus: gate-filter, gate-free */
static __always_inline struct rbmap_pids *
rbmap_set_pids(const struct rbmap_event_set *set, enum rbmap_pids_list list)
{
	return smp_load_acquire(&set->pids[list]);
}

static inline const char *
rbmap_event_tracepoint(const struct rbmap_event_type *event)
{
	return event->tracepoint ?: event->name;
}

#endif /* RBMAP_MODULE_EVENT_H */
