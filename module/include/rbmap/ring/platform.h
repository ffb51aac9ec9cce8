/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the ring asks of where it runs: the kernel, or a process that tests
 * it.  Words that only the ring's CPU writes are changed with the local
 * operations, atomic against interrupts of that CPU and nothing else.
 */
#ifndef RBMAP_RING_PLATFORM_H
#define RBMAP_RING_PLATFORM_H

#ifdef __KERNEL__
#include <rbmap/ring/platform_kernel.h>
#else
#include <rbmap/ring/platform_user.h>
#endif

#endif /* RBMAP_RING_PLATFORM_H */
