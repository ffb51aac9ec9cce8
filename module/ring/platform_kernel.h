/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_RING_PLATFORM_KERNEL_H
#define RBMAP_RING_PLATFORM_KERNEL_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/rbmap.h>
#include <linux/string.h>
#include <linux/trace_clock.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/local.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
#endif

#define rb_local_cmpxchg(ptr, old, new)	cmpxchg_local(ptr, old, new)

/*
 * A full barrier, as both ends of a sub-buffer's hand-over need it.
 * litmus: take-claim
 */
#define rb_cmpxchg(ptr, old, new)	cmpxchg(ptr, old, new)

/* Each of them may be called from NMI. */
static __always_inline u64 rb_clock(u32 clock)
{
	if (likely(clock == RBMAP_CLOCK_LOCAL))
		return trace_clock_local();
	if (clock == RBMAP_CLOCK_MONO)
		return ktime_get_mono_fast_ns();
#ifdef CONFIG_X86
	if (clock == RBMAP_CLOCK_X86_TSC)
		return rdtsc_ordered();
#endif
	return ktime_get_boot_fast_ns();
}

#endif /* RBMAP_RING_PLATFORM_KERNEL_H */
