/* SPDX-License-Identifier: GPL-2.0-only */
/* The bits of common_flags, which each record has. */
#ifndef RBMAP_PRINT_FIELDS_COMMON_FLAGS_H
#define RBMAP_PRINT_FIELDS_COMMON_FLAGS_H

enum {
	FLAG_IRQS_OFF		= 0x01,
	FLAG_NEED_RESCHED_LAZY	= 0x02,
	FLAG_NEED_RESCHED	= 0x04,
	FLAG_HARDIRQ		= 0x08,
	FLAG_SOFTIRQ		= 0x10,
	FLAG_PREEMPT_RESCHED	= 0x20,
	FLAG_NMI		= 0x40,
	FLAG_BH_OFF		= 0x80,
};

#endif /* RBMAP_PRINT_FIELDS_COMMON_FLAGS_H */
