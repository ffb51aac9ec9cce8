// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event_pid and options/event-fork: only some tasks' events, and those of
 * their children.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "control.h"
#include "event.h"
#include "event_pids.h"
#include "log.h"

/* Pids have up to seven digits. */
#define RBMAP_PID_CHARS		8

/* Adds those that are written; true if nothing else was. */
static bool rbmap_pids_parse(struct rbmap_pids *pids, const char *buf,
			     size_t len, bool *any)
{
	char word[RBMAP_PID_CHARS];
	size_t at = 0, word_len;
	unsigned int pid;

	*any = false;
	for (;;) {
		while (at < len && (isspace(buf[at]) || !buf[at]))
			at++;
		if (at == len)
			return true;
		for (word_len = 0; at < len && buf[at] && !isspace(buf[at]);
		     at++) {
			if (word_len == sizeof(word) - 1 || !isdigit(buf[at]))
				return false;
			word[word_len++] = buf[at];
		}
		word[word_len] = 0;
		if (kstrtouint(word, 10, &pid) || !pid || pid >= PID_MAX_LIMIT)
			return false;
		__set_bit(pid, pids->bits);
		*any = true;
	}
}

/* Frees what was chosen before when no probe looks at it any more. */
static void rbmap_pids_replace(struct rbmap_event_set *set,
			       struct rbmap_pids *pids)
{
	struct rbmap_pids *old;

	mutex_lock(&rbmap_targets_lock);
	old = set->pids;
	/* litmus: gate-filter, gate-free */
	smp_store_release(&set->pids, pids);
	rbmap_targets_gate(set);
	mutex_unlock(&rbmap_targets_lock);
	if (old)
		rbmap_targets_settle();
	kvfree(old);
}

/*
 * Whoever is followed gets children meanwhile: each bit by itself.  Returns
 * false if none were chosen before.
 */
static bool rbmap_pids_add(struct rbmap_event_set *set,
			   const struct rbmap_pids *more)
{
	struct rbmap_pids *pids;
	unsigned int pid;

	mutex_lock(&rbmap_targets_lock);
	pids = set->pids;
	if (pids) {
		for_each_set_bit(pid, more->bits, PID_MAX_LIMIT)
			set_bit(pid, pids->bits);
	}
	mutex_unlock(&rbmap_targets_lock);
	return pids;
}

/**
 * rbmap_event_pids_write - choose the tasks whose events are recorded
 * @set: the buffer's
 * @buf: their pids, with blanks between; none: all tasks
 * @len: its bytes
 * @add: beside those that were chosen before
 *
 * Context: sleeps until no probe looks at those that were.
 * Return: 0; -EINVAL, explained; -ENOMEM.  Then nothing has changed.
 */
int rbmap_event_pids_write(struct rbmap_event_set *set, const char *buf,
			   size_t len, bool add)
{
	struct rbmap_pids *pids = kvzalloc(sizeof(*pids), GFP_KERNEL);
	bool any;

	if (!pids)
		return -ENOMEM;
	if (!rbmap_pids_parse(pids, buf, len, &any)) {
		kvfree(pids);
		return rbmap_control_refuse("set_event_pid", buf, len,
					    "process ids with blanks between");
	}
	if (any && !(add && rbmap_pids_add(set, pids))) {
		rbmap_pids_replace(set, pids);
		return 0;
	}
	if (!any && !add)
		rbmap_pids_replace(set, NULL);
	kvfree(pids);
	return 0;
}

/**
 * rbmap_event_pids_read - which tasks' events are recorded
 * @set: the buffer's
 * @buf: gets a line for each
 * @pos: where in the text to begin
 * @len: bytes of @buf
 *
 * Context: may sleep.
 * Return: bytes in @buf.
 */
ssize_t rbmap_event_pids_read(struct rbmap_event_set *set, char *buf,
			      loff_t pos, size_t len)
{
	const struct rbmap_pids *pids;
	size_t done = 0, skip, part;
	char line[RBMAP_PID_CHARS + 1];
	loff_t at = 0;
	unsigned int pid;

	mutex_lock(&rbmap_targets_lock);
	pids = set->pids;
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
	mutex_unlock(&rbmap_targets_lock);
	return done;
}

/* Called by the tracepoints, @data is the set. */

static void rbmap_pids_forked(void *data, struct task_struct *parent,
			      struct task_struct *child)
{
	struct rbmap_event_set *set = data;
	struct rbmap_pids *pids = rbmap_set_pids(set);

	if (pids && rbmap_pids_have(pids, parent->pid))
		set_bit(child->pid, pids->bits);
}

/* Another task may get the pid. */
static void rbmap_pids_freed(void *data, struct task_struct *task)
{
	struct rbmap_event_set *set = data;
	struct rbmap_pids *pids = rbmap_set_pids(set);

	if (pids)
		clear_bit(task->pid, pids->bits);
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

	mutex_lock(&rbmap_targets_lock);
	if (set->follow != follow) {
		err = rbmap_pids_hooks(set, follow);
		if (!err)
			set->follow = follow;
	}
	mutex_unlock(&rbmap_targets_lock);
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
	rbmap_event_pids_follow(set, false);
	rbmap_pids_replace(set, NULL);
}
