// SPDX-License-Identifier: GPL-2.0-only
/* The kernel tells of CPUs that nobody is to disturb. */
#include <linux/sched/isolation.h>

bool isolated(int cpu)
{
	return cpu_is_isolated(cpu);
}
