/* SPDX-License-Identifier: GPL-2.0-only */
/* Verify a compiled filter. */
#ifndef RBMAP_FILTER_VERIFY_H
#define RBMAP_FILTER_VERIFY_H

#include "filter.h"

bool rbmap_filter_verify(const struct rbmap_filter *filter, size_t size);

#endif /* RBMAP_FILTER_VERIFY_H */
