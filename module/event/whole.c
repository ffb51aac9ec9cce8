// SPDX-License-Identifier: GPL-2.0-only
/* Record an event whose source brings the whole record. */
#include "wanted.h"
#include "whole.h"

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
