/* SPDX-License-Identifier: GPL-2.0-only */
/* Change the events of a sub-buffer, so that they fit into the merged recording. */
#ifndef RBMAP_FLEET_ADMIN_MERGE_SUBBUF_H
#define RBMAP_FLEET_ADMIN_MERGE_SUBBUF_H

#include <stddef.h>
#include <stdint.h>

#include "event_ids.h"

/**
 * struct subbuf_change - changes of a sub-buffer
 * @ids: all kinds of events
 * @map: the new ids of the recording
 * @first_pid: number that is added to pids; the idle task's pid stays 0
 * @later: ns that are added to all times
 */
struct subbuf_change {
	const struct event_ids *ids;
	const struct event_id_map *map;
	int first_pid;
	uint64_t later;
};

/*
 * Change a sub-buffer with @size bytes of events. Bytes that are no events end it: those
 * behind them stay as they are.
 */
void subbuf_change(const struct subbuf_change *change, unsigned char *subbuf, size_t size);

#endif /* RBMAP_FLEET_ADMIN_MERGE_SUBBUF_H */
