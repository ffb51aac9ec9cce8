// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rbmap.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "common/control.h"
#include "moment.h"

#define NSEC_PER_SEC	1000000000ULL
#define TRIES		5

static uint64_t read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* The kernel prints the time of the clock local in whole microseconds. */
static bool read_local(uint64_t *value)
{
	int cpu = sched_getcpu();
	uint64_t us;

	if (cpu < 0 || control_cpu_time(cpu, "now ts", &us))
		return false;
	*value = us * 1000 + 500;
	return true;
}

static bool read_ring(int clock, uint64_t *value)
{
	switch (clock) {
	case RBMAP_CLOCK_MONO:
		*value = read_ns(CLOCK_MONOTONIC);
		return true;
	case RBMAP_CLOCK_BOOT:
		*value = read_ns(CLOCK_BOOTTIME);
		return true;
	case RBMAP_CLOCK_LOCAL:
		return read_local(value);
#ifdef __x86_64__
	case RBMAP_CLOCK_X86_TSC:
		*value = __rdtsc();
		return true;
#endif
	}
	return false;
}

int moment_clock(void)
{
	char *text = control_read("trace_clock");
	int clock = text ? control_clock_of(text) : -1;

	free(text);
	return clock;
}

/* Read the ring's clock between two looks at the others. */
static bool look(struct dat_moment *m, int clock)
{
	uint64_t real = read_ns(CLOCK_REALTIME), boot = read_ns(CLOCK_BOOTTIME), after;

	if (!read_ring(clock, &m->ring))
		return false;
	after = read_ns(CLOCK_BOOTTIME);
	m->error = (after - boot) / 2;
	m->boot = boot + m->error;
	m->real = real + m->error;
	if (clock == RBMAP_CLOCK_LOCAL)
		m->error += 500;
	return true;
}

void moment_take(struct dat_moment *moment, int clock)
{
	struct timex timex = { 0 };
	struct dat_moment m = { 0 };

	*moment = m;
	/* An interrupt in between makes a look inexact: keep the best one. */
	for (int i = 0; i < TRIES && look(&m, clock); i++)
		if (!moment->real || m.error < moment->error)
			*moment = m;
	if (moment->real && adjtimex(&timex) >= 0)
		moment->tai_offset = timex.tai;
}
