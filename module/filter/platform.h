/* SPDX-License-Identifier: GPL-2.0-only */
/* Primitives of filters in the kernel.  userspace/filter has the same for a process. */
#ifndef RBMAP_FILTER_PLATFORM_H
#define RBMAP_FILTER_PLATFORM_H

#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/types.h>

#define rbmap_filter_alloc(size)	kvzalloc(size, GFP_KERNEL)
#define rbmap_filter_release(memory)	kvfree(memory)

#define rbmap_filter_cpu()		raw_smp_processor_id()
#define rbmap_filter_comm()		(current->comm)
#define RBMAP_FILTER_COMM_LEN		TASK_COMM_LEN

#endif /* RBMAP_FILTER_PLATFORM_H */
