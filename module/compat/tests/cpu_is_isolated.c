// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel says whether a CPU is isolated.
 * Linux 6.4: a85c2257a8ac ("sched/isolation: add cpu_is_isolated() API")
 */
#include <linux/sched/isolation.h>

bool cpu_is_isolated_isolated(int cpu);
bool cpu_is_isolated_isolated(int cpu)
{
	return cpu_is_isolated(cpu);
}
