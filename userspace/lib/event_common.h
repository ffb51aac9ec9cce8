/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The common fields of an event's record. Their layout is struct rbmap_event_common of
 * uapi/linux/rbmap.h, which ftrace has, too. A damaged recording has records that end within
 * these fields, and a record need not be aligned. Therefore the functions check the size and
 * copy. They are inline, because programs call them for each event.
 */
#ifndef RBMAP_EVENT_COMMON_H
#define RBMAP_EVENT_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/rbmap.h>

#include "rbmap.h"

static inline bool event_has_common(const struct rbmap_event *ev)
{
	return ev->size >= sizeof(struct rbmap_event_common);
}

/* Copy the common fields. Return false if the record is too short, and @common is unchanged. */
static inline bool event_common(const struct rbmap_event *ev, struct rbmap_event_common *common)
{
	if (!event_has_common(ev))
		return false;
	memcpy(common, ev->data, sizeof(*common));
	return true;
}

/*
 * Copy the id alone. Return false if the record is too short, and @id is unchanged. The hint
 * saves an instruction in functions that return NULL for a short record.
 */
static inline bool event_id(const struct rbmap_event *ev, uint16_t *id)
{
	if (__builtin_expect(!event_has_common(ev), 0))
		return false;
	memcpy(id, (const char *)ev->data + offsetof(struct rbmap_event_common, type),
	       sizeof(*id));
	return true;
}

#endif /* RBMAP_EVENT_COMMON_H */
