/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions of <trace/events/sched.h> that modules cannot use. */
#ifndef RBMAP_COMPAT_SCHED_H
#define RBMAP_COMPAT_SCHED_H

#include <linux/sched.h>

/*
 * prev_state of sched_switch: one bit of the state that the task is reported
 * in, or TASK_REPORT_MAX if it was preempted, whatever its state.  Kernels give
 * (preempt, task), or (preempt, prev_state, task) because the task may be woken
 * on another CPU by now.
 */
#define __trace_sched_switch_state(preempt, args...)			\
	rbmap_switch_state(preempt, rbmap_switch_index(args))

#define rbmap_switch_index(args...)					\
	rbmap_switch_pick(args, rbmap_switch_index_given,		\
			  rbmap_switch_index_task)(args)
#define rbmap_switch_pick(one, two, index, ...)		index
/*
 * A task that dies here may be reaped by its parent on another CPU meanwhile:
 * zombie or dead, both are true.
 */
#define rbmap_switch_index_task(task)	data_race(task_state_index(task))
#define rbmap_switch_index_given(state, task)				\
	__task_state_index(state, READ_ONCE((task)->exit_state))

static __always_inline long rbmap_switch_state(bool preempt,
					       unsigned int index)
{
	if (preempt)
		return TASK_REPORT_MAX;
	return index ? 1 << (index - 1) : 0;
}

/*
 * The probe of sched_process_exit that fits this kernel: @of_task has the arguments (data,
 * task), @of_group has (data, task, group_dead).  The compiler takes the function whose type
 * <trace/events/sched.h> asks for.
 */
#define rbmap_sched_process_exit_probe(of_task, of_group)			\
	__builtin_choose_expr(__builtin_types_compatible_p(			\
		typeof(check_trace_callback_type_sched_process_exit),	\
		void (void (*)(void *, struct task_struct *))), of_task, of_group)

#endif /* RBMAP_COMPAT_SCHED_H */
