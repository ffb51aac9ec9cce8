// SPDX-License-Identifier: GPL-2.0-only
/* What filters take a field for, by its type; names that are no fields. */
#include "field.h"
#include "filter.h"

/**
 * rbmap_filter_kind_of - what a field is to a filter
 * @type: as the format file has it, without the size of an array
 * @len: elements: above 0 of an array, 0 of what is none, below 0 of an array
 *	up to the end of the record
 *
 * A string is what consists of some kind of char, as ftrace has it.
 *
 * Return: enum rbmap_filter_kind.
 */
u8 rbmap_filter_kind_of(const char *type, int len)
{
	if (!strstr(type, "char"))
		return RBMAP_FILTER_NUMBER;
	if (strstr(type, "__data_loc"))
		return RBMAP_FILTER_DYNAMIC;
	if (len < 0)
		return RBMAP_FILTER_REST;
	return len ? RBMAP_FILTER_ARRAY : RBMAP_FILTER_NUMBER;
}

static const struct {
	const char			*name;
	struct rbmap_filter_field	field;
} rbmap_generic_fields[] = {
	{ "CPU", { .kind = RBMAP_FILTER_CPU, .size = 4, .is_signed = true } },
	{ "cpu", { .kind = RBMAP_FILTER_CPU, .size = 4, .is_signed = true } },
	{ "common_cpu", { .kind = RBMAP_FILTER_CPU, .size = 4,
			  .is_signed = true } },
	{ "COMM", { .kind = RBMAP_FILTER_COMM } },
	{ "comm", { .kind = RBMAP_FILTER_COMM } },
	/* For histograms: ftrace lets filters have them, and nothing is true. */
	{ "STACKTRACE", { .kind = RBMAP_FILTER_NUMBER } },
	{ "stacktrace", { .kind = RBMAP_FILTER_NUMBER } },
};

/**
 * rbmap_filter_find_generic - names that each event has
 * @name: the name
 * @len: its bytes
 * @field: what it stands for
 *
 * A field of the event of that name comes first.
 *
 * Return: whether it is one.
 */
bool rbmap_filter_find_generic(const char *name, size_t len,
			       struct rbmap_filter_field *field)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rbmap_generic_fields); i++) {
		if (strlen(rbmap_generic_fields[i].name) == len &&
		    !memcmp(rbmap_generic_fields[i].name, name, len)) {
			*field = rbmap_generic_fields[i].field;
			return true;
		}
	}
	return false;
}
