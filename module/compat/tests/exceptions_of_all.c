// SPDX-License-Identifier: GPL-2.0-only
/*
 * One header declares the tracepoints of page faults for all architectures.
 * Linux 6.16: 06aa9378df01 ("x86/tracing, x86/mm: Move page fault tracepoints to
 * generic")
 */
#include <linux/ptrace.h>
#include <trace/events/exceptions.h>
