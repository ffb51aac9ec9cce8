// SPDX-License-Identifier: GPL-2.0-only
/* The first events of a task that tell its kind or its name are looked for. */
#include <errno.h>

#include "event_common.h"
#include "parts.h"

enum syscall_abi intervals_first_abi(const struct intervals *intervals, int pid)
{
	return intervals->first_calls ? syscall_states_first(intervals->first_calls, pid) :
					ABI_UNKNOWN;
}

bool intervals_wants_scan(const struct intervals *intervals)
{
	return intervals->wants_scan && !intervals->first_calls;
}

/* Learn the first kind of a task's system calls. */
static int scan_call(struct intervals *intervals, const struct rbmap_event *ev, int pid,
		     uint64_t from)
{
	const struct layout *layout = intervals_layout(intervals, ev);
	struct syscall_state *state;

	if (!layout || (layout->role != ROLE_SYS_ENTER && layout->role != ROLE_SYS_EXIT) ||
	    syscall_states_first(intervals->first_calls, pid) != ABI_UNKNOWN)
		return 0;
	state = syscall_states_get(intervals->first_calls, pid);
	if (!state)
		return -ENOMEM;
	intervals_learn_call(intervals, layout, ev, state);
	if (ev->ts >= from)
		syscall_states_note(intervals->first_calls, pid);
	return 0;
}

/*
 * Learn the name that a task had before the first event that names it. An earlier event than that
 * of time @from is not processed, so its new name counts.
 */
static int scan_comm(struct intervals *intervals, const struct comm_fields *fields,
		     const struct rbmap_event *ev, uint64_t from)
{
	char comm[INTERVAL_COMM_SIZE + 1] = "";
	int pid = comms_pid(fields, ev), ret;
	const char *text = "";
	bool is_old = ev->ts >= from;
	size_t size;

	if (pid <= 0 || (is_old && task_names_has_first(intervals->comms, pid)))
		return 0;
	if (is_old && fields->is_path)
		return task_names_set_first(intervals->comms, pid, "");
	size = comms_text(is_old && fields->before.size ? &fields->before : &fields->comm,
			  fields->is_path, ev, &text);
	if (!task_name_copy(intervals->hosts, pid, comm, text, size))
		return 0;
	ret = task_names_set_first(intervals->comms, pid, comm);
	return ret < 0 ? ret : task_names_set(intervals->comms, pid, comm);
}

static int scan_comms(struct intervals *intervals, const struct rbmap_event *ev, uint64_t from)
{
	const struct layout_comms *comms = layouts_comms(intervals->layouts, ev);
	int ret = 0;

	for (unsigned int i = 0; comms && i < comms->nr && ret >= 0; i++)
		ret = scan_comm(intervals, &comms->comm[i], ev, from);
	return ret < 0 ? ret : 0;
}

int intervals_scan(struct intervals *intervals, const struct rbmap_event *ev, uint64_t from)
{
	struct rbmap_event_common common;
	int ret;

	if (!intervals->first_calls)
		intervals->first_calls = syscall_states_new();
	if (!intervals->first_calls)
		return -ENOMEM;
	if (!event_common(ev, &common))
		return 0;
	ret = scan_call(intervals, ev, common.pid, from);
	return ret ? ret : scan_comms(intervals, ev, from);
}
