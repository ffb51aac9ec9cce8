// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "tracepoint.c"
#ifdef CONFIG_PERF_EVENTS
#include "kernel_event.c"
#include "holders.c"
#include "names.c"
#else
#include "no_kernel_event.c"
#endif
