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

int intervals_scan(struct intervals *intervals, const struct rbmap_event *ev, uint64_t from)
{
	struct rbmap_event_common common;

	if (!intervals->first_calls)
		intervals->first_calls = syscall_states_new();
	if (!intervals->first_calls)
		return -ENOMEM;
	return event_common(ev, &common) ? scan_call(intervals, ev, common.pid, from) : 0;
}
