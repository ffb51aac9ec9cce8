/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields that every record has, and kinds of fields by their type. */
#ifndef RBMAP_FILTER_FIELD_H
#define RBMAP_FILTER_FIELD_H

#include "filter.h"

u8 rbmap_filter_kind_of(const char *type, int len);
bool rbmap_filter_find_generic(const char *name, size_t len,
			       struct rbmap_filter_field *field);

#endif /* RBMAP_FILTER_FIELD_H */
