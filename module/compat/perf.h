/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf events of tracepoints. */
#ifndef RBMAP_COMPAT_PERF_H
#define RBMAP_COMPAT_PERF_H

#include <linux/kconfig.h>
#include <linux/trace_events.h>

#include "compat.h"

/*
 * The part of common_preempt_count that the tracepoint itself or, on kernels whose
 * tracepoints do not disable preemption, the probe of perf has added.  ftrace subtracts
 * the same from its own records.
 */
#define RBMAP_PERF_PREEMPT	IS_ENABLED(CONFIG_PREEMPTION)

/*
 * The same of events without a tracepoint of their own.  Before tracepoints of system calls
 * could fault, ftrace did not subtract it from the records of system calls.
 */
static inline u8 rbmap_perf_preempt(bool is_syscall)
{
#ifdef RBMAP_HAVE_TRACEPOINT_FAULTABLE
	return RBMAP_PERF_PREEMPT;
#else
	return is_syscall ? 0 : RBMAP_PERF_PREEMPT;
#endif
}

/* Has the event a record of its own for the tracepoint of another event? */
static inline bool rbmap_call_is_custom(const struct trace_event_call *call)
{
#ifdef RBMAP_HAVE_TRACE_EVENT_CUSTOM
	return call->flags & TRACE_EVENT_FL_CUSTOM;
#else
	return false;
#endif
}

/*
 * Has a process made the event (user_events)?  Only functions of such an event know its fields,
 * and its tracepoint is in no list.
 */
static inline bool rbmap_call_is_users(const struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_TRACEPOINT && call->class->get_fields;
}

/* Has somebody made the event, in tracefs or otherwise? */
static inline bool rbmap_call_is_made(const struct trace_event_call *call)
{
	if (rbmap_call_is_users(call))
		return true;
#ifdef RBMAP_HAVE_TRACE_EVENT_DYNAMIC
	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		return true;
#endif
	return call->flags & (TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE);
}

/*
 * Does the kernel hand the event to no perf event?  Older kernels warn if one asks for a
 * synthetic event, and newer ones give a perf event that hears nothing.
 */
static inline bool rbmap_call_is_silent(const struct trace_event_call *call)
{
#ifdef RBMAP_HAVE_TRACE_EVENT_EPROBE
	if (call->flags & TRACE_EVENT_FL_EPROBE)
		return true;
#endif
	return call->flags & TRACE_EVENT_FL_TRACEPOINT && !call->class->perf_probe;
}

/*
 * Does a reference of trace_get_event_file() keep the event?  Before kernels marked them,
 * nothing kept an event that somebody has made in tracefs.  A process can remove its event in
 * any case.
 */
static inline bool rbmap_call_is_held(const struct trace_event_call *call)
{
#ifdef RBMAP_HAVE_TRACE_EVENT_DYNAMIC
	return !rbmap_call_is_users(call);
#else
	return !rbmap_call_is_made(call);
#endif
}

/* Does a format file show a length such as [sizeof(struct x)] as it was written? */
#ifdef RBMAP_HAVE_TRACE_EVENT_FIELD_LEN
#define RBMAP_LENGTH_AS_WRITTEN	false
#else
#define RBMAP_LENGTH_AS_WRITTEN	true
#endif

/* count.S counts the calls of the kernel's probes. */
#if (defined(CONFIG_X86_64) || defined(CONFIG_ARM64)) && !defined(CONFIG_UML) && \
	!defined(CONFIG_CFI_CLANG) && !defined(CONFIG_CFI)
#define RBMAP_COUNTS_CALLS	1
#else
#define RBMAP_COUNTS_CALLS	0
#endif

#endif /* RBMAP_COMPAT_PERF_H */
