/* SPDX-License-Identifier: GPL-2.0-only */
/* Run a filter on a record. */
#ifndef RBMAP_FILTER_MATCH_H
#define RBMAP_FILTER_MATCH_H

#include "filter.h"

bool rbmap_filter_match(const struct rbmap_filter *filter, const void *fields,
			const void *record, size_t size);

#endif /* RBMAP_FILTER_MATCH_H */
