/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring's primitives in a process, under the kernel's names. */
#ifndef RBMAP_RING_PLATFORM_H
#define RBMAP_RING_PLATFORM_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/rbmap.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define U64_MAX			UINT64_MAX
#define ____cacheline_aligned	__attribute__((aligned(64)))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define noinline		__attribute__((noinline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ volatile("" ::: "memory")
#define ALIGN(x, a)		(((x) + (a) - 1) & ~((typeof(x))(a) - 1))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define EXPORT_SYMBOL_GPL(name)

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#define rb_read_plain(x)		READ_ONCE(x)
#define rb_resched()			((void)0)
#define rb_count_plain(x)		WRITE_ONCE(x, READ_ONCE(x) + 1)

/* No fence that the thread sanitizer knows of; nobody observes there. */
#ifdef __SANITIZE_THREAD__
#define smp_wmb()		barrier()
#else
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#endif

#define rb_cmpxchg(ptr, old, new)					\
({									\
	typeof(*(ptr)) __old = (old);					\
	__atomic_compare_exchange_n(ptr, &__old, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);\
	__old;								\
})

/*
 * A signal handler on the same thread stands for an interrupt: what is one
 * instruction there must be one here, but without LOCK where the machine
 * allows it.
 */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define rb_local_cmpxchg(ptr, old, new)					\
({									\
	typeof(*(ptr)) __old = (old);					\
	__asm__ volatile("cmpxchgq %2, %1"				\
			 : "+a" (__old), "+m" (*(ptr))			\
			 : "r" ((typeof(*(ptr)))(new)) : "memory", "cc");\
	__old;								\
})

static __always_inline bool rb_local_try_cmpxchg(u64 *at, u64 old, u64 new)
{
	bool done;

	__asm__ volatile("cmpxchgq %3, %0"
			 : "+m" (*at), "+a" (old), "=@ccz" (done)
			 : "r" (new) : "memory");
	return done;
}

static __always_inline void rb_add_release(u64 *to, u64 n)
{
	__asm__ volatile("addq %1, %0" : "+m" (*to) : "er" (n) : "memory", "cc");
}

typedef struct {
	long a;
} local_t;

static inline void local_add(long n, local_t *l)
{
	__asm__ volatile("addq %1, %0" : "+m" (l->a) : "er" (n) : "cc");
}
#else
#define rb_local_cmpxchg(ptr, old, new)					\
({									\
	typeof(*(ptr)) __old = (old);					\
	__atomic_compare_exchange_n(ptr, &__old, new, false,		\
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);\
	__old;								\
})

static __always_inline bool rb_local_try_cmpxchg(u64 *at, u64 old, u64 new)
{
	return rb_local_cmpxchg(at, old, new) == old;
}

static __always_inline void rb_add_release(u64 *to, u64 n)
{
	smp_store_release(to, READ_ONCE(*to) + n);
}

typedef struct {
	long a;
} local_t;

static inline void local_add(long n, local_t *l)
{
	__atomic_fetch_add(&l->a, n, __ATOMIC_RELAXED);
}
#endif

static inline void local_inc(local_t *l)
{
	local_add(1, l);
}

static inline long local_read(const local_t *l)
{
	return __atomic_load_n(&l->a, __ATOMIC_RELAXED);
}

static inline void local_set(local_t *l, long n)
{
	__atomic_store_n(&l->a, n, __ATOMIC_RELAXED);
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

/* The test that uses the ring brings the clock. */
u64 rb_clock(u32 clock);

static inline u64 rb_clock_local(void)
{
	return rb_clock(RBMAP_CLOCK_LOCAL);
}

#define rb_clock_local_by(thunks)	rb_clock_local()

#define RB_HAS_TSC	true

static inline u64 rb_clock_tsc(void)
{
	return rb_clock(RBMAP_CLOCK_X86_TSC);
}

#endif /* RBMAP_RING_PLATFORM_H */
