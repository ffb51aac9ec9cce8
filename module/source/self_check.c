// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does this kernel fill records as the sources of its events expect?  The functions that fill
 * records are generated code, and no interface that the kernel promises to keep.  So the first
 * use calls one of them, for an event that happens only during boot, and compares each byte of
 * the record.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "compat/context.h"
#include "compat/perf.h"
#include "kernel_record.h"
#include "self_check.h"

/* The argument of initcall:initcall_level, which the record contains */
#define RBMAP_CHECK_TEXT	"rbmap check"

/* The record of initcall:initcall_level */
struct rbmap_check_record {
	struct rbmap_record	record;
	u32			loc;
	char			text[sizeof(RBMAP_CHECK_TEXT)];
};

/* How the kernel pads a record, after the size that it once had in front */
#define RBMAP_CHECK_PADDED(size)	(ALIGN((size) + sizeof(u32), sizeof(u64)) - sizeof(u32))

/*
 * Call the probe as a tracepoint does that disables preemption @preempt times.  @flags and
 * @count: the fields that the record must have
 */
static void rbmap_check_fire(void *probe, void *call, unsigned int preempt, bool irqs_off,
			     u8 *flags, u8 *count)
{
	void (*const fill)(void *call, const char *level) = probe;
	unsigned long irqs;

	rbmap_check.nr = 0;
	memset(rbmap_check.bytes, 0, sizeof(rbmap_check.bytes));
	WRITE_ONCE(rbmap_check.task, current);
	if (irqs_off) {
		preempt_disable();
		local_irq_save(irqs);
	}
	*flags = irqs_disabled() ? RBMAP_FLAG_IRQS_OFF : 0;
	*count = preempt_count();
	if (preempt)
		preempt_disable_notrace();
	fill(call, RBMAP_CHECK_TEXT);
	if (preempt)
		preempt_enable_notrace();
	if (irqs_off) {
		local_irq_restore(irqs);
		preempt_enable();
	}
	WRITE_ONCE(rbmap_check.task, NULL);
}

static const char *rbmap_check_compare(const struct rbmap_record_layout *layout, u16 number,
				       u8 flags, u8 count)
{
	const u8 contexts = RBMAP_FLAG_IRQS_OFF | RBMAP_FLAG_HARDIRQ | RBMAP_FLAG_SOFTIRQ;
	const struct rbmap_check_record *got = (void *)rbmap_check.bytes;
	const struct rbmap_event_common *common = &got->record.common;
	const size_t size = offsetof(struct rbmap_check_record, text) + sizeof(got->text);

	if (!rbmap_check.nr)
		return "no record arrived";
	if (rbmap_check.nr > 1)
		return "an event had several records";
	if (rbmap_check.size != RBMAP_CHECK_PADDED(size) ||
	    rbmap_layout_record_size(layout, got, rbmap_check.size) != size)
		return "a record had another size";
	if (common->type != number || common->pid != current->pid)
		return "a record had another number or task";
	if ((common->flags & contexts) != flags)
		return "a record had other flags";
	if ((u8)(common->preempt_count - RBMAP_PERF_PREEMPT) != count)
		return "a record had another preemption count";
	if (got->loc != (sizeof(got->text) << 16 | offsetof(struct rbmap_check_record, text)) ||
	    memcmp(got->text, RBMAP_CHECK_TEXT, sizeof(got->text)))
		return "a record had other fields";
	return NULL;
}

/**
 * rbmap_self_check - compare records that the kernel fills with those that are expected
 * @probe: the probe of initcall:initcall_level
 * @call: its first argument
 * @number: the number that the records must have
 * @preempt: number of times that the tracepoint disables preemption
 * @layout: the layout of the records
 *
 * Context: a task, with interrupts on; sleeps.  One caller at a time, while
 * rbmap_alias_overflow() listens to the event.
 * Return: NULL, or what was wrong.
 */
const char *rbmap_self_check(void *probe, void *call, u16 number, unsigned int preempt,
			     const struct rbmap_record_layout *layout)
{
	const char *wrong = NULL;
	unsigned int round;
	u8 flags, count;

	for (round = 0; round < RBMAP_CHECK_CALLS && !wrong; round++) {
		rbmap_check_fire(probe, call, preempt, round, &flags, &count);
		wrong = rbmap_check_compare(layout, number, flags, count);
	}
	return wrong;
}
