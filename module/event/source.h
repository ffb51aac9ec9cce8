/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of events.  event/ knows when an event is wanted, and a source knows the
 * kernel's mechanism that calls the probe.  The sources are in source/.
 */
#ifndef RBMAP_EVENT_SOURCE_H
#define RBMAP_EVENT_SOURCE_H

#include "event.h"

/**
 * struct rbmap_source - a mechanism of the kernel that calls probes
 * @find: find where an event comes from.  Sets @origin and @preempt of the event; @origin
 *	stays NULL while the event waits for a module.  Returns NULL, or the reason why this
 *	kernel cannot have the event
 * @attach: let the event call its probe with the given data; returns 0 or a negative error
 * @detach: undo @attach.  The probe may still run until @settle
 * @settle: sleep until no probe runs that was detached before
 *
 * Context: process context.  find() is called with the registry's lock held, attach() and
 * detach() with rbmap_event_files_lock.
 */
struct rbmap_source {
	const char	*(*find)(struct rbmap_event_type *event);
	int		(*attach)(const struct rbmap_event_type *event, void *data);
	int		(*detach)(const struct rbmap_event_type *event, void *data);
	void		(*settle)(void);
};

/* source/tracepoint.c: also the source of each event that names none. */
extern const struct rbmap_source rbmap_tracepoint_source;

#endif /* RBMAP_EVENT_SOURCE_H */
