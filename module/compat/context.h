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
#include <rbmap/ring/rare.h>

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

/* A common field that only some kernels have. */
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
 * rbmap_tracepoint_preempt - number of times that a tracepoint disables preemption
 *	before it calls its probes
 * @tp: the tracepoint
 *
 * This part of preempt_count() does not belong to the context that hit the tracepoint.
 * Tracepoints of system calls may fault on newer kernels and do not disable preemption.
 * On the newest kernels no tracepoint disables it: SRCU protects the probes.
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
	bool off;

	local_save_flags(flags);
#ifdef CONFIG_X86
	/* The compiler shifts and masks in C, which takes two more instructions. */
	asm("testl %2, %k1" : "=@ccz" (off) : "r" (flags), "i" (X86_EFLAGS_IF));
#else
	off = irqs_disabled_flags(flags);
#endif
	return off ? RBMAP_FLAG_IRQS_OFF : 0;
}

#define RBMAP_TIF_RESCHED	BIT(TIF_NEED_RESCHED)
/* Without lazy rescheduling the kernel has no such bit, or both names mean the same one. */
#define RBMAP_TIF_RESCHED_LAZY						\
	(IS_ENABLED(CONFIG_ARCH_HAS_PREEMPT_LAZY) ||			\
	 IS_ENABLED(CONFIG_PREEMPT_LAZY) ?				\
	 BIT(RBMAP_TIF_NEED_RESCHED_LAZY) : 0)

/*
 * Is the context anything but a task that need not reschedule?  Most events come from
 * such tasks.
 * @count: preempt_count() without rbmap's own part.
 */
static __always_inline bool rbmap_context_is_unusual(unsigned int count)
{
	/* The count is small unless a softirq, an interrupt or an NMI runs. */
	if (unlikely(count & ~0xfU))
		return true;
	/*
	 * preempt_count() does not contain these flags.  Any CPU may set them at any time.
	 * A plain load becomes an operand of the comparison, which saves an instruction.
	 */
	if (unlikely(data_race(current_thread_info()->flags) &
		     (RBMAP_TIF_RESCHED | RBMAP_TIF_RESCHED_LAZY)))
		return true;
#ifdef RBMAP_HAVE_MIGRATION_DISABLED
	if (unlikely(current->migration_disabled))
		return true;
#endif
	/* On real-time kernels the count does not include softirqs. */
	return IS_ENABLED(CONFIG_PREEMPT_RT) && unlikely(softirq_count());
}

/* compat/context.c: common_flags but RBMAP_FLAG_IRQS_OFF, and common_preempt_count */
void rbmap_record_unusual(struct rbmap_record *record, unsigned int count);

/**
 * rbmap_record_begin - fill the fields with which the record of each event begins
 * @record: the record
 * @id: number of the event
 * @preempt: number of times that preemption was disabled to call the probe, and by it
 *
 * Context: any.
 */
static __always_inline void rbmap_record_begin(struct rbmap_record *record,
					       u16 id, unsigned int preempt)
{
	unsigned int count = preempt_count() - preempt;

	record->common.type = id;
	record->common.flags = rbmap_context_irqs_off();
	record->common.preempt_count = count;
	record->common.pid = current->pid;
#ifdef RBMAP_HAVE_TRACE_ENTRY_LAZY_COUNT
	record->common_preempt_lazy_count = preempt_lazy_count();
#endif
	if (unlikely(rbmap_context_is_unusual(count)))
		rb_rare_call2(rbmap_record_unusual, record, count);
}

#endif /* RBMAP_COMPAT_CONTEXT_H */
