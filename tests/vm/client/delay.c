// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "client.h"
#include "delay.h"
#include "tap.h"

#define NAP_NS		20000
#define ROUNDS		4

#define WARM_NAPS	5

static atomic_bool napping, warm;

/* Return the longest delay of a task that should run at once, in ns. */
static void *nap_often(void *longest)
{
	struct sched_param priority = { .sched_priority = 50 };
	uint64_t begin, delay, *max = longest;
	struct timespec nap = { .tv_nsec = NAP_NS };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority))
		bail_out("SCHED_FIFO is refused");
	/* The first ones wait for pages of this thread. */
	for (int i = 0; i < WARM_NAPS; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	atomic_store(&warm, true);
	while (atomic_load(&napping)) {
		begin = now();
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		delay = now() - begin - NAP_NS;
		if (delay > *max)
			*max = delay;
	}
	return NULL;
}

/* Return the longest delay during @act. */
static uint64_t delay_in_round(void (*act)(void))
{
	uint64_t longest = 0;
	pthread_t napper;

	atomic_store(&napping, true);
	atomic_store(&warm, false);
	if (pthread_create(&napper, NULL, nap_often, &longest))
		bail_out("no thread");
	while (!atomic_load(&warm))
		sched_yield();
	act();
	atomic_store(&napping, false);
	pthread_join(napper, NULL);
	return longest;
}

uint64_t delay_of(void (*before)(void), void (*act)(void))
{
	uint64_t shortest = UINT64_MAX, delay;

	for (int i = 0; i < ROUNDS; i++) {
		if (before)
			before();
		delay = delay_in_round(act);
		diag("%" PRIu64 " instructions", delay);
		if (delay < shortest)
			shortest = delay;
	}
	return shortest;
}
