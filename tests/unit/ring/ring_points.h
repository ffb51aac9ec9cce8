/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included first (-include).  Inserts a call of ring_point() before each access to
 * memory that contexts or CPUs share.  ring_point() can do what an interrupt or another
 * CPU would do at that place, so tests can try each place.
 */
#ifndef RING_POINTS_H
#define RING_POINTS_H

#include <rbmap/ring/platform.h>

void ring_point(void);

#undef barrier
#define barrier()							\
do {									\
	__asm__ volatile("" ::: "memory");				\
	ring_point();							\
	__asm__ volatile("" ::: "memory");				\
} while (0)

#undef smp_wmb
#define smp_wmb()		barrier()

#undef READ_ONCE
#define READ_ONCE(x)							\
({									\
	barrier();							\
	__atomic_load_n(&(x), __ATOMIC_RELAXED);			\
})

#undef WRITE_ONCE
#define WRITE_ONCE(x, v)						\
do {									\
	typeof(x) __v = (v);						\
									\
	barrier();							\
	__atomic_store_n(&(x), __v, __ATOMIC_RELAXED);			\
} while (0)

#undef smp_load_acquire
#define smp_load_acquire(p)						\
({									\
	barrier();							\
	__atomic_load_n(p, __ATOMIC_ACQUIRE);				\
})

#undef smp_store_release
#define smp_store_release(p, v)						\
do {									\
	typeof(*(p)) __v = (v);						\
									\
	barrier();							\
	__atomic_store_n(p, __v, __ATOMIC_RELEASE);			\
} while (0)

#define ring_point_cmpxchg(ptr, old, new, order)			\
({									\
	typeof(*(ptr)) __old = (old), __new = (new);			\
									\
	barrier();							\
	__atomic_compare_exchange_n(ptr, &__old, __new, false, order,	\
				    order);				\
	__old;								\
})

#undef rb_cmpxchg
#define rb_cmpxchg(ptr, old, new)					\
	ring_point_cmpxchg(ptr, old, new, __ATOMIC_SEQ_CST)

#undef rb_local_cmpxchg
#define rb_local_cmpxchg(ptr, old, new)					\
	ring_point_cmpxchg(ptr, old, new, __ATOMIC_RELAXED)

#define rb_local_try_cmpxchg(ptr, old, new)				\
({									\
	barrier();							\
	(rb_local_try_cmpxchg)(ptr, old, new);				\
})

#define rb_add_release(ptr, n)						\
do {									\
	barrier();							\
	(rb_add_release)(ptr, n);					\
} while (0)

#define local_add(n, l)							\
do {									\
	long __n = (n);							\
									\
	barrier();							\
	(local_add)(__n, l);						\
} while (0)

#define local_inc(l)							\
do {									\
	barrier();							\
	(local_inc)(l);							\
} while (0)

#endif /* RING_POINTS_H */
