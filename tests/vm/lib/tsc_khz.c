// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the frequency of this machine's time-stamp counter, which emulated
 * machines use, too.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define PAUSE_NS	50000000

struct both {
	uint64_t tsc;
	uint64_t ns;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

/*
 * Read both clocks at nearly the same time: of many attempts, keep the one with
 * the shortest distance.
 */
static struct both read_both(void)
{
	struct both both = {};
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = now(), tsc = __rdtsc(), after = now();

		if (after - before >= least)
			continue;
		least = after - before;
		both.tsc = tsc;
		both.ns = before + least / 2;
	}
	return both;
}

int main(void)
{
	struct both begin = read_both(), end;

	nanosleep(&(struct timespec) { .tv_nsec = PAUSE_NS }, NULL);
	end = read_both();
	printf("%.0f\n", 1e6 * (end.tsc - begin.tsc) / (end.ns - begin.ns));
	return 0;
}
