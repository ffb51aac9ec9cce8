/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields in which events of any kind name tasks. */
#ifndef RBMAP_INTERVALS_COMMS_H
#define RBMAP_INTERVALS_COMMS_H

#include <rbmap.h>

#include "layout.h"
#include "print/task_fields.h"

#define MOST_COMMS	2	/* sched_switch names two tasks */

/**
 * struct comm_fields - the fields that name a task
 * @before: the name that it had before the event, if the size is not 0
 * @is_path: the name is the last part of a path, and the one before is not known
 */
struct comm_fields {
	struct layout_field pid, comm, before;
	bool is_path;
};

/**
 * struct layout_comms - the tasks that an event names
 * @need: bytes that a record must have
 */
struct layout_comms {
	uint32_t need;
	unsigned int nr;
	struct comm_fields comm[MOST_COMMS];
};

/* Find the fields of a format. Their number can be 0. */
void comms_find(struct layout_comms *comms, const struct rbmap_format *format);

/* Find the bytes of a name. Return their number; @text is valid if it is not 0. */
static inline size_t comms_text(const struct layout_field *field, bool is_path,
				const struct rbmap_event *ev, const char **text)
{
	const struct task_field place = {
		field->offset, field->size, field->dynamic, field->relative,
	};

	return task_field_text(place, is_path, ev, text);
}

static inline int comms_pid(const struct comm_fields *comm, const struct rbmap_event *ev)
{
	return task_field_pid(comm->pid.offset, ev);
}

#endif /* RBMAP_INTERVALS_COMMS_H */
