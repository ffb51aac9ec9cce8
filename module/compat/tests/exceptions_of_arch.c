// SPDX-License-Identifier: GPL-2.0-only
/* The page faults' tracepoints are the architecture's. */
#include <linux/ptrace.h>
#include <asm/trace/exceptions.h>
