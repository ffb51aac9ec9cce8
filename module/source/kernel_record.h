/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that the kernel has filled for an alias. */
#ifndef RBMAP_SOURCE_KERNEL_RECORD_H
#define RBMAP_SOURCE_KERNEL_RECORD_H

#include <linux/sched.h>
#include <linux/types.h>

#include "kernel_event.h"

/**
 * struct rbmap_check - the record of a check
 * @task: the task that checks, or NULL
 * @nr: number of records that have arrived
 * @size: bytes of the last one
 * @bytes: its beginning
 */
struct rbmap_check {
	const struct task_struct	*task;
	unsigned int			nr;
	size_t				size;
	u8				bytes[64] __aligned(sizeof(u64));
};

extern struct rbmap_kernel_event **rbmap_aliases;

/* Protected by the lock of kernel_event.c, but for the task that checks */
extern struct rbmap_check rbmap_check;

void rbmap_alias_overflow(struct perf_event *holder, struct perf_sample_data *data,
			  struct pt_regs *regs);

#endif /* RBMAP_SOURCE_KERNEL_RECORD_H */
