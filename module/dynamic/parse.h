/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse a line of dynamic_events. */
#ifndef RBMAP_DYNAMIC_PARSE_H
#define RBMAP_DYNAMIC_PARSE_H

#include "program.h"

bool rbmap_dynamic_parse(const char *text, size_t len, size_t header,
			 size_t max, struct rbmap_dynamic_line *line,
			 struct rbmap_line_error *error);

#endif /* RBMAP_DYNAMIC_PARSE_H */
