/* SPDX-License-Identifier: GPL-2.0-only */
/* Measure a record's fields, and fill the record. */
#ifndef RBMAP_DYNAMIC_FETCH_H
#define RBMAP_DYNAMIC_FETCH_H

#include "program.h"

size_t rbmap_fetch_measure(const struct rbmap_fetch_program *program,
			   const struct rbmap_fetch_args *args,
			   struct rbmap_fetch_strings *strings);
void rbmap_fetch_fill(const struct rbmap_fetch_program *program,
		      const struct rbmap_fetch_args *args,
		      const struct rbmap_fetch_strings *strings, void *record);
void rbmap_fetch_hide_all(const void *data, void *record, size_t size);

#endif /* RBMAP_DYNAMIC_FETCH_H */
