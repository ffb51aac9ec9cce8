// SPDX-License-Identifier: GPL-2.0-only
/* The columns of tracefs's text.  The kernel does not export what prints them. */
#include <linux/trace_seq.h>

#include "context.h"
#include "text.h"

#ifdef RBMAP_HAVE_TRACE_FLAG_BH_OFF
#define RBMAP_IRQS_OFF	"irqs-off/BH-disabled"
#else
#define RBMAP_IRQS_OFF	"irqs-off"
#endif

/* Real-time kernels and those that know migrate_disable() have more columns. */
const char *const rbmap_text_columns[] = {
#if defined(RBMAP_HAVE_TRACE_ENTRY_LAZY_COUNT)
	"#                                _-------=> " RBMAP_IRQS_OFF "\n",
	"#                               / _------=> need-resched\n",
	"#                              | / _-----=> need-resched-lazy\n",
	"#                              || / _----=> hardirq/softirq\n",
	"#                              ||| / _---=> preempt-depth\n",
	"#                              |||| / _--=> preempt-lazy-depth\n",
	"#                              ||||| / _-=> migrate-disable\n",
	"#                              |||||| /     delay\n",
	"#           TASK-PID     CPU#  |||||||  TIMESTAMP  FUNCTION\n",
	"#              | |         |   |||||||      |         |\n",
#elif defined(RBMAP_HAVE_MIGRATION_DISABLED)
	"#                                _-----=> " RBMAP_IRQS_OFF "\n",
	"#                               / _----=> need-resched\n",
	"#                              | / _---=> hardirq/softirq\n",
	"#                              || / _--=> preempt-depth\n",
	"#                              ||| / _-=> migrate-disable\n",
	"#                              |||| /     delay\n",
	"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n",
	"#              | |         |   |||||     |         |\n",
#else
	"#                                _-----=> " RBMAP_IRQS_OFF "\n",
	"#                               / _----=> need-resched\n",
	"#                              | / _---=> hardirq/softirq\n",
	"#                              || / _--=> preempt-depth\n",
	"#                              ||| /     delay\n",
	"#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n",
	"#              | |         |   ||||      |         |\n",
#endif
	NULL
};

static char rbmap_text_irqs(u8 flags)
{
	if (flags & RBMAP_FLAG_IRQS_OFF)
		return flags & RBMAP_FLAG_BH_OFF ? 'D' : 'd';
	return flags & RBMAP_FLAG_BH_OFF ? 'b' : '.';
}

static char rbmap_text_resched(u8 flags)
{
	static const char chars[] = ".nlbpNLB";
	unsigned int i = 0;

	if (flags & RBMAP_FLAG_NEED_RESCHED)
		i |= 1;
	if (flags & RBMAP_FLAG_NEED_RESCHED_LAZY)
		i |= 2;
	if (flags & RBMAP_FLAG_PREEMPT_RESCHED)
		i |= 4;
	return chars[i];
}

static char rbmap_text_context(u8 flags)
{
	if (flags & RBMAP_FLAG_NMI)
		return flags & RBMAP_FLAG_HARDIRQ ? 'Z' : 'z';
	if (flags & RBMAP_FLAG_HARDIRQ)
		return flags & RBMAP_FLAG_SOFTIRQ ? 'H' : 'h';
	return flags & RBMAP_FLAG_SOFTIRQ ? 's' : '.';
}

static void rbmap_text_count(struct trace_seq *s, unsigned int count)
{
	if (count)
		trace_seq_printf(s, "%x", count);
	else
		trace_seq_putc(s, '.');
}

/**
 * rbmap_text_flags - print the context of an event
 * @s: where to print it
 * @record: the event's record
 */
void rbmap_text_flags(struct trace_seq *s, const struct rbmap_record *record)
{
	u8 flags = record->common.flags, count = record->common.preempt_count;

	trace_seq_putc(s, rbmap_text_irqs(flags));
#ifdef RBMAP_HAVE_TRACE_ENTRY_LAZY_COUNT
	trace_seq_putc(s, rbmap_text_resched(flags & ~RBMAP_FLAG_NEED_RESCHED_LAZY));
	trace_seq_putc(s, flags & RBMAP_FLAG_NEED_RESCHED_LAZY ? 'L' : '.');
	trace_seq_putc(s, rbmap_text_context(flags));
	rbmap_text_count(s, count & 0xf);
	rbmap_text_count(s, record->common_preempt_lazy_count);
	rbmap_text_count(s, count >> 4);
#elif defined(RBMAP_HAVE_MIGRATION_DISABLED)
	trace_seq_putc(s, rbmap_text_resched(flags));
	trace_seq_putc(s, rbmap_text_context(flags));
	rbmap_text_count(s, count & 0xf);
	rbmap_text_count(s, count >> 4);
#else
	trace_seq_putc(s, rbmap_text_resched(flags));
	trace_seq_putc(s, rbmap_text_context(flags));
	rbmap_text_count(s, count);
#endif
}
