// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap_task:begin and rbmap_task:end: the cgroup of each task that begins or ends, and its
 * pid in its own namespace.  /proc no longer tells that of a task that has ended.
 */
#include <linux/cgroup.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/sched.h>

#include "cgroup.h"
#include "compat/cgroup.h"
#include "compat/sched.h"
#include "event/event.h"
#include "record.h"

/* Longer paths are left out, and the event has the cgroup's number alone. */
#define RBMAP_CGROUP_PATH	512

RBMAP_CLASS(task_cgroup,
	    TP_PROTO(struct task_struct *task, u64 cgroup, const char *path, pid_t ns_pid),
	    TP_ARGS(task, cgroup, path, ns_pid),
	    TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(pid_t, tgid)
		__field(pid_t, ns_pid)
		__field(u64, cgroup)
		__string(path, path)),
	    TP_fast_assign(
		__entry->pid = task->pid;
		__entry->tgid = task->tgid;
		__entry->ns_pid = ns_pid;
		__entry->cgroup = cgroup;
		__assign_str(path);),
	    TP_printk("pid=%d tgid=%d ns_pid=%d cgroup=%llu path=%s", __entry->pid,
		      __entry->tgid, __entry->ns_pid, __entry->cgroup, __get_str(path)));

static pid_t rbmap_task_ns_pid(struct task_struct *task)
{
	struct pid_namespace *ns = task_active_pid_ns(task);

	return ns ? task_pid_nr_ns(task, ns) : 0;
}

/* Without cgroups there is neither a number nor a path. */
static u64 rbmap_cgroup_of(struct task_struct *task, char *path, size_t size)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup = task_css_set_check(task, true)->dfl_cgrp;

	if (!rbmap_cgroup_path_atomic(cgroup, path, size))
		*path = 0;
	return cgroup_id(cgroup);
#else
	return 0;
#endif
}

static void rbmap_task_cgroup(void *event_file, struct task_struct *task)
{
	char path[RBMAP_CGROUP_PATH] = "";
	u64 id;

	/*
	 * Neither the cgroup nor the namespace is freed meanwhile.
	 * litmus: thread-name
	 */
	rcu_read_lock();
	id = rbmap_cgroup_of(task, path, sizeof(path));
	rbmap_probe_task_cgroup(event_file, task, id, path, rbmap_task_ns_pid(task));
	rcu_read_unlock();
}

static void rbmap_task_begins(void *event_file, struct task_struct *parent,
			      struct task_struct *child)
{
	rbmap_task_cgroup(event_file, child);
}

/*
 * The task is still in its cgroup.  sched_process_free comes a grace period later, when the
 * recording may have ended.
 */
static void __maybe_unused rbmap_task_ends(void *event_file, struct task_struct *task)
{
	rbmap_task_cgroup(event_file, task);
}

static void __maybe_unused rbmap_task_of_group_ends(void *event_file, struct task_struct *task,
						    bool group_dead)
{
	rbmap_task_cgroup(event_file, task);
}

static struct rbmap_event_type rbmap_task_begin_event = {
	.system		= "rbmap_task",
	.name		= "begin",
	.tracepoint	= "sched_process_fork",
	.fields		= rbmap_fields_task_cgroup,
	.print_fmt	= rbmap_print_task_cgroup,
	.probe		= rbmap_task_begins,
	.checks		= true,
};

static struct rbmap_event_type rbmap_task_end_event = {
	.system		= "rbmap_task",
	.name		= "end",
	.tracepoint	= "sched_process_exit",
	.fields		= rbmap_fields_task_cgroup,
	.print_fmt	= rbmap_print_task_cgroup,
	.probe		= rbmap_sched_process_exit_probe(rbmap_task_ends,
							 rbmap_task_of_group_ends),
	.checks		= true,
};

/**
 * rbmap_cgroup_probes_register - register the events of tasks and their cgroups
 *
 * Context: may sleep.
 * Return: 0 or a negative error; rbmap_events_exit() undoes what was done.
 */
int rbmap_cgroup_probes_register(void)
{
	int err;

	err = rbmap_event_register(&rbmap_task_begin_event);
	return err ?: rbmap_event_register(&rbmap_task_end_event);
}
