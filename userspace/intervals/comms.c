// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "comms.h"
#include "print/fields/fields.h"

/* prev_comm belongs to prev_pid; comm and newcomm belong to pid. oldcomm is no longer valid. */
static const struct rbmap_format_field *pid_of_comm(const struct rbmap_format *format,
						    const char *comm)
{
	size_t len = strlen(comm);
	char name[64];

	if (!strcmp(comm, "newcomm"))
		return rbmap_format_field_by_name(format, "pid");
	if (len < 4 || len >= sizeof(name) || !strcmp(comm, "oldcomm") ||
	    strcmp(comm + len - 4, "comm"))
		return NULL;
	snprintf(name, sizeof(name), "%.*spid", (int)len - 4, comm);
	return rbmap_format_field_by_name(format, name);
}

/* A program that is executed gives its thread the name of its file. */
static bool is_path_of_exec(const struct rbmap_format *format, const char *field)
{
	return !strcmp(format->name, "sched_process_exec") && !strcmp(field, "filename");
}

static struct layout_field set_field(struct layout_comms *comms,
				     const struct rbmap_format_field *f)
{
	if (comms->need < f->offset + f->size)
		comms->need = f->offset + f->size;
	return layout_field_of(f);
}

static void add(struct layout_comms *comms, const struct rbmap_format *format,
		const struct rbmap_format_field *f)
{
	bool is_path = is_path_of_exec(format, f->name);
	const struct rbmap_format_field *pid = is_path ?
		rbmap_format_field_by_name(format, "pid") : pid_of_comm(format, f->name);
	const struct rbmap_format_field *before = strcmp(f->name, "newcomm") ? NULL :
		rbmap_format_field_by_name(format, "oldcomm");
	struct comm_fields *comm = &comms->comm[comms->nr];

	if (!f->size || !pid || pid->size != sizeof(int32_t) ||
	    (f->flags & RBMAP_FIELD_DYNAMIC && f->size != sizeof(uint32_t)))
		return;
	*comm = (struct comm_fields){ .is_path = is_path };
	comm->comm = set_field(comms, f);
	comm->pid = set_field(comms, pid);
	if (before && before->size && !(before->flags & RBMAP_FIELD_DYNAMIC))
		comm->before = set_field(comms, before);
	comms->nr++;
}

void comms_find(struct layout_comms *comms, const struct rbmap_format *format)
{
	*comms = (struct layout_comms){ 0 };
	for (unsigned int i = 0; i < format->nr_fields && comms->nr < MOST_COMMS; i++)
		add(comms, format, rbmap_format_field(format, i));
}

size_t comms_text(const struct layout_field *field, bool is_path, const struct rbmap_event *ev,
		  const char **text)
{
	uint32_t offset = field->offset, size = field->size;
	const char *record = ev->data, *slash;

	if (field->dynamic)
		field_place(record, field->offset, field->size, field->relative, &offset, &size);
	if (offset > ev->size)
		return 0;
	if (size > ev->size - offset)
		size = ev->size - offset;
	*text = record + offset;
	size = strnlen(*text, size);
	slash = is_path ? memrchr(*text, '/', size) : NULL;
	if (slash) {
		size -= slash + 1 - *text;
		*text = slash + 1;
	}
	return size;
}
