// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#ifdef CONFIG_PERF_EVENTS
#include "foreign_record.c"
#include "kernel_record.c"
#include "record_layout.c"
#include "syscall_record.c"
#endif
