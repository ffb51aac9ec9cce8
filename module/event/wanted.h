/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests before a record that a source brings is recorded. */
#ifndef RBMAP_EVENT_WANTED_H
#define RBMAP_EVENT_WANTED_H

#include "event.h"

bool rbmap_whole_wanted(const struct rbmap_event_file *event_file,
			struct rbmap_record *record, size_t size);

#endif /* RBMAP_EVENT_WANTED_H */
