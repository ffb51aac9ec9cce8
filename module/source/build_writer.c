// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#ifdef CONFIG_PERF_EVENTS
#include "kernel_record.c"
#endif
