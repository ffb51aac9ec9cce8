/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The local clock, which is sched_clock().  Where that is the time-stamp counter in
 * nanoseconds, the writer computes it in place.  module/lib/local_clock.c proves that both
 * are the same, and watches that they stay so.
 */
#ifndef RBMAP_RING_LOCAL_CLOCK_H
#define RBMAP_RING_LOCAL_CLOCK_H

#include <linux/compiler.h>
#include <linux/sched/clock.h>
#include <linux/types.h>
#include <rbmap/ring/rare.h>

/* User Mode Linux has no CONFIG_X86. */
#if defined(CONFIG_X86) && defined(CONFIG_X86_64)
#define RBMAP_HAS_TSC_SCALE
#include <linux/jump_label.h>

/**
 * struct rbmap_tsc_scale - how the kernel makes nanoseconds of the time-stamp counter
 * @offset: nanoseconds at which the counter was 0
 * @mul: nanoseconds of a tick, times 2^RBMAP_TSC_SHIFT; it has 32 bits
 *
 * It changes only while rbmap_tsc_is_local is off and no writer reads it.
 */
struct rbmap_tsc_scale {
	u64	offset;
	u64	mul;
};

/* The kernel's own shift for each counter of at least 500 MHz. */
#define RBMAP_TSC_SHIFT	31

extern struct rbmap_tsc_scale rbmap_tsc_scale;
DECLARE_STATIC_KEY_FALSE(rbmap_tsc_is_local);

/*
 * The kernel's mul_u64_u32_shr(), of the halves of the counter.  Without a number of 128
 * bits the compiler need not align the stack.
 */
static __always_inline u64 rbmap_tsc_to_ns(const struct rbmap_tsc_scale *scale, u64 high,
					   u64 low)
{
	return (high * scale->mul << (32 - RBMAP_TSC_SHIFT)) +
	       (low * scale->mul >> RBMAP_TSC_SHIFT) + scale->offset;
}

/*
 * trace_clock_local() for callers that have disabled preemption.  The counter is read
 * without order, as in sched_clock(): an early read is off by less than the skew between two
 * CPUs, and a nested context reads a later time.
 */
static __always_inline u64 rb_clock_local_by(const bool thunks)
{
	if (static_branch_likely(&rbmap_tsc_is_local)) {
		u64 high, low;

		/* It clears the upper halves of both registers. */
		asm volatile("rdtsc" : "=d" (high), "=a" (low));
		return rbmap_tsc_to_ns(&rbmap_tsc_scale, high, low);
	}
	return thunks ? rb_early_call0(sched_clock) : sched_clock();
}
#else
static __always_inline u64 rb_clock_local_by(const bool thunks)
{
	return sched_clock();
}
#endif

static __always_inline u64 rb_clock_local(void)
{
	return rb_clock_local_by(false);
}

#endif /* RBMAP_RING_LOCAL_CLOCK_H */
