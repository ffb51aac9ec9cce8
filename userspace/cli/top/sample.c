// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/complain.h"
#include "base/process.h"
#include "kernel/control.h"
#include "kernel/selfcost.h"
#include "sample.h"

/* All threads of this process, in user space and in the kernel */
static double own_seconds(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return 0;
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

bool sampler_begin(struct sampler *sampler)
{
	*sampler = (struct sampler){ .begin = now(), .own_seconds = own_seconds() };
	sampler->cpu = cpustats_read(&sampler->nr_cpus);
	return sampler->cpu;
}

void sampler_restart(struct sampler *sampler)
{
	sampler->nr_cpus = 0;
}

void sampler_end(struct sampler *sampler)
{
	free(sampler->cpu);
	sampler->cpu = NULL;
}

/* The costs of all contexts together: most events are of tasks. */
static bool read_self_cost(struct sample *sample)
{
	struct selfcost *cost = calloc(SELFCOST_CONTEXTS, sizeof(*cost)), *most = cost;
	bool ok = cost && selfcost_read(cost, sample->cpu, sample->nr_cpus);

	for (int i = 1; ok && i < SELFCOST_CONTEXTS; i++)
		if (cost[i].events > most->events)
			most = &cost[i];
	if (ok && most->events) {
		sample->measured = true;
		sample->median = selfcost_percentile(most, 50);
		sample->p99 = selfcost_percentile(most, 99);
	}
	free(cost);
	return ok;
}

bool sample_take(struct sample *sample, struct sampler *sampler, uint64_t read)
{
	double time = now(), own = own_seconds();
	uint64_t kb = 0, on = 0;
	struct cpustats *next;
	size_t nr;

	*sample = (struct sample){ .read = read, .seconds = time - sampler->begin };
	next = cpustats_read(&nr);
	if (!next)
		return false;
	sample->cpu = malloc(nr * sizeof(*next) + 1);
	if (!sample->cpu) {
		free(next);
		complain("out of memory");
		return false;
	}
	memcpy(sample->cpu, next, nr * sizeof(*next));
	sample->nr_cpus = nr;
	cpustats_subtract(sample->cpu, nr, sampler->cpu, sampler->nr_cpus);
	for (size_t i = 0; i < nr; i++)
		for (int s = 0; s < NR_CPUSTATS; s++)
			sample->sum[s] += sample->cpu[i].value[s];
	if (!control_read_u64("buffer_size_kb", &kb))
		sample->ring_bytes = kb << 10;
	if (sample->seconds > 0)
		sample->own_cpu = (own - sampler->own_seconds) / sample->seconds;
	sample->lost_before = sampler->lost;
	free(sampler->cpu);
	*sampler = (struct sampler){
		.cpu = next, .nr_cpus = nr, .begin = time, .own_seconds = own,
		.lost = sampler->lost + sample->sum[CPUSTAT_LOST],
	};
	return control_read_u64("/self_cost", &on) || !on || read_self_cost(sample);
}

void sample_free(struct sample *sample)
{
	free(sample->cpu);
	sample->cpu = NULL;
}

double sample_fill(const struct sample *sample, const struct cpustats *cpu)
{
	double fill = sample->ring_bytes ?
		      (double)cpu->value[CPUSTAT_BYTES] / sample->ring_bytes : 0;

	return fill > 1 ? 1 : fill;
}
