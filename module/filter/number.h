/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse numbers, and compile comparisons. */
#ifndef RBMAP_FILTER_NUMBER_H
#define RBMAP_FILTER_NUMBER_H

#include "filter.h"

bool rbmap_filter_number(const char *text, size_t len, bool is_signed,
			 u64 *value);
void rbmap_filter_compare(struct rbmap_filter_op *op, bool is_signed,
			  const char *compare, u64 value);

#endif /* RBMAP_FILTER_NUMBER_H */
