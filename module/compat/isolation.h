/* SPDX-License-Identifier: GPL-2.0-only */
/* Isolated CPUs: nothing may interrupt them. */
#ifndef RBMAP_COMPAT_ISOLATION_H
#define RBMAP_COMPAT_ISOLATION_H

#include <linux/sched/isolation.h>

#include "compat.h"

/* Prefer the kernel's own function, which also knows isolated cpusets. */
static inline bool rbmap_cpu_is_isolated(int cpu)
{
#if defined(RBMAP_HAVE_CPU_IS_ISOLATED)
	return cpu_is_isolated(cpu);
#elif defined(RBMAP_HAVE_HK_TYPE)
	return !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
	       !housekeeping_test_cpu(cpu, HK_TYPE_TICK);
#else
	return !housekeeping_test_cpu(cpu, HK_FLAG_DOMAIN) ||
	       !housekeeping_test_cpu(cpu, HK_FLAG_TICK);
#endif
}

#endif /* RBMAP_COMPAT_ISOLATION_H */
