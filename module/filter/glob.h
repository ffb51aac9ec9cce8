/* SPDX-License-Identifier: GPL-2.0-only */
/* Match a glob pattern. */
#ifndef RBMAP_FILTER_GLOB_H
#define RBMAP_FILTER_GLOB_H

#include "filter/platform.h"

bool rbmap_filter_glob(const char *pattern, const char *text, size_t len);

#endif /* RBMAP_FILTER_GLOB_H */
