/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as text, field by field, of events that the kernel cannot print. */
#ifndef RBMAP_DEVICE_TEXT_FIELDS_H
#define RBMAP_DEVICE_TEXT_FIELDS_H

#include <linux/trace_seq.h>

#include "event/event.h"

void rbmap_print_fields(struct trace_seq *s, const struct rbmap_event_type *event,
			const void *record, u32 size);

#endif /* RBMAP_DEVICE_TEXT_FIELDS_H */
