// SPDX-License-Identifier: GPL-2.0-only
/* Check an event that a module wants to register. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "event.h"
#include "lib/log.h"
#include "validate.h"

#define RBMAP_FIELDS_MAX	256
#define RBMAP_TYPE_MAX		128
#define RBMAP_PRINT_MAX		65536

/* Names of files beside the directories of events and systems. */
static const char *const rbmap_reserved_names[] = {
	"enable", "filter", "header_event", "header_page",
};

static bool rbmap_name_ok(const char *name)
{
	size_t len, i;

	if (!name)
		return false;
	len = strnlen(name, RBMAP_EVENT_NAME_MAX + 1);
	if (!len || len > RBMAP_EVENT_NAME_MAX || isdigit(name[0]))
		return false;
	for (i = 0; i < len; i++) {
		if (!isascii(name[i]) || !(isalnum(name[i]) || name[i] == '_'))
			return false;
	}
	return true;
}

static bool rbmap_name_is_reserved(const char *name)
{
	return match_string(rbmap_reserved_names, ARRAY_SIZE(rbmap_reserved_names),
			    name) >= 0;
}

/* The type is part of a line of the format file, and ends at a semicolon there. */
static bool rbmap_type_ok(const char *type)
{
	size_t len, i;

	if (!type)
		return false;
	len = strnlen(type, RBMAP_TYPE_MAX + 1);
	if (!len || len > RBMAP_TYPE_MAX)
		return false;
	for (i = 0; i < len; i++) {
		if (!isascii(type[i]) || !isprint(type[i]) || type[i] == ';')
			return false;
	}
	return true;
}

/* Test whether an earlier field has the same name. */
static bool rbmap_field_twice(const struct rbmap_field *fields,
			      const struct rbmap_field *field)
{
	const struct rbmap_field *other;

	for (other = fields; other < field; other++) {
		if (!strcmp(other->name, field->name))
			return true;
	}
	return false;
}

static const char *rbmap_field_wrong(const struct rbmap_field *fields,
				     const struct rbmap_field *field)
{
	bool open = field->len == RBMAP_FIELD_OPEN;

	if (!rbmap_name_ok(field->name))
		return "its name is not a C identifier of at most 64 characters";
	if (rbmap_field_twice(fields, field))
		return "another field has the same name";
	if (!rbmap_type_ok(field->type))
		return "its type is not a text of at most 128 characters without a semicolon";
	if (!is_power_of_2(field->align) || field->align > 64)
		return "its alignment is not a power of two up to 64";
	if (open && field[1].name)
		return "it is an array without a length, but not the last field";
	if (field->len < (open ? RBMAP_FIELD_OPEN : 0) ||
	    !field->size != open ||
	    (field->len > 0 && field->size % field->len))
		return "its size contradicts its number of elements";
	return NULL;
}

/* The log shows characters that names must not contain as escapes. */
#define rbmap_event_refuse(_event, _format, ...)			\
	rbmap_warn("event %*pE:%*pE refused: " _format "\n",		\
		   rbmap_name_len((_event)->system),			\
		   (_event)->system ?: "",				\
		   rbmap_name_len((_event)->name),			\
		   (_event)->name ?: "", ##__VA_ARGS__)

static int rbmap_name_len(const char *name)
{
	return name ? strnlen(name, RBMAP_EVENT_NAME_MAX) : 0;
}

static int rbmap_fields_check(const struct rbmap_event_type *event)
{
	const struct rbmap_field *field;
	size_t end = sizeof(struct rbmap_record);
	const char *wrong;

	for (field = event->fields; field->name; field++) {
		if (field - event->fields >= RBMAP_FIELDS_MAX) {
			rbmap_event_refuse(event, "it has more than %d fields",
					   RBMAP_FIELDS_MAX);
			return -EINVAL;
		}
		wrong = rbmap_field_wrong(event->fields, field);
		if (wrong) {
			rbmap_event_refuse(event, "field %td, %*pE: %s",
					   field - event->fields,
					   rbmap_name_len(field->name),
					   field->name, wrong);
			return -EINVAL;
		}
		end = ALIGN(end, field->align) + field->size;
		if (end > RBMAP_EVENT_MAX) {
			rbmap_event_refuse(event, "with its field %s a record is larger than %zu bytes",
					   field->name,
					   (size_t)RBMAP_EVENT_MAX);
			return -E2BIG;
		}
	}
	return 0;
}

/**
 * rbmap_event_check - test whether an event can be registered
 * @event: the event of a module
 *
 * Context: may sleep.
 * Return: 0, -EINVAL or -E2BIG; the log names the reason.
 */
int rbmap_event_check(const struct rbmap_event_type *event)
{
	if (!rbmap_name_ok(event->system) || !rbmap_name_ok(event->name)) {
		rbmap_event_refuse(event, "names must be C identifiers of at most %d characters",
				   RBMAP_EVENT_NAME_MAX);
		return -EINVAL;
	}
	if (rbmap_name_is_reserved(event->system) || rbmap_name_is_reserved(event->name)) {
		rbmap_event_refuse(event, "a file of events/ has that name: choose another one");
		return -EINVAL;
	}
	if (!event->fields)
		return 0;
	if (!event->print_fmt ||
	    strnlen(event->print_fmt, RBMAP_PRINT_MAX) == RBMAP_PRINT_MAX) {
		rbmap_event_refuse(event, "it has no print format of less than %d bytes",
				   RBMAP_PRINT_MAX);
		return -EINVAL;
	}
	return rbmap_fields_check(event);
}

/**
 * rbmap_event_fits_stack - do probes assemble each record on the stack for a filter?
 * @event: an event that rbmap_event_check() accepts
 *
 * Return: true for a small record without arrays and strings behind its members.
 */
bool rbmap_event_fits_stack(const struct rbmap_event_type *event)
{
	const struct rbmap_field *field = event->fields;
	size_t end = sizeof(struct rbmap_record);

	if (!field)
		return false;
	for (; field->name; field++) {
		if (field->len == RBMAP_FIELD_OPEN || strstarts(field->type, "__data_loc "))
			return false;
		end = ALIGN(end, field->align) + field->size;
	}
	return end <= RBMAP_STACK_MAX;
}
