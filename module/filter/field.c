// SPDX-License-Identifier: GPL-2.0-only
/* The kind of a field, by its type; generic names such as CPU and COMM. */
#include "filter.h"

/**
 * rbmap_filter_kind_of - the kind of a field for filters
 * @type: type in the format file, without the size of an array
 * @len: number of elements of an array; 0: the field is not an array; below 0: an array
 *	up to the end of the record
 *
 * As in ftrace, an array of any char type is a string.
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
	/* ftrace has these for histograms.  It accepts them in filters, and no test is true. */
	{ "STACKTRACE", { .kind = RBMAP_FILTER_NUMBER } },
	{ "stacktrace", { .kind = RBMAP_FILTER_NUMBER } },
};

/**
 * rbmap_filter_find_generic - find a generic name, which each event has
 * @name: the name
 * @len: bytes of the name
 * @field: filled with the field of the name
 *
 * A field of the event with the same name takes precedence.
 *
 * Return: true if the name is a generic one.
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
