// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event_pid, set_event_notrace_pid and options/event-fork: record only the
 * events of listed tasks, or of all other tasks, and follow their children.
 * exclude_process: leave out what listed processes cause.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "event.h"
#include "event_set.h"
#include "lib/log.h"
#include "pids.h"
#include "release.h"
#include "source.h"

/* Characters of a line: seven digits, the newline and a 0 byte. */
#define RBMAP_PID_LINE	9

/* Bits of a small set, which has a page. */
#define RBMAP_PIDS_FEW	((PAGE_SIZE - sizeof(struct rbmap_pids)) / sizeof(long) * BITS_PER_LONG)

static size_t rbmap_pids_size(unsigned int limit)
{
	return sizeof(struct rbmap_pids) + BITS_TO_LONGS(limit) * sizeof(long);
}

static struct rbmap_pids *rbmap_pids_alloc(unsigned int limit)
{
	struct rbmap_pids *pids = kvzalloc(rbmap_pids_size(limit), GFP_KERNEL);

	if (pids)
		pids->limit = limit;
	return pids;
}

/**
 * rbmap_event_pids_alloc - allocate a set of pids
 * @list: the list that the set is for.  Excluded processes are few, and no children are
 *	added: their set has a page in place of a megabyte, which a recorder would wait for
 *
 * Context: may sleep.
 * Return: an empty set, for rbmap_event_pids_set() or kvfree(); NULL without memory.
 */
struct rbmap_pids *rbmap_event_pids_alloc(enum rbmap_pids_list list)
{
	return rbmap_pids_alloc(list == RBMAP_PIDS_EXCLUDED ? RBMAP_PIDS_FEW : PID_MAX_LIMIT);
}

/* Return a copy with @limit bits, no fewer than @pids has; NULL: no memory. */
static struct rbmap_pids *rbmap_pids_copy(const struct rbmap_pids *pids, unsigned int limit)
{
	struct rbmap_pids *copy = rbmap_pids_alloc(limit);

	if (copy)
		bitmap_copy(copy->bits, pids->bits, pids->limit);
	return copy;
}

/* Return a copy with @limit bits, and free @pids; NULL: no memory, and @pids is unchanged. */
static struct rbmap_pids *rbmap_pids_enlarge(struct rbmap_pids *pids, unsigned int limit)
{
	struct rbmap_pids *larger = rbmap_pids_copy(pids, limit);

	if (larger)
		kvfree(pids);
	return larger;
}

/**
 * rbmap_event_pids_put - put a pid into a set that nobody else has
 * @pids: the set, which a larger one may replace
 * @pid: a number below PID_MAX_LIMIT
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_event_pids_put(struct rbmap_pids **pids, unsigned int pid)
{
	if (pid >= (*pids)->limit) {
		struct rbmap_pids *larger = rbmap_pids_enlarge(*pids, roundup_pow_of_two(pid + 1));

		if (!larger)
			return -ENOMEM;
		*pids = larger;
	}
	__set_bit(pid, (*pids)->bits);
	return 0;
}

/*
 * Tracepoints with these beginnings are about the whole machine, in whichever task they
 * are hit.  A task switches to others, and issues the block requests of others, starts
 * their timers, and queues their work.  Without such an event the other half of a pair
 * would be alone.  The requests pass through a driver, and a switch changes loads.  Another CPU
 * runs a function in an interrupt.  One that a task runs on its own CPU (csd_function_*) is its
 * own: each patch of the kernel's code is such a function, and a recorder makes thousands.
 */
static const char *const rbmap_machine_tracepoints[] = {
	"sched_", "pelt_", "rcu_", "irq_", "softirq_", "tasklet_", "ipi_", "csd_queue_",
	"timer_", "hrtimer_", "tick_", "cpu_", "workqueue_", "block_", "scsi_", "nvme_", "ata_",
	"mmc_", "net_", "netif_", "napi_",
};

/**
 * rbmap_event_by_task - test whether the current task alone causes an event
 * @event: the event
 *
 * Its system calls and page faults are examples.  In an interrupt the same event is not
 * the task's.
 *
 * Return: whether exclude_process applies to the event.
 */
bool rbmap_event_by_task(const struct rbmap_event_type *event)
{
	const char *tracepoint = rbmap_event_tracepoint(event);
	int i;

	if (event->apart)
		return false;
	for (i = 0; i < ARRAY_SIZE(rbmap_machine_tracepoints); i++) {
		if (strstarts(tracepoint, rbmap_machine_tracepoints[i]))
			return false;
	}
	return true;
}

static void rbmap_pids_released(struct rbmap_release *release)
{
	kvfree(container_of(release, struct rbmap_pids, release));
}

/* The previous set is freed when no probe uses it any more. */
static void rbmap_pids_exchange(struct rbmap_event_set *set,
				enum rbmap_pids_list list, struct rbmap_pids *pids)
{
	struct rbmap_pids *old = set->pids[list];

	lockdep_assert_held(&rbmap_event_files_lock);
	/* litmus: filter-init, filter-free */
	smp_store_release(&set->pids[list], pids);
	rbmap_event_set_update_checks(set);
	if (old)	/* step: later */
		rbmap_release_later(&old->release, rbmap_pids_released,
				    rbmap_pids_size(old->limit));
	rbmap_release_limit();
}

/*
 * Set each bit atomically: children of followed tasks are added concurrently.
 * Return false if the list was not used before, or has too few bits.
 */
static bool rbmap_pids_add(struct rbmap_pids *pids, const struct rbmap_pids *more)
{
	unsigned long last = find_last_bit(more->bits, more->limit);
	unsigned int pid;

	if (!pids || (last < more->limit && last >= pids->limit))
		return false;
	for_each_set_bit(pid, more->bits, more->limit)
		set_bit(pid, pids->bits);
	return true;
}

/*
 * While children are followed, a probe clears the bits of tasks that end.  A set that is
 * replaced by a larger one meanwhile would lose that, so all sets are large then.
 */
static struct rbmap_pids *rbmap_pids_enlarge_followed(const struct rbmap_event_set *set,
						      struct rbmap_pids *pids)
{
	if (!pids || !set->follow || pids->limit == PID_MAX_LIMIT)
		return pids;
	return rbmap_pids_enlarge(pids, PID_MAX_LIMIT);
}

/* Return the set that is to be freed, or an error. */
static struct rbmap_pids *rbmap_pids_set_locked(struct rbmap_event_set *set,
						enum rbmap_pids_list list,
						struct rbmap_pids *pids, bool add)
{
	struct rbmap_pids *listed = set->pids[list], *more = pids;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (add && rbmap_pids_add(listed, more))
		return more;
	more = rbmap_pids_enlarge_followed(set, pids);
	if (pids && !more) {
		kvfree(pids);
		return ERR_PTR(-ENOMEM);
	}
	if (add && listed)
		bitmap_or(more->bits, more->bits, listed->bits, listed->limit);
	rbmap_pids_exchange(set, list, more);
	return NULL;
}

/**
 * rbmap_event_pids_set - set the tasks of a list
 * @set: the buffer's set
 * @list: the list
 * @pids: the tasks, from rbmap_event_pids_alloc(), freed here; NULL to stop using
 *	the list
 * @add: whether to add @pids, which is not NULL then, to the list
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_event_pids_set(struct rbmap_event_set *set,
			 enum rbmap_pids_list list, struct rbmap_pids *pids,
			 bool add)
{
	mutex_lock(&rbmap_event_files_lock);
	pids = rbmap_pids_set_locked(set, list, pids, add);
	mutex_unlock(&rbmap_event_files_lock);
	if (IS_ERR(pids))
		return PTR_ERR(pids);
	kvfree(pids);
	return 0;
}

/**
 * rbmap_event_pids_remove - remove tasks from a list
 * @set: the buffer's set
 * @list: the list.  It is not used any more if it is empty then
 * @pids: the tasks, from rbmap_event_pids_alloc(), freed here
 *
 * Context: may sleep.
 */
void rbmap_event_pids_remove(struct rbmap_event_set *set,
			     enum rbmap_pids_list list, struct rbmap_pids *pids)
{
	struct rbmap_pids *listed;
	unsigned int pid;

	mutex_lock(&rbmap_event_files_lock);
	listed = set->pids[list];
	if (listed) {
		for_each_set_bit(pid, pids->bits, min(pids->limit, listed->limit))
			clear_bit(pid, listed->bits);
		if (bitmap_empty(listed->bits, listed->limit))
			rbmap_pids_exchange(set, list, NULL);
	}
	mutex_unlock(&rbmap_event_files_lock);
	kvfree(pids);
}

/**
 * rbmap_event_pids_read - get the tasks of a list as text
 * @set: the buffer's set
 * @list: the list
 * @buf: buffer for the text, with a line for each task
 * @pos: offset in the text to start at
 * @len: bytes at @buf
 *
 * Context: may sleep.
 * Return: number of bytes written to @buf.
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
	for_each_set_bit(pid, pids->bits, pids->limit) {
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

/* The probes; @data is the set. */

static void rbmap_pids_forked(void *data, struct task_struct *parent,
			      struct task_struct *child)
{
	struct rbmap_event_set *set = data;
	struct rbmap_pids *pids;
	int list;

	for (list = 0; list < RBMAP_NR_PIDS; list++) {
		/* A process stands for all its threads, the new ones included. */
		if (list == RBMAP_PIDS_EXCLUDED)
			continue;
		pids = rbmap_set_pids(set, list);
		if (pids && rbmap_pids_have(pids, parent->pid))
			set_bit(child->pid, pids->bits);
	}
}

/* Another task may get the pid later. */
static void rbmap_pids_freed(void *data, struct task_struct *task)
{
	struct rbmap_event_set *set = data;
	struct rbmap_pids *pids;
	int list;

	for (list = 0; list < RBMAP_NR_PIDS; list++) {
		pids = rbmap_set_pids(set, list);
		if (pids && rbmap_pids_have(pids, task->pid))
			clear_bit(task->pid, pids->bits);
	}
}

/* The kernel itself has these tracepoints, so that they are never freed. */
static struct rbmap_event_type rbmap_pids_fork_event = {
	.name	= "sched_process_fork",
	.probe	= rbmap_pids_forked,
};

static struct rbmap_event_type rbmap_pids_free_event = {
	.name	= "sched_process_free",
	.probe	= rbmap_pids_freed,
};

static int rbmap_pids_hook(struct rbmap_event_set *set,
			   struct rbmap_event_type *event, bool on)
{
	if (rbmap_tracepoint_source.find(event))
		return -ENODEV;
	return on ? rbmap_tracepoint_source.attach(event, set) :
		    rbmap_tracepoint_source.detach(event, set);
}

/* Give each list all bits, before a probe changes one. */
static int rbmap_pids_prepare(struct rbmap_event_set *set)
{
	struct rbmap_pids *listed = set->pids[RBMAP_PIDS_EXCLUDED], *larger;

	if (!listed || listed->limit == PID_MAX_LIMIT)
		return 0;
	larger = rbmap_pids_copy(listed, PID_MAX_LIMIT);
	if (!larger)
		return -ENOMEM;
	rbmap_pids_exchange(set, RBMAP_PIDS_EXCLUDED, larger);
	return 0;
}

static int rbmap_pids_hooks(struct rbmap_event_set *set, bool on)
{
	int err = on ? rbmap_pids_prepare(set) : 0, err_freed;

	if (err)
		return err;

	err = rbmap_pids_hook(set, &rbmap_pids_fork_event, on);
	if (err && on)
		return err;
	err_freed = rbmap_pids_hook(set, &rbmap_pids_free_event, on);
	if (err_freed && on)
		rbmap_pids_hook(set, &rbmap_pids_fork_event, false);
	return err ?: err_freed;
}

/**
 * rbmap_event_pids_follow - set whether children of listed tasks are listed, too
 * @set: the buffer's set
 * @follow: whether to follow; tasks that end are then removed from the lists
 *
 * Context: sleeps.
 * Return: 0; -ENODEV if this kernel lacks the tracepoints; -ENOMEM.
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
		rbmap_warn("options/event-fork: cannot use the tracepoints of fork and exit: error %d\n",
			   err);
	return err;
}

/**
 * rbmap_event_pids_free - free the lists
 * @set: the buffer's set, which follows no tasks, and which no probe uses
 */
void rbmap_event_pids_free(struct rbmap_event_set *set)
{
	int list;

	for (list = 0; list < RBMAP_NR_PIDS; list++)
		kvfree(set->pids[list]);
}
