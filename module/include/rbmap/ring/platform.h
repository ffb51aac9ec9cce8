/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring's primitives in the kernel.  tests/shim has the same for a process.
 * Words that only the ring's CPU writes are changed with the local operations,
 * which are atomic against interrupts of that CPU and nothing else.
 */
#ifndef RBMAP_RING_PLATFORM_H
#define RBMAP_RING_PLATFORM_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/rbmap.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_clock.h>
#include <linux/types.h>
#include <rbmap/ring/local_clock.h>
#include <asm/barrier.h>
#include <asm/local.h>
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>
#endif

#define rb_local_cmpxchg(ptr, old, new)	cmpxchg_local(ptr, old, new)

/*
 * A full barrier: writer and reader both need it to hand over a sub-buffer.
 * litmus: get-claim
 */
#define rb_cmpxchg(ptr, old, new)	cmpxchg(ptr, old, new)

/*
 * A plain load that the compiler can merge into a compare instruction.  The barriers
 * before and after it keep its order.
 */
#define rb_read_plain(x)	data_race(x)

/* A plain increment: one instruction.  Other CPUs may read the word meanwhile. */
#define rb_count_plain(x)	data_race((x)++)

/* Let another task run, in a loop over all sub-buffers of a ring. */
#define rb_resched()		cond_resched()

/*
 * rb_add_release(): add, with release, to a word that no other context changes.  On
 * x86 each store is a release.
 */
#ifdef CONFIG_X86_64
static __always_inline void rb_add_release(u64 *to, u64 n)
{
	asm volatile("addq %1, %0" : "+m" (*to) : "er" (n) : "memory");
}

static __always_inline bool rb_local_try_cmpxchg(u64 *at, u64 old, u64 new)
{
	bool done;

	asm volatile("cmpxchgq %3, %0"
		     : "+m" (*at), "+a" (old), "=@ccz" (done)
		     : "r" (new) : "memory");
	return done;
}
#else
/* litmus: publish-get */
static __always_inline void rb_add_release(u64 *to, u64 n)
{
	smp_store_release(to, READ_ONCE(*to) + n);
}

static __always_inline bool rb_local_try_cmpxchg(u64 *at, u64 old, u64 new)
{
	return rb_local_cmpxchg(at, old, new) == old;
}
#endif

static inline bool rb_has_tsc(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_TSC);
#else
	return false;
#endif
}

/* rdtsc() is not ordered, as in rb_clock_local(). */
#ifdef CONFIG_X86
#define RB_HAS_TSC	true
static __always_inline u64 rb_clock_tsc(void)
{
	return rdtsc();
}
#else
#define RB_HAS_TSC	false
static __always_inline u64 rb_clock_tsc(void)
{
	return 0;
}
#endif

/* Each clock may be read in an NMI. */
static __always_inline u64 rb_clock(u32 clock)
{
	if (likely(clock == RBMAP_CLOCK_LOCAL))
		return rb_clock_local();
	if (clock == RBMAP_CLOCK_MONO)
		return ktime_get_mono_fast_ns();
	if (RB_HAS_TSC && clock == RBMAP_CLOCK_X86_TSC)
		return rb_clock_tsc();
	return ktime_get_boot_fast_ns();
}

#endif /* RBMAP_RING_PLATFORM_H */
