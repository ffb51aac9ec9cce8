// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "call.c"
#include "tracepoint.c"
#ifdef CONFIG_PERF_EVENTS
#include "kernel_event.c"
#include "foreign_event.c"
#include "format_text.c"
#include "listeners.c"
#include "self_check.c"
#include "syscall_event.c"
#include "tracefs_text.c"
#else
#include "no_kernel_event.c"
#endif
