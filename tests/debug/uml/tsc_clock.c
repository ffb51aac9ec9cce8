// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processor's time-stamp counter as sched_clock() for User Mode Linux,
 * which would use jiffies. The arithmetic is that of x86. tests/vm/run sets
 * tsc_early_khz=, as kernels for x86 do.
 */
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>

#define SHIFT	22

static u32 mult __read_mostly;
static u64 base __read_mostly;

static __always_inline u64 counter(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return (u64)high << 32 | low;
}

notrace unsigned long long sched_clock(void)
{
	if (likely(mult))
		return mul_u64_u32_shr(counter() - base, mult, SHIFT);
	return (unsigned long long)(jiffies - INITIAL_JIFFIES) * TICK_NSEC;
}

static int __init set_khz(char *text)
{
	unsigned long khz;

	if (kstrtoul(text, 0, &khz) || !khz)
		return 0;
	base = counter();
	mult = div64_ul((u64)NSEC_PER_MSEC << SHIFT, khz);
	return 1;
}
__setup("tsc_early_khz=", set_khz);
