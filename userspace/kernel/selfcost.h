/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse per_cpu/cpuN/self_cost: the time that rbmap's probes take. It has a
 * line for each context:
 *
 *	CONTEXT EVENTS ASTRAY MIN MAX LEAST:EVENTS...
 */
#ifndef RBMAP_KERNEL_SELFCOST_H
#define RBMAP_KERNEL_SELFCOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cpustats;

#define SELFCOST_CONTEXTS	4
#define SELFCOST_BUCKETS	128

struct selfcost {
	uint64_t events;
	uint64_t astray;
	uint64_t min;			/* in ns */
	uint64_t max;
	size_t nr;			/* number of buckets; the shortest time comes first */
	struct {
		uint64_t least;
		uint64_t events;
	} bucket[SELFCOST_BUCKETS];
};

extern const char *const selfcost_names[SELFCOST_CONTEXTS];

/*
 * Add the file of a CPU. Return false if it does not have the module's format.
 */
bool selfcost_add(struct selfcost *sum, const char *text);

/*
 * Add the files of these CPUs, of all buffers: the cost belongs to the probes, not to the
 * rings. On failure, report the error and return false.
 */
bool selfcost_read(struct selfcost *sum, const struct cpustats *cpus, size_t nr);

/* Return the time in ns that @percent of the probes did not exceed. */
uint64_t selfcost_percentile(const struct selfcost *cost, unsigned int percent);

void selfcost_print(const struct selfcost *sum, FILE *out);
void selfcost_print_json(const struct selfcost *sum, FILE *out);

#endif /* RBMAP_KERNEL_SELFCOST_H */
