// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel has filled the record of an alias in its scratch page of this CPU and context.
 * The page is ours until rbmap_alias_overflow() returns: perf's guard against recursion
 * holds it.
 */
#include <linux/perf_event.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "compat/perf.h"
#include "kernel_record.h"

struct rbmap_kernel_event **rbmap_aliases;
struct rbmap_check rbmap_check;

static_assert(offsetof(struct rbmap_kernel_event, call) -
	      offsetof(struct rbmap_kernel_event, count) == 16,
	      "count.S reads the counters before the copy of the kernel's structure");
static_assert(offsetof(struct rbmap_kernel_event, call) -
	      offsetof(struct rbmap_kernel_event, perf_probe) == 8,
	      "count.S reads the kernel's probe before the copy of the kernel's structure");
static_assert(!offsetof(struct rbmap_alias_count, calls),
	      "count.S counts calls in the first counter");

/* A record of the check that this task makes, or of somebody else */
static void rbmap_check_receive(const void *record, size_t size)
{
	if (READ_ONCE(rbmap_check.task) != current)
		return;
	rbmap_check.nr++;
	rbmap_check.size = size;
	memcpy(rbmap_check.bytes, record, min(size, sizeof(rbmap_check.bytes)));
}

/**
 * rbmap_alias_overflow - handle a record that the kernel has filled
 * @holder: the perf event that listens on this CPU
 * @data: the record
 * @regs: unused
 *
 * The bytes that the kernel's code leaves unset would be those of an older record, so that
 * the page is cleared behind each record.  Listeners of other tasks may still be compared
 * with the number in the record afterwards: it stays that of the alias, which no event of
 * the kernel has.
 *
 * Context: any, including NMI, in the context of the event.
 */
void rbmap_alias_overflow(struct perf_event *holder, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct rbmap_record *record = data->raw->frag.data;
	const size_t room = data->raw->frag.size;
	const u16 number = record->common.type;
	struct rbmap_kernel_event *event;
	struct rbmap_event_file *file;
	size_t size;

	/* Somebody else may listen to the event of the holders, too. */
	if (unlikely(RBMAP_ALIAS_FIRST - number >= RBMAP_ALIASES_MAX)) {
		rbmap_check_receive(record, room);
		return;
	}
	event = READ_ONCE(rbmap_aliases[RBMAP_ALIAS_FIRST - number]);
	if (unlikely(!event))
		return;
	this_cpu_inc(event->count->received);
	size = rbmap_layout_record_size(&event->layout, record, room);
	file = READ_ONCE(event->file);
	record->common.type = file->id;
	record->common.preempt_count -= RBMAP_PERF_PREEMPT;
	rbmap_layout_record(&event->layout, file, record, size);
	rbmap_record_clear(record, room);
	record->common.type = number;
}
