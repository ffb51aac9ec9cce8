// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of system calls.  All of them hit the same two tracepoints, and their numbers choose
 * their events.
 */
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "compat/syscall.h"
#include "syscall_event.h"

/*
 * The acquire makes the event visible.  It is freed with the module, when no probe runs.
 * litmus: filter-init
 */
static __always_inline const struct rbmap_syscall_event *
rbmap_syscall_attached(const struct rbmap_syscall_point *point, int nr)
{
	if (unlikely((unsigned int)nr >= ARRAY_SIZE(point->event)))
		return NULL;
	return smp_load_acquire(&point->event[nr]);
}

static __always_inline void rbmap_syscall_begin(const struct rbmap_syscall_event *event,
						const struct rbmap_event_file *file,
						struct rbmap_syscall_record *record)
{
	this_cpu_inc(*event->count);
	/* With the bytes around the number, which the real-time kernel 6.1 has */
	memset(record, 0, offsetof(typeof(*record), args));
	record->nr = event->nr;
	rbmap_record_begin(&record->begin, file->id, RBMAP_SYSCALL_PREEMPT);
}

/* May an argument be an address of the kernel?  Most are no such number. */
static __always_inline bool rbmap_syscall_hides(const struct rbmap_syscall_event *event,
						const unsigned long *args)
{
	unsigned long bits = 0;
	unsigned int i;

#pragma GCC unroll 6
	for (i = 0; i < RBMAP_SYSCALL_ARGS; i++)
		bits |= args[i] & event->address[i];
	return unlikely((long)bits < 0);
}

static noinline void rbmap_syscall_record_hidden(const struct rbmap_syscall_event *event,
						 const struct rbmap_event_file *file,
						 struct rbmap_syscall_record *record)
{
	rbmap_layout_record(&event->layout, file, &record->begin, event->layout.size);
}

/* Not inline: most calls have no event, and need no memory for a record. */
static noinline void rbmap_syscall_record_enter(const struct rbmap_syscall_event *event,
						struct pt_regs *regs)
{
	const struct rbmap_event_file *file = READ_ONCE(event->file);
	struct rbmap_syscall_record record rbmap_uninitialized;

	rbmap_syscall_begin(event, file, &record);
	syscall_get_arguments(current, regs, record.args);
	if (rbmap_syscall_hides(event, record.args))
		rbmap_syscall_record_hidden(event, file, &record);
	else
		rbmap_event_record(file, &record.begin, event->layout.size);
}

static noinline void rbmap_syscall_record_exit(const struct rbmap_syscall_event *event,
					       struct pt_regs *regs)
{
	const struct rbmap_event_file *file = READ_ONCE(event->file);
	struct rbmap_syscall_record record rbmap_uninitialized;

	rbmap_syscall_begin(event, file, &record);
	record.args[0] = syscall_get_return_value(current, regs);
	rbmap_event_record(file, &record.begin, event->layout.size);
}

/**
 * rbmap_syscall_enter - handle the begin of a system call
 * @data: the struct rbmap_syscall_point
 * @regs: registers of the task
 * @id: number of the call, by which older kernels also name those of 32-bit programs
 *
 * Context: a task; preemption may be enabled.
 */
void rbmap_syscall_enter(void *data, struct pt_regs *regs, long id)
{
	const struct rbmap_syscall_event *event;

	rbmap_syscall_probe_begin();
	event = rbmap_syscall_attached(data, rbmap_syscall_nr(regs));
	if (event)
		rbmap_syscall_record_enter(event, regs);
	rbmap_syscall_probe_end();
}

/**
 * rbmap_syscall_exit - handle the end of a system call
 * @data: the struct rbmap_syscall_point
 * @regs: registers of the task
 * @ret: the result, which the registers have, too
 *
 * Context: a task; preemption may be enabled.
 */
void rbmap_syscall_exit(void *data, struct pt_regs *regs, long ret)
{
	const struct rbmap_syscall_event *event;

	rbmap_syscall_probe_begin();
	event = rbmap_syscall_attached(data, rbmap_syscall_nr(regs));
	if (event)
		rbmap_syscall_record_exit(event, regs);
	rbmap_syscall_probe_end();
}
