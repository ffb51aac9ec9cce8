/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * per_cpu/cpuN/stats: what each CPU's ring has written, and lost.
 */
#ifndef RBMAP_CLI_CPUSTATS_H
#define RBMAP_CLI_CPUSTATS_H

#include <stddef.h>
#include <stdint.h>

enum cpustat {
	CPUSTAT_EMITTED,
	CPUSTAT_READ,
	CPUSTAT_UNREAD,
	CPUSTAT_BYTES,
	CPUSTAT_LOST,
	CPUSTAT_OVERRUN,
	CPUSTAT_FULL,
	CPUSTAT_LAPPED,
	CPUSTAT_NESTED,
	CPUSTAT_TOO_LARGE,
	CPUSTAT_EXPIRED,
	CPUSTAT_NO_RING,
	CPUSTAT_DISABLED,
	NR_CPUSTATS
};

struct cpustats {
	unsigned int cpu;
	uint64_t value[NR_CPUSTATS];
};

/* Those of all CPUs that have a ring, by CPU; complains, NULL.  Freed by free(). */
struct cpustats *cpustats_read(size_t *nr);

/* As JSON says it: "dropped_full". */
const char *cpustat_name(enum cpustat stat);

#endif /* RBMAP_CLI_CPUSTATS_H */
