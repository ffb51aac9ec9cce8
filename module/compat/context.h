/* SPDX-License-Identifier: GPL-2.0-only */
/* The context of an event, in the encoding that ftrace of this kernel has. */
#ifndef RBMAP_COMPAT_CONTEXT_H
#define RBMAP_COMPAT_CONTEXT_H

#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rbmap.h>
#include <linux/sched.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "compat.h"

/*
 * common_flags.  Older kernels keep the names to themselves, and real-time ones
 * give a value another meaning.
 */
#ifdef RBMAP_HAVE_TRACE_FLAG_BH_OFF
#define RBMAP_FLAG_IRQS_OFF		TRACE_FLAG_IRQS_OFF
#define RBMAP_FLAG_NEED_RESCHED		TRACE_FLAG_NEED_RESCHED
#define RBMAP_FLAG_HARDIRQ		TRACE_FLAG_HARDIRQ
#define RBMAP_FLAG_SOFTIRQ		TRACE_FLAG_SOFTIRQ
#define RBMAP_FLAG_PREEMPT_RESCHED	TRACE_FLAG_PREEMPT_RESCHED
#define RBMAP_FLAG_NMI			TRACE_FLAG_NMI
#define RBMAP_FLAG_BH_OFF		TRACE_FLAG_BH_OFF
#else
#define RBMAP_FLAG_IRQS_OFF		0x01
#define RBMAP_FLAG_NEED_RESCHED		0x04
#define RBMAP_FLAG_HARDIRQ		0x08
#define RBMAP_FLAG_SOFTIRQ		0x10
#define RBMAP_FLAG_PREEMPT_RESCHED	0x20
#define RBMAP_FLAG_NMI			0x40
#define RBMAP_FLAG_BH_OFF		0
#endif

#ifdef RBMAP_HAVE_TRACE_FLAG_RESCHED_LAZY
#define RBMAP_FLAG_NEED_RESCHED_LAZY	TRACE_FLAG_NEED_RESCHED_LAZY
#define RBMAP_TIF_NEED_RESCHED_LAZY	TIF_NEED_RESCHED_LAZY
#else
#define RBMAP_FLAG_NEED_RESCHED_LAZY	0
#define RBMAP_TIF_NEED_RESCHED_LAZY	TIF_NEED_RESCHED
#endif

/* What ftrace of this kernel has in each record beyond the fields of all. */
#ifdef RBMAP_HAVE_TRACE_ENTRY_LAZY_COUNT
#define RBMAP_LAZY_COUNT_FIELD						\
	RBMAP_FIELD(unsigned char, common_preempt_lazy_count),
#else
#define RBMAP_LAZY_COUNT_FIELD
#endif

/**
 * struct rbmap_record - what the record of each event begins with
 * @common: the fields of all kernels
 * @common_preempt_lazy_count: real-time kernels' own
 */
struct rbmap_record {
	struct rbmap_event_common	common;
#ifdef RBMAP_HAVE_TRACE_ENTRY_LAZY_COUNT
	unsigned char			common_preempt_lazy_count;
#endif
};

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
	if ((count & SOFTIRQ_MASK) >> (SOFTIRQ_SHIFT + 1))
		flags |= RBMAP_FLAG_BH_OFF;
	return flags;
}

#define RBMAP_TIF_RESCHED	BIT(TIF_NEED_RESCHED)
/* Without laziness the bit is the other one's, or none. */
#define RBMAP_TIF_RESCHED_LAZY						\
	(IS_ENABLED(CONFIG_ARCH_HAS_PREEMPT_LAZY) ||			\
	 IS_ENABLED(CONFIG_PREEMPT_LAZY) ?				\
	 BIT(RBMAP_TIF_NEED_RESCHED_LAZY) : 0)

static __always_inline u8 rbmap_context_resched(unsigned long thread_flags)
{
	u8 flags = 0;

	if (thread_flags & RBMAP_TIF_RESCHED)
		flags |= RBMAP_FLAG_NEED_RESCHED;
	if (thread_flags & RBMAP_TIF_RESCHED_LAZY)
		flags |= RBMAP_FLAG_NEED_RESCHED_LAZY;
	return flags;
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

/* Nothing runs but a task, and that is to run on: most events come so. */
static __always_inline bool rbmap_context_is_usual(unsigned int count, u8 preempt,
						   unsigned long thread_flags)
{
	/* Were it less than what is ours, the rest would be no small number. */
	unsigned long unusual = (count | (count - preempt)) & ~0xfU;

	unusual |= thread_flags & (RBMAP_TIF_RESCHED | RBMAP_TIF_RESCHED_LAZY);
#ifdef RBMAP_HAVE_MIGRATION_DISABLED
	unusual |= current->migration_disabled;
#endif
	/* Softirqs are not in the count there. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		unusual |= softirq_count();
	return !unusual;
}

/**
 * rbmap_context_within - the context of a caller that has disabled preemption
 * @within: how often it has, on its own account
 * @preempt: and how often that was done to call it
 *
 * Context: any.
 */
static __always_inline struct rbmap_context
rbmap_context_within(unsigned int within, u8 preempt)
{
	unsigned long thread_flags = READ_ONCE(current_thread_info()->flags);
	unsigned int count = preempt_count() -
			     (IS_ENABLED(CONFIG_PREEMPT_COUNT) ? within : 0);
	u8 flags = rbmap_context_irqs_off();

	if (test_preempt_need_resched())
		flags |= RBMAP_FLAG_PREEMPT_RESCHED;
	if (likely(rbmap_context_is_usual(count, preempt, thread_flags)))
		return (struct rbmap_context) {
			.flags		= flags,
			.preempt_count	= count - preempt,
		};

	flags |= rbmap_context_softirq(count) |
		 rbmap_context_resched(thread_flags);
	if (count & NMI_MASK)
		flags |= RBMAP_FLAG_NMI;
	if (count & HARDIRQ_MASK)
		flags |= RBMAP_FLAG_HARDIRQ;
	count = min_t(unsigned int, count & PREEMPT_MASK, 0xf);
	count -= min_t(unsigned int, count, preempt);
	return (struct rbmap_context) {
		.flags		= flags,
		.preempt_count	= count | rbmap_context_migrate_disabled(),
	};
}

/**
 * rbmap_context - the context of the caller
 * @preempt: how often preemption was disabled to call it
 *
 * Context: any.
 */
static __always_inline struct rbmap_context rbmap_context(u8 preempt)
{
	return rbmap_context_within(0, preempt);
}

/**
 * rbmap_record_begin - fill what the record of each event begins with
 * @record: the record
 * @id: the event's
 * @context: of whom it is about
 */
static __always_inline void rbmap_record_begin(struct rbmap_record *record,
					       u16 id,
					       struct rbmap_context context)
{
	record->common.type = id;
	record->common.flags = context.flags;
	record->common.preempt_count = context.preempt_count;
	record->common.pid = current->pid;
#ifdef RBMAP_HAVE_TRACE_ENTRY_LAZY_COUNT
	record->common_preempt_lazy_count = preempt_lazy_count();
#endif
}

#endif /* RBMAP_COMPAT_CONTEXT_H */
