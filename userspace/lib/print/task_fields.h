/* SPDX-License-Identifier: LGPL-2.1-only */
/* The fields in which events name tasks. */
#ifndef RBMAP_PRINT_TASK_FIELDS_H
#define RBMAP_PRINT_TASK_FIELDS_H

#include <rbmap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "print/fields/fields.h"
#include "recording/dat_hosts.h"

#define TASK_FIELD_NAME	64
#define TASK_COMM_SIZE	16				/* the kernel's TASK_COMM_LEN */
#define TASK_NAME_SIZE	(TASK_COMM_SIZE + DAT_HOST_NAME)	/* "HOST:" before it */

/**
 * struct task_field - the place of a name
 */
struct task_field {
	uint32_t offset, size;
	bool dynamic, relative;
};

/*
 * Return the name of the field with the pid of the task that @field names, or NULL: it names
 * none. @name is for use of the function.
 */
const char *task_fields_pid(const char *event, const char *field, char name[TASK_FIELD_NAME]);

/* Return true if the name is the last part of the path that the field has. */
bool task_fields_is_path(const char *event, const char *field);

/*
 * Find the bytes of a name. The field is in the event; a dynamic one may lead out of it. Return
 * their number; *@text is valid if it is not 0.
 */
static inline size_t task_field_text(struct task_field field, bool is_path,
				     const struct rbmap_event *ev, const char **text)
{
	const char *record = ev->data, *slash;
	size_t size;

	if (field.dynamic) {
		if (field.size != sizeof(uint32_t))
			return 0;
		field_place(record, field.offset, field.size, field.relative, &field.offset,
			    &field.size);
	}
	if (field.offset > ev->size)
		return 0;
	if (field.size > ev->size - field.offset)
		field.size = ev->size - field.offset;
	*text = record + field.offset;
	size = strnlen(*text, field.size);
	slash = is_path ? memrchr(*text, '/', size) : NULL;
	if (slash) {
		size -= slash + 1 - *text;
		*text = slash + 1;
	}
	return size;
}

static inline int task_field_pid(uint32_t offset, const struct rbmap_event *ev)
{
	int32_t pid;

	memcpy(&pid, (const char *)ev->data + offset, sizeof(pid));
	return pid;
}

/*
 * Copy a name for use in a line of text, behind that of the task's host: cut it at characters
 * that would break the line. @hosts: NULL: none. Return false if the name is empty.
 */
bool task_name_copy(const struct dat_hosts *hosts, int pid, char name[TASK_NAME_SIZE],
		    const char *from, size_t size);

#endif /* RBMAP_PRINT_TASK_FIELDS_H */
