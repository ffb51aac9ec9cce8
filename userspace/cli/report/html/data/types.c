// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "event_common.h"
#include "print/crash_notes.h"
#include "print/fields/fields.h"
#include "types.h"

#define NR_IDS	65536	/* common_type has 16 bits */

#define NO_NUMBER	(TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_POINTER | TEP_FIELD_IS_STRING | \
			 TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_RELATIVE)

struct types {
	struct type *of_id[NR_IDS];
	struct type too_short;
	struct type *used[NR_IDS + 2];	/* by index */
	unsigned int nr;
};

struct types *types_new(void)
{
	struct types *types = calloc(1, sizeof(*types));

	if (types)
		types->too_short.id = -1;
	return types;
}

static void free_type(struct type *type)
{
	if (!type)
		return;
	for (unsigned int i = 0; i < type->nr_fields; i++)
		free(type->field[i].name);
	free(type->system);
	free(type->name);
	free(type);
}

void types_free(struct types *types)
{
	for (unsigned int i = 0; types && i < NR_IDS; i++)
		free_type(types->of_id[i]);
	free(types);
}

/* Leave pointers out: they take the most bytes, and tell the reader least. */
static bool is_kept(const struct tep_format_field *f)
{
	return !(f->flags & NO_NUMBER) && f->offset >= 0 && f->offset <= OFFSET_MAX &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static bool add_fields(struct type *type, const struct tep_event *event)
{
	const struct tep_format_field *f;

	for (f = event->format.fields; f && type->nr_fields < TYPE_FIELDS; f = f->next) {
		if (!is_kept(f))
			continue;
		type->field[type->nr_fields] = (struct type_field){
			.name = strdup(f->name),
			.offset = f->offset,
			.size = f->size,
			.is_signed = f->flags & TEP_FIELD_IS_SIGNED,
		};
		if (!type->field[type->nr_fields++].name)
			return false;
	}
	return true;
}

static int add_type(struct types *types, const struct tep_event *event)
{
	struct type *type;

	if (event->id < 0 || event->id >= NR_IDS)
		return 0;
	type = calloc(1, sizeof(*type));
	if (!type)
		return -ENOMEM;
	type->id = event->id;
	type->system = strdup(event->system);
	type->name = strdup(event->name);
	if (!type->system || !type->name || !add_fields(type, event)) {
		free_type(type);
		return -ENOMEM;
	}
	free_type(types->of_id[event->id]);
	types->of_id[event->id] = type;
	return 0;
}

int types_add_format(struct types *types, const char *system, const char *format, size_t size)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	int ret = 0;

	if (!tep)
		return -ENOMEM;
	if (!crash_enter_format(0, system, format, size)) {
		tep_free(tep);
		return 0;
	}
	tep_set_long_size(tep, sizeof(long));
	tep_set_loglevel(TEP_LOG_NONE);
	/* A format with an invalid "print fmt" has valid fields. */
	tep_parse_format(tep, &event, format, size, system);
	if (event && event->name && event->system)
		ret = add_type(types, event);
	tep_free(tep);
	crash_leave();
	return ret;
}

static struct type *find(struct types *types, const struct rbmap_event *ev)
{
	uint16_t id;

	if (!event_id(ev, &id))
		return &types->too_short;
	if (!types->of_id[id]) {
		types->of_id[id] = calloc(1, sizeof(struct type));
		if (types->of_id[id])
			types->of_id[id]->id = id;
	}
	return types->of_id[id];
}

struct type *types_count(struct types *types, const struct rbmap_event *ev)
{
	struct type *type = find(types, ev);

	if (!type)
		return NULL;
	if (!type->index) {
		type->index = ++types->nr;
		types->used[type->index] = type;
	}
	type->events++;
	return type;
}

unsigned int types_nr(const struct types *types)
{
	return types->nr;
}

const struct type *types_get(const struct types *types, unsigned int index)
{
	return types->used[index];
}

int64_t type_value(const struct type_field *field, const struct rbmap_event *ev)
{
	uint64_t value;

	if (field->offset > ev->size || field->size > ev->size - field->offset)
		return 0;
	value = field_number((const char *)ev->data + field->offset, field->size);
	return field->is_signed ? sign_extend(value, 8 * field->size) : (int64_t)value;
}
