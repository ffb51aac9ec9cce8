/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_RING_PLATFORM_KERNEL_H
#define RBMAP_RING_PLATFORM_KERNEL_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/local.h>

#define rb_local_cmpxchg(ptr, old, new)	cmpxchg_local(ptr, old, new)

/* A full barrier, as both ends of a sub-buffer's hand-over need it. */
#define rb_cmpxchg(ptr, old, new)	cmpxchg(ptr, old, new)

#endif /* RBMAP_RING_PLATFORM_KERNEL_H */
