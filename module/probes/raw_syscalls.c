// SPDX-License-Identifier: GPL-2.0-only
/* System calls: number, arguments, result. */
#include <linux/sched.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>

#define RBMAP_PROBE_SET		raw_syscalls
#define RBMAP_TRACE_HEADER	"trace/events/syscalls.h"
#define RBMAP_PROBES(event)		\
	event(sys_enter)		\
	event(sys_exit)

#include "generate.h"
