/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that nobody is to disturb. */
#ifndef RBMAP_COMPAT_ISOLATION_H
#define RBMAP_COMPAT_ISOLATION_H

#include <linux/sched/isolation.h>

#include "compat.h"

/*
 * Linux 6.3 (cpu_is_isolated(), "sched/isolation: Add cpu_is_isolated() API")
 * knows it itself, and isolated cpusets later.  Linux 5.18 numbered what had
 * been bits before ("sched/isolation: Use single feature type while referring
 * to housekeeping cpumask").
 */
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
