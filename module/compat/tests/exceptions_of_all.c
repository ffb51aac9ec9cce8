// SPDX-License-Identifier: GPL-2.0-only
/* The page faults' tracepoints are those of all architectures. */
#include <linux/ptrace.h>
#include <trace/events/exceptions.h>
