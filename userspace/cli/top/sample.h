/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of one interval: those of the kernel, and of this command itself. */
#ifndef RBMAP_CLI_SAMPLE_H
#define RBMAP_CLI_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpustats.h"

/**
 * struct sample - an interval
 * @seconds: its length
 * @read: number of events that this command read
 * @cpu: counters of each CPU, those of the interval; unread events and their bytes as they
 * are at its end
 * @sum: the sum of all CPUs
 * @ring_bytes: size of a CPU's ring
 * @own_cpu: the share of a CPU's time that this command took: 0.01 is 1 %
 * @lost_before: events that were lost before the interval, since the command began
 * @measured: the probes measure their time, and @median and @p99 are set, in ns; both are
 * of all buffers and contexts since the measurement began
 */
struct sample {
	double seconds;
	uint64_t read;
	struct cpustats *cpu;
	size_t nr_cpus;
	uint64_t sum[NR_CPUSTATS];
	uint64_t ring_bytes;
	double own_cpu;
	uint64_t lost_before;
	bool measured;
	uint64_t median, p99;
};

/* The numbers at the beginning of the interval */
struct sampler {
	struct cpustats *cpu;
	size_t nr_cpus;
	double begin;
	double own_seconds;
	uint64_t lost;
};

/* Begin the first interval. On failure, report the error and return false. */
bool sampler_begin(struct sampler *sampler);
/* A new buffer has the place of the old one: its counters count from 0 on. */
void sampler_restart(struct sampler *sampler);
void sampler_end(struct sampler *sampler);

/*
 * End an interval, in which @read events were read, and begin the next one. On failure,
 * report the error and return false.
 */
bool sample_take(struct sample *sample, struct sampler *sampler, uint64_t read);
void sample_free(struct sample *sample);

/* Return how much of a CPU's ring is unread, from 0 to 1. */
double sample_fill(const struct sample *sample, const struct cpustats *cpu);

#endif /* RBMAP_CLI_SAMPLE_H */
