// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests before an event is recorded: whether its task is wanted, and whether it
 * passes the event's filter.  Lists of tasks and of cgroups, and filters, may be replaced
 * at any time.  They are freed after a wait for all probes.
 */
#include <linux/cgroup.h>
#include <linux/export.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "buffer/write.h"
#include "cgroups.h"
#include "copies.h"
#include "event.h"
#include "filter/filter.h"
#include "pids.h"
#include "wanted.h"

static bool rbmap_pid_in(const struct rbmap_event_set *set,
			 enum rbmap_pids_list list, int pid, bool unused)
{
	const struct rbmap_pids *pids = rbmap_set_pids(set, list);

	return pids ? rbmap_pids_have(pids, pid) : unused;
}

/* Test whether set_event_pid lists the pid, or is not used. */
static bool rbmap_pid_chosen(const struct rbmap_event_set *set, int pid)
{
	return rbmap_pid_in(set, RBMAP_PIDS_ONLY, pid, true);
}

/* Test whether set_event_notrace_pid lists the pid. */
static bool rbmap_pid_refused(const struct rbmap_event_set *set, int pid)
{
	return rbmap_pid_in(set, RBMAP_PIDS_NOT, pid, false);
}

/*
 * The cgroup of a task changes at any time, but neither it nor its parents are freed while
 * preemption is disabled, as they are freed by RCU.
 */
static bool rbmap_cgroups_have(const struct rbmap_cgroups *cgroups,
			       const struct task_struct *task)
{
	bool have = false;
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup;
	unsigned int i;

	/* litmus: thread-name */
	preempt_disable_notrace();
	cgroup = task_css_set_check(task, true)->dfl_cgrp;
	for (i = 0; !have && i < cgroups->nr; i++)
		have = cgroup_is_descendant(cgroup, cgroups->cgroup[i]);
	preempt_enable_notrace();
#endif
	return have;
}

/* Test whether the current task is in a cgroup that set_event_cgroup lists. */
static bool rbmap_cgroup_chosen(const struct rbmap_event_set *set)
{
	const struct rbmap_cgroups *cgroups = rbmap_set_cgroups(set);

	return !cgroups || rbmap_cgroups_have(cgroups, current);
}

/* The same for another task.  A task that has ended is in no cgroup. */
static bool rbmap_cgroup_chosen_pid(const struct rbmap_event_set *set, int pid)
{
	const struct rbmap_cgroups *cgroups = rbmap_set_cgroups(set);
	const struct task_struct *task;
	bool chosen;

	if (!cgroups)
		return true;
	/* litmus: thread-name */
	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	chosen = task && rbmap_cgroups_have(cgroups, task);
	rcu_read_unlock();
	return chosen;
}

static bool rbmap_pid_wanted(const struct rbmap_event_set *set, int pid)
{
	return rbmap_pid_chosen(set, pid) && !rbmap_pid_refused(set, pid);
}

static bool rbmap_current_wanted(const struct rbmap_event_set *set)
{
	return rbmap_pid_wanted(set, current->pid) && rbmap_cgroup_chosen(set);
}

/*
 * Leave out what a thread of an excluded process causes, and count it.  An interrupt on
 * top of the thread belongs to others.
 */
static noinline bool rbmap_exclude(const struct rbmap_event_set *set)
{
	if (preempt_count() & (NMI_MASK | HARDIRQ_MASK) || in_serving_softirq())
		return false;
	return rbmap_buffer_exclude(set->buffer);
}

static bool rbmap_excluded(const struct rbmap_event_file *event_file)
{
	const struct rbmap_event_set *set = event_file->set;
	const struct rbmap_pids *pids = rbmap_set_pids(set, RBMAP_PIDS_EXCLUDED);

	return pids && unlikely(rbmap_pids_have(pids, current->tgid)) &&
	       rbmap_exclude(set);
}

/* Tested before the record is built, which is most of a probe's work. */
bool rbmap_task_wanted(const struct rbmap_event_file *event_file)
{
	u8 checks = rbmap_event_checks(event_file);

	if (checks & RBMAP_CHECK_LISTS && !event_file->pid_field &&
	    !rbmap_current_wanted(event_file->set))
		return false;
	/* An event that its filter refuses is not counted as excluded. */
	return !(checks & RBMAP_CHECK_EXCLUDED) || checks & RBMAP_CHECK_RECORD ||
	       !rbmap_excluded(event_file);
}
EXPORT_SYMBOL_GPL(rbmap_task_wanted);

/*
 * An event about two tasks is recorded if either task is wanted.  For a switch, the
 * lists are tested one by one, as in ftrace.  Either task is chosen, either task is not
 * refused, and either task is in a cgroup of the list.
 */
static bool rbmap_pids_wanted(const struct rbmap_event_file *event_file,
			      const void *fields)
{
	const struct rbmap_event_set *set = event_file->set;
	s32 pid;

	if (rbmap_current_wanted(set))
		return true;
	memcpy(&pid, fields + event_file->pid_field, sizeof(pid));
	if (!event_file->switches)
		return rbmap_pid_wanted(set, pid) && rbmap_cgroup_chosen_pid(set, pid);
	return (rbmap_pid_chosen(set, current->pid) ||
		rbmap_pid_chosen(set, pid)) &&
	       (!rbmap_pid_refused(set, current->pid) ||
		!rbmap_pid_refused(set, pid)) &&
	       (rbmap_cgroup_chosen(set) || rbmap_cgroup_chosen_pid(set, pid));
}

static noinline bool rbmap_common_wanted(const struct rbmap_event_file *event_file,
					 struct rbmap_record *fields,
					 const void *record, size_t size,
					 const struct rbmap_filter *program)
{
	/*
	 * No event has the id 0: a record with an id was filled in when it was
	 * reserved.
	 */
	if (!fields->common.type)
		rbmap_record_begin(fields, event_file->id,
				   event_file->preempt - RBMAP_RESERVE_PREEMPT);
	return rbmap_filter_match(program, fields, record, size);
}

static __always_inline bool
rbmap_filter_wanted(const struct rbmap_event_file *event_file, void *fields,
		    const void *record, size_t size)
{
	const struct rbmap_event_filter *filter = rbmap_event_file_filter(event_file);

	if (!filter || !filter->program)
		return true;
	if (filter->common)
		return rbmap_common_wanted(event_file, fields, record, size,
					   filter->program);
	return rbmap_filter_match(filter->program, fields, record, size);
}

/* An event that selects tasks as well. */
static noinline bool rbmap_both_wanted(const struct rbmap_event_file *event_file,
				       void *fields, const void *record,
				       size_t size)
{
	u8 checks = rbmap_event_checks(event_file);

	if (checks & RBMAP_CHECK_LISTS && event_file->pid_field &&
	    !rbmap_pids_wanted(event_file, fields))
		return false;
	return rbmap_filter_wanted(event_file, fields, record, size) &&
	       !(checks & RBMAP_CHECK_EXCLUDED && rbmap_excluded(event_file));
}

static __always_inline bool
rbmap_record_wanted_here(const struct rbmap_event_file *event_file, void *fields,
			 const void *record, size_t size)
{
	if (unlikely(rb_read_plain(event_file->head.checks) & RBMAP_CHECK_TASK))
		return rbmap_both_wanted(event_file, fields, record, size);
	return rbmap_filter_wanted(event_file, fields, record, size);
}

/*
 * The test of tasks and the copies are tail calls.  Otherwise registers would be saved
 * for each event.
 */
bool rbmap_record_wanted(const struct rbmap_event_file *event_file, void *fields,
			 const void *record, size_t size)
{
	/* A compare with memory is an instruction less. */
	if (unlikely(data_race(event_file->copies))) {
		const struct rbmap_event_copies *copies = rbmap_event_file_copies(event_file);

		if (copies)
			return rbmap_copies_write(copies, fields, size);
	}
	return rbmap_record_wanted_here(event_file, fields, record, size);
}
EXPORT_SYMBOL_GPL(rbmap_record_wanted);

/*
 * Addresses are kept only in the records of buffers that show them.  The flags of @event_file
 * may be older or newer than its copies, so they are read again.  Without copies `buffer` gets
 * the record, and the flag RBMAP_ADDRESSES_SHOWN belongs to that buffer.
 */
static noinline bool
rbmap_shown_wanted(const struct rbmap_event_file *event_file, void *fields,
		   const void *record, size_t size, rbmap_hide_fn *hide, const void *data)
{
	if (!(rbmap_event_addresses(event_file) & RBMAP_ADDRESSES_SHOWN))
		hide(data, fields, size);
	return rbmap_record_wanted_here(event_file, fields, record, size);
}

bool rbmap_record_wanted_shown(const struct rbmap_event_file *event_file, void *fields,
			       const void *record, size_t size, rbmap_hide_fn *hide,
			       const void *data)
{
	const struct rbmap_event_copies *copies = rbmap_event_file_copies(event_file);
	struct rbmap_record *common = fields;

	if (!copies)
		return rbmap_shown_wanted(event_file, fields, record, size, hide, data);
	rbmap_record_begin(common, copies->event_file[0]->id,
			   copies->event_file[0]->preempt - RBMAP_RESERVE_PREEMPT);
	rbmap_copies_write_shown(copies, common, size, hide, data);
	return false;
}
EXPORT_SYMBOL_GPL(rbmap_record_wanted_shown);

/**
 * rbmap_whole_wanted_shown - rbmap_whole_wanted() for a record with addresses
 * @event_file: the same as for rbmap_whole_wanted(); it may have no checks
 * @record: the same; the addresses are hashed afterwards, unless the buffer keeps them
 * @size: the same
 * @hide: hashes the addresses in @record
 * @data: first argument of @hide
 *
 * Context: the same.
 * Return: the same.
 */
bool rbmap_whole_wanted_shown(const struct rbmap_event_file *event_file,
			      struct rbmap_record *record, size_t size,
			      rbmap_hide_fn *hide, const void *data)
{
	const struct rbmap_event_copies *copies;
	u8 checks = rbmap_event_checks(event_file);

	if (checks & RBMAP_CHECK_TASK && !rbmap_task_wanted(event_file))
		return false;
	copies = checks & RBMAP_CHECK_RECORD ? rbmap_event_file_copies(event_file) : NULL;
	if (copies) {
		rbmap_copies_write_shown(copies, record, size, hide, data);
		return false;
	}
	if (!(rbmap_event_addresses(event_file) & RBMAP_ADDRESSES_SHOWN))
		hide(data, record, size);
	return !(checks & RBMAP_CHECK_RECORD) ||
	       rbmap_record_wanted_here(event_file, record, record, size);
}

/**
 * rbmap_whole_wanted - does the buffer of a source's event want a whole record?
 * @event_file: the event in the buffer, which has checks
 * @record: the record, with its common fields
 * @size: bytes of the record
 *
 * Context: any, including NMI, in the context of the event.
 * Return: false: do not record the event, because it is not wanted, or because all
 * buffers that want it have a copy.
 */
bool rbmap_whole_wanted(const struct rbmap_event_file *event_file,
			struct rbmap_record *record, size_t size)
{
	const struct rbmap_event_copies *copies;
	u8 checks = rbmap_event_checks(event_file);

	if (checks & RBMAP_CHECK_TASK && !rbmap_task_wanted(event_file))
		return false;
	if (!(checks & RBMAP_CHECK_RECORD))
		return true;
	copies = rbmap_event_file_copies(event_file);
	if (copies) {
		rbmap_copies_write_filled(copies, record, size);
		return false;
	}
	return rbmap_record_wanted_here(event_file, record, record, size);
}
