// SPDX-License-Identifier: GPL-2.0-only
#include <sys/timex.h>
#include <time.h>

#include "clocks.h"
#include "message/message.h"

#define NS_PER_S	1000000000ULL

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

uint64_t clock_real(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t clock_monotonic(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

bool clock_tai(uint64_t *time)
{
	uint64_t real = clock_real();

	*time = read_clock(CLOCK_TAI);
	/* An offset of 0 seconds means that nobody has set it. */
	return *time >= real + NS_PER_S;
}

void clock_add_error(struct buf *out)
{
	struct timex t = { 0 };

	if (adjtimex(&t) >= 0 && t.maxerror >= 0)
		text_add_u64(out, "clock-error", t.maxerror * 1000ULL);
}
