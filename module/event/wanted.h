/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests before a record that a source brings is recorded. */
#ifndef RBMAP_EVENT_WANTED_H
#define RBMAP_EVENT_WANTED_H

#include "event.h"

bool rbmap_whole_wanted(const struct rbmap_event_file *event_file,
			struct rbmap_record *record, size_t size);
bool rbmap_whole_wanted_shown(const struct rbmap_event_file *event_file,
			      struct rbmap_record *record, size_t size,
			      rbmap_hide_fn *hide, const void *data);

#endif /* RBMAP_EVENT_WANTED_H */
