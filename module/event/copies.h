/* SPDX-License-Identifier: GPL-2.0-only */
/* A record that several buffers want: assembled once, and copied to each. */
#ifndef RBMAP_EVENT_COPIES_H
#define RBMAP_EVENT_COPIES_H

#include "event.h"
#include "release.h"

/**
 * struct rbmap_event_copies - the event files that get a copy of each record
 * @release: frees those that are replaced
 * @nr: number of event files
 * @nr_shown: number of event files at the beginning of @event_file that keep addresses
 * @event_file: the event files, and NULL; probes that run may use them until
 *	rbmap_sync_probes()
 */
struct rbmap_event_copies {
	struct rbmap_release	release;
	unsigned int		nr;
	unsigned int		nr_shown;
	struct rbmap_event_file	*event_file[];
};

bool rbmap_copies_write(const struct rbmap_event_copies *copies,
			struct rbmap_record *record, size_t size);
void rbmap_copies_write_filled(const struct rbmap_event_copies *copies,
			       struct rbmap_record *record, size_t size);
void rbmap_copies_write_shown(const struct rbmap_event_copies *copies,
			      struct rbmap_record *record, size_t size,
			      rbmap_hide_fn *hide, const void *data);

#endif /* RBMAP_EVENT_COPIES_H */
