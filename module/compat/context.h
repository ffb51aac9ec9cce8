/* SPDX-License-Identifier: GPL-2.0-only */
/* The context of an event, in the encoding that ftrace of this kernel has. */
#ifndef RBMAP_COMPAT_CONTEXT_H
#define RBMAP_COMPAT_CONTEXT_H

#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "compat.h"

/* common_flags; older kernels keep the names to themselves */
#define RBMAP_FLAG_IRQS_OFF		0x01
#define RBMAP_FLAG_NEED_RESCHED_LAZY	0x02
#define RBMAP_FLAG_NEED_RESCHED		0x04
#define RBMAP_FLAG_HARDIRQ		0x08
#define RBMAP_FLAG_SOFTIRQ		0x10
#define RBMAP_FLAG_PREEMPT_RESCHED	0x20
#define RBMAP_FLAG_NMI			0x40
#define RBMAP_FLAG_BH_OFF		0x80

/**
 * struct rbmap_context - what interrupts what
 * @flags: common_flags
 * @preempt_count: common_preempt_count
 */
struct rbmap_context {
	u8	flags;
	u8	preempt_count;
};

/**
 * rbmap_tracepoint_preempt - how often a tracepoint disables preemption to
 *	call its probes
 * @tp: the tracepoint
 *
 * That is no news of the context that hit it.  System calls' ones may fault
 * since they were told apart, and at last no tracepoint disables preemption
 * any more: SRCU protects them.
 */
static inline u8 rbmap_tracepoint_preempt(struct tracepoint *tp)
{
#ifdef RBMAP_HAVE_TRACEPOINT_SRCU_FAST
	return 0;
#else
#ifdef RBMAP_HAVE_TRACEPOINT_FAULTABLE
	if (tracepoint_is_faultable(tp))
		return 0;
#endif
	return IS_ENABLED(CONFIG_PREEMPTION) ? 1 : 0;
#endif
}

static __always_inline u8 rbmap_context_irqs_off(void)
{
	unsigned long flags;

	local_save_flags(flags);
	return irqs_disabled_flags(flags) ? RBMAP_FLAG_IRQS_OFF : 0;
}

/* The lowest bit: a softirq runs; the others: how often they were turned off. */
static __always_inline u8 rbmap_context_softirq(unsigned int count)
{
	u8 flags = 0;

	/* A task of its own counts them in real-time kernels. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		count = softirq_count();
	if (count & SOFTIRQ_OFFSET)
		flags |= RBMAP_FLAG_SOFTIRQ;
#ifdef RBMAP_HAVE_TRACE_FLAG_BH_OFF
	if ((count & SOFTIRQ_MASK) >> (SOFTIRQ_SHIFT + 1))
		flags |= RBMAP_FLAG_BH_OFF;
#endif
	return flags;
}

static __always_inline u8 rbmap_context_resched_lazy(void)
{
#ifdef RBMAP_HAVE_TRACE_FLAG_RESCHED_LAZY
	if (IS_ENABLED(CONFIG_ARCH_HAS_PREEMPT_LAZY) &&
	    test_thread_flag(TIF_NEED_RESCHED_LAZY))
		return RBMAP_FLAG_NEED_RESCHED_LAZY;
#endif
	return 0;
}

/* Shares its byte with the preemption count where tasks know it. */
static __always_inline u8 rbmap_context_migrate_disabled(void)
{
#ifdef RBMAP_HAVE_MIGRATION_DISABLED
	return min_t(unsigned int, current->migration_disabled, 0xf) << 4;
#else
	return 0;
#endif
}

/**
 * rbmap_context - the context of the caller
 * @preempt: how often preemption was disabled on our own account
 *
 * Context: any.
 */
static __always_inline struct rbmap_context rbmap_context(u8 preempt)
{
	unsigned int count = preempt_count();
	u8 flags = rbmap_context_irqs_off() | rbmap_context_softirq(count) |
		   rbmap_context_resched_lazy();

	if (count & NMI_MASK)
		flags |= RBMAP_FLAG_NMI;
	if (count & HARDIRQ_MASK)
		flags |= RBMAP_FLAG_HARDIRQ;
	if (tif_need_resched())
		flags |= RBMAP_FLAG_NEED_RESCHED;
	if (test_preempt_need_resched())
		flags |= RBMAP_FLAG_PREEMPT_RESCHED;

	count = min_t(unsigned int, count & PREEMPT_MASK, 0xf);
	count -= min_t(unsigned int, count, preempt);
	return (struct rbmap_context) {
		.flags		= flags,
		.preempt_count	= count | rbmap_context_migrate_disabled(),
	};
}

#endif /* RBMAP_COMPAT_CONTEXT_H */
