// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "comms.h"

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
	char room[TASK_FIELD_NAME];
	const char *name = task_fields_pid(format->name, f->name, room);
	const struct rbmap_format_field *pid =
		name ? rbmap_format_field_by_name(format, name) : NULL;
	const struct rbmap_format_field *before = strcmp(f->name, "newcomm") ? NULL :
		rbmap_format_field_by_name(format, "oldcomm");
	struct comm_fields *comm = &comms->comm[comms->nr];

	if (!f->size || !pid || pid->size != sizeof(int32_t) ||
	    (f->flags & RBMAP_FIELD_DYNAMIC && f->size != sizeof(uint32_t)))
		return;
	*comm = (struct comm_fields){ .is_path = task_fields_is_path(format->name, f->name) };
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
