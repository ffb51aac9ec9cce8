/* SPDX-License-Identifier: GPL-2.0-only */
/* Record an event whose source brings the whole record. */
#ifndef RBMAP_EVENT_WHOLE_H
#define RBMAP_EVENT_WHOLE_H

#include "event.h"

void rbmap_event_record(const struct rbmap_event_file *event_file,
			struct rbmap_record *record, size_t size);
void rbmap_event_record_shown(const struct rbmap_event_file *event_file,
			      struct rbmap_record *record, size_t size,
			      rbmap_hide_fn *hide, const void *data);

#endif /* RBMAP_EVENT_WHOLE_H */
