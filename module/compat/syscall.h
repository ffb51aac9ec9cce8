/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's tracepoints of system calls. */
#ifndef RBMAP_COMPAT_SYSCALL_H
#define RBMAP_COMPAT_SYSCALL_H

#include <linux/ftrace.h>
#include <linux/kconfig.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/syscall.h>

#include "compat.h"

/*
 * The part of common_preempt_count that ftrace leaves out: what the probe has added.  It
 * shows what older kernels' tracepoints of system calls have added.
 */
#ifdef RBMAP_HAVE_TRACEPOINT_FAULTABLE
#define RBMAP_SYSCALL_PREEMPT	IS_ENABLED(CONFIG_PREEMPTION)
#else
#define RBMAP_SYSCALL_PREEMPT	0
#endif

/* Tracepoints that may fault call their probes with preemption enabled. */
static __always_inline void rbmap_syscall_probe_begin(void)
{
#ifdef RBMAP_HAVE_TRACEPOINT_FAULTABLE
	preempt_disable_notrace();
#endif
}

static __always_inline void rbmap_syscall_probe_end(void)
{
#ifdef RBMAP_HAVE_TRACEPOINT_FAULTABLE
	preempt_enable_notrace();
#endif
}

/*
 * The number of the call, or -1 for one that ftrace leaves out, too: those of 32-bit programs
 * have numbers of their own.
 */
static __always_inline int rbmap_syscall_nr(struct pt_regs *regs)
{
#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	if (unlikely(arch_trace_is_compat_syscall(regs)))
		return -1;
#endif
	return syscall_get_nr(current, regs);
}

#endif /* RBMAP_COMPAT_SYSCALL_H */
