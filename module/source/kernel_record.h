/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that the kernel has filled for an alias. */
#ifndef RBMAP_SOURCE_KERNEL_RECORD_H
#define RBMAP_SOURCE_KERNEL_RECORD_H

#include "kernel_event.h"

extern struct rbmap_kernel_event **rbmap_aliases;

void rbmap_alias_overflow(struct perf_event *holder, struct perf_sample_data *data,
			  struct pt_regs *regs);

#endif /* RBMAP_SOURCE_KERNEL_RECORD_H */
