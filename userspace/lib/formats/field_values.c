// SPDX-License-Identifier: LGPL-2.1-only
/* The values of fields. Neither the formats nor the events are trusted. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "api.h"

#define PLACE_SIZE	4	/* bytes of a dynamic field: the place of its data */

RBMAP_API int rbmap_field_data(const struct rbmap_format_field *field,
			       const struct rbmap_event *ev, const void **data,
			       size_t *size)
{
	size_t offset = field->offset, len = field->size;
	uint32_t place;

	if (offset > ev->size || len > ev->size - offset)
		return RBMAP_ERR_CORRUPT;
	if (field->flags & RBMAP_FIELD_DYNAMIC) {
		if (len != PLACE_SIZE)
			return RBMAP_ERR_CORRUPT;
		memcpy(&place, (const char *)ev->data + offset, sizeof(place));
		offset = (place & 0xffff) +
			 (field->flags & RBMAP_FIELD_RELATIVE ? offset + len : 0);
		len = place >> 16;
		if (offset > ev->size || len > ev->size - offset)
			return RBMAP_ERR_CORRUPT;
	} else if (!len) {
		/* "char buf[]" extends to the end of the event. */
		len = ev->size - offset;
	}
	*data = (const char *)ev->data + offset;
	*size = len;
	return 0;
}

/* Read a number that may be unaligned. */
static int read_number(const char *at, size_t size, bool is_signed, uint64_t *number)
{
	union {
		uint8_t v1;
		uint16_t v2;
		uint32_t v4;
		uint64_t v8;
	} v;

	if (size > sizeof(v))
		return -EINVAL;
	memcpy(&v, at, size);
	switch (size) {
	case 1:
		*number = is_signed ? (uint64_t)(int8_t)v.v1 : v.v1;
		return 0;
	case 2:
		*number = is_signed ? (uint64_t)(int16_t)v.v2 : v.v2;
		return 0;
	case 4:
		*number = is_signed ? (uint64_t)(int32_t)v.v4 : v.v4;
		return 0;
	case 8:
		*number = v.v8;
		return 0;
	}
	return -EINVAL;
}

RBMAP_API int rbmap_field_number(const struct rbmap_format_field *field,
				 const struct rbmap_event *ev, size_t index,
				 uint64_t *number)
{
	size_t element = field->element_size, size;
	const void *data;
	int ret = rbmap_field_data(field, ev, &data, &size);

	if (ret)
		return ret;
	if (!element)
		return -EINVAL;
	if (index >= size / element)
		return -ERANGE;
	return read_number((const char *)data + index * element, element,
			   field->flags & RBMAP_FIELD_SIGNED, number);
}

RBMAP_API int rbmap_field_string(const struct rbmap_format_field *field,
				 const struct rbmap_event *ev, const char **text,
				 size_t *len)
{
	const void *data;
	size_t size;
	int ret;

	if (!(field->flags & RBMAP_FIELD_ARRAY) || field->element_size != 1)
		return -EINVAL;
	ret = rbmap_field_data(field, ev, &data, &size);
	if (ret)
		return ret;
	*text = data;
	*len = strnlen(data, size);
	return 0;
}
