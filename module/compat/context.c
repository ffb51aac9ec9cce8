// SPDX-License-Identifier: GPL-2.0-only
/*
 * The context of an event that is not a plain task.  The rare cases cost the others
 * one branch.
 */
#include "context.h"

/* Bit 0: a softirq runs; the other bits: nesting depth of disabled softirqs. */
static u8 rbmap_context_softirq(unsigned int count)
{
	u8 flags;

	/* On real-time kernels each task has a count of its own. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		count = softirq_count();
	flags = count & SOFTIRQ_OFFSET ? RBMAP_FLAG_SOFTIRQ : 0;
	if (unlikely((count & SOFTIRQ_MASK) >> (SOFTIRQ_SHIFT + 1)))
		flags |= RBMAP_FLAG_BH_OFF;
	return flags;
}

static u8 rbmap_context_irq(unsigned int count)
{
	u8 flags = 0;

	if (count & NMI_MASK)
		flags |= RBMAP_FLAG_NMI;
	if (count & HARDIRQ_MASK)
		flags |= RBMAP_FLAG_HARDIRQ;
	return flags;
}

static u8 rbmap_context_resched(unsigned long thread_flags)
{
	u8 flags = 0;

	if (thread_flags & RBMAP_TIF_RESCHED)
		flags |= RBMAP_FLAG_NEED_RESCHED;
	if (thread_flags & RBMAP_TIF_RESCHED_LAZY)
		flags |= RBMAP_FLAG_NEED_RESCHED_LAZY;
	if (test_preempt_need_resched())
		flags |= RBMAP_FLAG_PREEMPT_RESCHED;
	return flags;
}

/* On kernels with this count, it shares a byte of the record with the preemption count. */
static u8 rbmap_context_migrate_disabled(void)
{
#ifdef RBMAP_HAVE_MIGRATION_DISABLED
	return min_t(unsigned int, current->migration_disabled, 0xf) << 4;
#else
	return 0;
#endif
}

/**
 * rbmap_record_unusual - store an unusual context in a record
 * @record: the record, filled for the usual context
 * @count: preempt_count() without rbmap's own part
 *
 * Context: any.
 */
void rbmap_record_unusual(struct rbmap_record *record, unsigned int count)
{
	unsigned long thread_flags = READ_ONCE(current_thread_info()->flags);
	u8 flags = rbmap_context_softirq(count);

	if (unlikely(count & (NMI_MASK | HARDIRQ_MASK)))
		flags |= rbmap_context_irq(count);
	if (unlikely(thread_flags & (RBMAP_TIF_RESCHED | RBMAP_TIF_RESCHED_LAZY)))
		flags |= rbmap_context_resched(thread_flags);
	record->common.flags |= flags;
	record->common.preempt_count =
		min_t(unsigned int, count & PREEMPT_MASK, 0xf) |
		rbmap_context_migrate_disabled();
}
RB_RARE_FUNCTION(rbmap_record_unusual);
