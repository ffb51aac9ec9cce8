/* SPDX-License-Identifier: GPL-2.0-only */
/* Record an event whose source brings the whole record. */
#ifndef RBMAP_EVENT_WHOLE_H
#define RBMAP_EVENT_WHOLE_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <rbmap/write.h>

#include "event.h"
#include "wanted.h"

struct rbmap_record;

void rbmap_event_record_shown(const struct rbmap_event_file *event_file,
			      struct rbmap_record *record, size_t size,
			      rbmap_hide_fn *hide, const void *data);

/*
 * Most records are short.  The first and the last bytes of one, which may overlap, take half
 * of the instructions of a call of memcpy() or memset().
 */
static __always_inline void rbmap_record_copy(void *to, const void *from, size_t size)
{
	BUILD_BUG_ON(sizeof(struct rbmap_record) < 8);
	if (unlikely(size > 64)) {
		memcpy(to, from, size);
	} else if (size >= 32) {
		memcpy(to, from, 32);
		memcpy(to + size - 32, from + size - 32, 32);
	} else if (size >= 16) {
		memcpy(to, from, 16);
		memcpy(to + size - 16, from + size - 16, 16);
	} else {
		memcpy(to, from, 8);
		memcpy(to + size - 8, from + size - 8, 8);
	}
}

static __always_inline void rbmap_record_clear(void *record, size_t size)
{
	if (unlikely(size > 64)) {
		memset(record, 0, size);
	} else if (size >= 32) {
		memset(record, 0, 32);
		memset(record + size - 32, 0, 32);
	} else if (size >= 16) {
		memset(record, 0, 16);
		memset(record + size - 16, 0, 16);
	} else {
		memset(record, 0, 8);
		memset(record + size - 8, 0, 8);
	}
}

/**
 * rbmap_event_record - record an event of a source
 * @event_file: data of the probe
 * @record: the whole record, in memory of the source, with its common fields
 * @size: bytes of the record, at least those of struct rbmap_record
 *
 * Inline: a call would save and restore six registers twice.
 *
 * Context: any, including NMI, in the context of the event.
 */
static __always_inline void rbmap_event_record(const struct rbmap_event_file *event_file,
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
	rbmap_record_copy(room, record, size);
	rbmap_commit(&resv);
}

#endif /* RBMAP_EVENT_WHOLE_H */
