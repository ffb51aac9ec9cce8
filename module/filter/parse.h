/* SPDX-License-Identifier: GPL-2.0-only */
/* Compile the text of a filter. */
#ifndef RBMAP_FILTER_PARSE_H
#define RBMAP_FILTER_PARSE_H

#include "filter.h"

struct rbmap_filter *rbmap_filter_parse(const char *text,
					rbmap_filter_find find,
					const void *data,
					struct rbmap_filter_error *error);
void rbmap_filter_free(struct rbmap_filter *filter);

#endif /* RBMAP_FILTER_PARSE_H */
