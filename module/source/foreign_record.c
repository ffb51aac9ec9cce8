// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of foreign events.  Unlike an alias's, the record that the kernel has filled
 * belongs to all listeners of the event.  So it is copied before it is changed.
 */
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "foreign_event.h"
#include "foreign_record.h"

/* Task, softirq, interrupt and NMI */
#define RBMAP_CONTEXTS	4
/* No record that the kernel fills for perf is larger. */
#define RBMAP_ROOM_SIZE	8192

/**
 * struct rbmap_foreign_room - memory for a record of a context
 * @busy: a record is in it
 * @data: the record
 */
struct rbmap_foreign_room {
	bool	busy;
	u8	data[RBMAP_ROOM_SIZE - sizeof(u64)] __aligned(sizeof(u64));
};

static struct rbmap_foreign_room __percpu *rbmap_foreign_rooms[RBMAP_CONTEXTS];

/**
 * rbmap_foreign_rooms_create - get memory for records, once
 *
 * Context: may sleep; one caller at a time.
 * Return: 0 or -ENOMEM.
 */
int rbmap_foreign_rooms_create(void)
{
	unsigned int i;

	for (i = 0; i < RBMAP_CONTEXTS; i++) {
		if (!rbmap_foreign_rooms[i])
			rbmap_foreign_rooms[i] = alloc_percpu(struct rbmap_foreign_room);
		if (!rbmap_foreign_rooms[i])
			return -ENOMEM;
	}
	return 0;
}

/**
 * rbmap_foreign_rooms_free - free the memory for records
 *
 * Context: no foreign event is listened to any more.
 */
void rbmap_foreign_rooms_free(void)
{
	unsigned int i;

	for (i = 0; i < RBMAP_CONTEXTS; i++)
		free_percpu(rbmap_foreign_rooms[i]);
}

static unsigned int rbmap_context(void)
{
	if (preempt_count() & NMI_MASK)
		return 3;
	if (preempt_count() & HARDIRQ_MASK)
		return 2;
	/* The kernel's macro gives a bit of the count. */
	return in_serving_softirq() ? 1 : 0;
}

static void rbmap_gaps_clear(const struct rbmap_foreign_event *event, void *record)
{
	const struct rbmap_gap *gap;
	unsigned int i, text;

	for (i = 0; i < event->nr_gaps; i++) {
		gap = &event->gap[i];
		text = gap->text ? strnlen(record + gap->at, gap->len) : 0;
		memset(record + gap->at + text, 0, gap->len - text);
	}
}

/**
 * rbmap_foreign_overflow - handle a record that the kernel has filled
 * @perf_event: the perf event that listens on this CPU
 * @data: the record
 * @regs: unused
 *
 * Context: any, including NMI, in the context of the event; preemption is off.
 */
void rbmap_foreign_overflow(struct perf_event *perf_event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	const struct rbmap_foreign_event *event = perf_event->overflow_handler_context;
	struct rbmap_foreign_room *room = this_cpu_ptr(rbmap_foreign_rooms[rbmap_context()]);
	const size_t size = rbmap_layout_record_size(&event->layout, data->raw->frag.data,
					      data->raw->frag.size);
	const struct rbmap_event_file *file = READ_ONCE(event->file);
	struct rbmap_record *record = (void *)room->data;

	this_cpu_inc(event->count->received);
	/* An event within this function, in the same context */
	if (unlikely(room->busy || size > sizeof(room->data) || size < event->layout.size)) {
		this_cpu_inc(event->count->missed);
		return;
	}
	WRITE_ONCE(room->busy, true);
	barrier();
	memcpy(record, data->raw->frag.data, size);
	record->common.type = file->id;
	/* It includes the preemption that perf's own code disables. */
	record->common.preempt_count -= event->preempt;
	rbmap_gaps_clear(event, record);
	rbmap_layout_record(&event->layout, file, record, size);
	barrier();
	WRITE_ONCE(room->busy, false);
}
