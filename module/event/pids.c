// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event_pid, set_event_notrace_pid and options/event-fork: only the events of
 * some tasks, or of all but some, and of their children.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "event.h"
#include "event_set.h"
#include "lib/log.h"
#include "pids.h"
#include "tracepoints.h"

/* Characters of a line: seven digits, the newline and a 0. */
#define RBMAP_PID_LINE	9

/**
 * rbmap_event_pids_alloc - make a set of pids
 *
 * Context: may sleep.
 * Return: an empty set, for rbmap_event_pids_set() or kvfree(); NULL: no memory.
 */
struct rbmap_pids *rbmap_event_pids_alloc(void)
{
	return kvzalloc(sizeof(struct rbmap_pids), GFP_KERNEL);
}

/* Frees what was chosen before when no probe looks at it any more. */
static void rbmap_pids_replace(struct rbmap_event_set *set,
			       enum rbmap_pids_list list,
			       struct rbmap_pids *pids)
{
	struct rbmap_pids *old;

	mutex_lock(&rbmap_event_files_lock);
	old = set->pids[list];
	/* litmus: gate-filter, gate-free */
	smp_store_release(&set->pids[list], pids);
	rbmap_event_set_update_checks(set);
	mutex_unlock(&rbmap_event_files_lock);
	if (old)
		rbmap_sync_probes();
	kvfree(old);
}

/*
 * Whoever is followed gets children meanwhile: each bit by itself.  Returns
 * false if none were chosen before.
 */
static bool rbmap_pids_add(struct rbmap_event_set *set,
			   enum rbmap_pids_list list,
			   const struct rbmap_pids *more)
{
	struct rbmap_pids *pids;
	unsigned int pid;

	mutex_lock(&rbmap_event_files_lock);
	pids = set->pids[list];
	if (pids) {
		for_each_set_bit(pid, more->bits, PID_MAX_LIMIT)
			set_bit(pid, pids->bits);
	}
	mutex_unlock(&rbmap_event_files_lock);
	return pids;
}

/**
 * rbmap_event_pids_set - choose tasks
 * @set: the buffer's
 * @list: whether only their events are recorded, or their events are not
 * @pids: the tasks, from rbmap_event_pids_alloc(), freed here; NULL: the list is not
 *	used any more
 * @add: beside those that were chosen before; @pids is not NULL
 *
 * Context: sleeps until no probe looks at those that were.
 */
void rbmap_event_pids_set(struct rbmap_event_set *set,
			  enum rbmap_pids_list list, struct rbmap_pids *pids,
			  bool add)
{
	if (add && rbmap_pids_add(set, list, pids))
		kvfree(pids);
	else
		rbmap_pids_replace(set, list, pids);
}

/**
 * rbmap_event_pids_read - which tasks are chosen
 * @set: the buffer's
 * @list: one of its lists
 * @buf: gets a line for each
 * @pos: where in the text to begin
 * @len: bytes of @buf
 *
 * Context: may sleep.
 * Return: bytes in @buf.
 */
ssize_t rbmap_event_pids_read(struct rbmap_event_set *set,
			      enum rbmap_pids_list list, char *buf, loff_t pos,
			      size_t len)
{
	const struct rbmap_pids *pids;
	size_t done = 0, skip, part;
	char line[RBMAP_PID_LINE];
	loff_t at = 0;
	unsigned int pid;

	mutex_lock(&rbmap_event_files_lock);
	pids = set->pids[list];
	if (!pids)
		goto out;
	for_each_set_bit(pid, pids->bits, PID_MAX_LIMIT) {
		size_t line_len = scnprintf(line, sizeof(line), "%u\n", pid);

		if (done == len)
			break;
		if (at + line_len > pos + done) {
			skip = pos + done - at;
			part = min(line_len - skip, len - done);
			memcpy(buf + done, line + skip, part);
			done += part;
		}
		at += line_len;
	}
out:
	mutex_unlock(&rbmap_event_files_lock);
	return done;
}

/* Called by the tracepoints, @data is the set. */

static void rbmap_pids_forked(void *data, struct task_struct *parent,
			      struct task_struct *child)
{
	struct rbmap_event_set *set = data;
	struct rbmap_pids *pids;
	int list;

	for (list = 0; list < RBMAP_NR_PIDS; list++) {
		pids = rbmap_set_pids(set, list);
		if (pids && rbmap_pids_have(pids, parent->pid))
			set_bit(child->pid, pids->bits);
	}
}

/* Another task may get the pid. */
static void rbmap_pids_freed(void *data, struct task_struct *task)
{
	struct rbmap_event_set *set = data;
	struct rbmap_pids *pids;
	int list;

	for (list = 0; list < RBMAP_NR_PIDS; list++) {
		pids = rbmap_set_pids(set, list);
		if (pids)
			clear_bit(task->pid, pids->bits);
	}
}

/* The kernel's own tracepoints, which do not go. */
static int rbmap_pids_hook(struct rbmap_event_set *set, const char *name,
			   void *probe, bool on)
{
	struct tracepoint *tp = rbmap_tracepoint_find(name);

	if (!tp)
		return -ENODEV;
	return on ? tracepoint_probe_register(tp, probe, set) :
		    tracepoint_probe_unregister(tp, probe, set);
}

static int rbmap_pids_hooks(struct rbmap_event_set *set, bool on)
{
	int err, err_freed;

	err = rbmap_pids_hook(set, "sched_process_fork", rbmap_pids_forked, on);
	if (err && on)
		return err;
	err_freed = rbmap_pids_hook(set, "sched_process_free",
				    rbmap_pids_freed, on);
	if (err_freed && on)
		rbmap_pids_hook(set, "sched_process_fork", rbmap_pids_forked,
				false);
	return err ?: err_freed;
}

/**
 * rbmap_event_pids_follow - whether children of chosen tasks are chosen, too
 * @set: the buffer's
 * @follow: yes; and tasks that end are chosen no more
 *
 * Context: sleeps.
 * Return: 0; -ENODEV: this kernel lacks the tracepoints; -ENOMEM.
 */
int rbmap_event_pids_follow(struct rbmap_event_set *set, bool follow)
{
	int err = 0;

	mutex_lock(&rbmap_event_files_lock);
	if (set->follow != follow) {
		err = rbmap_pids_hooks(set, follow);
		if (!err)
			set->follow = follow;
	}
	mutex_unlock(&rbmap_event_files_lock);
	if (err)
		rbmap_warn("options/event-fork: the kernel has no tracepoints to follow processes by: error %d\n",
			   err);
	return err;
}

/**
 * rbmap_event_pids_free - choose no tasks any more, and follow none
 * @set: the buffer's; nobody writes its files any more
 *
 * Context: sleeps until no probe looks at them.
 */
void rbmap_event_pids_free(struct rbmap_event_set *set)
{
	int list;

	rbmap_event_pids_follow(set, false);
	for (list = 0; list < RBMAP_NR_PIDS; list++)
		rbmap_pids_replace(set, list, NULL);
}
