/* SPDX-License-Identifier: GPL-2.0-only */
/* Read per_cpu/cpuN/stats: the counters of each CPU's ring. */
#ifndef RBMAP_KERNEL_CPUSTATS_H
#define RBMAP_KERNEL_CPUSTATS_H

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
	CPUSTAT_MISSED,
	CPUSTAT_EXCLUDED,
	CPUSTAT_DISCARDED,
	NR_CPUSTATS
};

struct cpustats {
	unsigned int cpu;
	uint64_t value[NR_CPUSTATS];
};

/*
 * Read the counters of all CPUs that have a ring, in the order of the CPUs. The
 * caller frees the array. If that fails, report the error and return NULL.
 */
struct cpustats *cpustats_read(size_t *nr);

/* Return the sum of a counter over all CPUs. On failure, report the error and return 0. */
uint64_t cpustats_sum(enum cpustat stat);

/*
 * Subtract @old from @now: the counters are then those of the time in between. Unread events
 * and their bytes are no counters, and stay.
 */
void cpustats_subtract(struct cpustats *now, size_t nr, const struct cpustats *old,
		       size_t nr_old);

/* Return the name of a counter in JSON, for example "dropped_full". */
const char *cpustat_name(enum cpustat stat);

#endif /* RBMAP_KERNEL_CPUSTATS_H */
