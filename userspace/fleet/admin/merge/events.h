/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of several kernels. A kind of event has another id on each kernel, and the
 * kernels may disagree about its fields. Kinds with the same system and text are one. The
 * events of a sub-buffer are changed, so that they fit into the merged recording.
 */
#ifndef RBMAP_FLEET_ADMIN_MERGE_EVENTS_H
#define RBMAP_FLEET_ADMIN_MERGE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/write/dat_write.h"
#include "recordings.h"

#define EVENT_PIDS_MAX	8

/**
 * struct event_kind - a kind of event
 * @text: the format, with 0 as its id
 * @by: the recording that had it first
 * @pid: places of its fields of type pid_t, without common_pid
 */
struct event_kind {
	char *system;
	char *text;
	unsigned int by;
	unsigned int nr_pids;
	unsigned int pid[EVENT_PIDS_MAX];
};

/**
 * struct event_ids - all kinds
 * @kind: sorted by system and text; a kind has its index and 1 as its id
 * @added: recordings that were added
 * @formats: their texts with the new ids, for dat_create()
 */
struct event_ids {
	struct event_kind *kind;
	size_t nr;
	unsigned int added;
	struct dat_format *formats;
};

/*
 * Add the formats of a recording. Return a status. STATUS_CUT: they are too many beside those
 * of the others, and were not added. Errors are reported.
 */
int event_ids_add(struct event_ids *ids, const struct merge_input *input);

/* Call this after the last recording. Then ids are known. On failure, report the error. */
bool event_ids_finish(struct event_ids *ids);
void event_ids_free(struct event_ids *ids);

/**
 * struct event_id_map - the new ids of a recording's events
 * @id: by the old id; 0: it has no format
 */
struct event_id_map {
	uint16_t id[UINT16_MAX + 1];
};

void event_id_map_make(struct event_id_map *map, const struct event_ids *ids,
		       const struct merge_input *input);

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

#endif /* RBMAP_FLEET_ADMIN_MERGE_EVENTS_H */
