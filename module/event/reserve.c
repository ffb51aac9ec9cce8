// SPDX-License-Identifier: GPL-2.0-only
/* Reserve and write records for probes that do not have the ring inline. */
#include <linux/build_bug.h>
#include <linux/export.h>

#include "event.h"

/*
 * Records of other modules start with struct trace_entry, this module's with struct
 * rbmap_record.
 */
static_assert(sizeof(struct rbmap_record) == sizeof(struct trace_entry));

/* A probe in another module knows only the head of its data. */
static_assert(!offsetof(struct rbmap_event_file, head));

void rbmap_event_fill_common(const struct rbmap_event_file *event_file,
			     void *record)
{
	rbmap_record_begin(record, event_file->id, event_file->preempt);
}
EXPORT_SYMBOL_GPL(rbmap_event_fill_common);

void *rbmap_event_reserve_noinline(const struct rbmap_event_file *event_file,
				   struct rbmap_reservation *resv, size_t size)
{
	return rbmap_event_begin(event_file, resv, size);
}
EXPORT_SYMBOL_GPL(rbmap_event_reserve_noinline);

void rbmap_event_write(const struct rbmap_event_file *event_file,
		       const void *record, size_t size)
{
	struct rbmap_reservation resv rbmap_uninitialized;
	void *room = rbmap_event_begin(event_file, &resv, size);

	if (!room)
		return;
	memcpy(room + sizeof(struct rbmap_record),
	       record + sizeof(struct rbmap_record),
	       size - sizeof(struct rbmap_record));
	rbmap_commit(&resv);
}
EXPORT_SYMBOL_GPL(rbmap_event_write);
