// SPDX-License-Identifier: GPL-2.0-only
/* Record an event whose source brings the whole record. */
#include <linux/string.h>
#include <rbmap/write.h>

#include "copies.h"
#include "event.h"
#include "wanted.h"
#include "whole.h"

/**
 * rbmap_event_record - record an event of a source
 * @event_file: data of the probe
 * @record: the whole record, in memory of the source, with its common fields
 * @size: bytes of the record, at least those of struct rbmap_record
 *
 * Context: any, including NMI, in the context of the event.
 */
void rbmap_event_record(const struct rbmap_event_file *event_file,
			struct rbmap_record *record, size_t size)
{
	struct rbmap_reservation resv rbmap_uninitialized;
	void *room;

	if (unlikely(rbmap_event_has_checks(event_file)) &&
	    !rbmap_whole_wanted(event_file, record, size))
		return;
	room = rbmap_reserve(rbmap_event_buffer(event_file), &resv, size);
	if (!room)
		return;
	memcpy(room, record, size);
	rbmap_commit(&resv);
}

/**
 * rbmap_event_record_shown - record an event, with addresses for the buffers that keep them
 * @event_file: data of the probe
 * @record: the whole record with the kernel's addresses, in memory of the source.  They
 *	may be hashed afterwards
 * @size: bytes of the record, at least those of struct rbmap_record
 * @hide: hashes the addresses in @record
 * @data: first argument of @hide
 *
 * Context: any, including NMI, in the context of the event.
 */
void rbmap_event_record_shown(const struct rbmap_event_file *event_file,
			      struct rbmap_record *record, size_t size,
			      rbmap_hide_fn *hide, const void *data)
{
	if (rbmap_whole_wanted_shown(event_file, record, size, hide, data))
		rbmap_write_noinline(event_file->head.buffer, record, size);
}
