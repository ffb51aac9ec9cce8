/* SPDX-License-Identifier: GPL-2.0-only */
/* Print what is in the index. Hosts have written it: texts are escaped. */
#ifndef RBMAP_FLEET_ADMIN_PRINT_H
#define RBMAP_FLEET_ADMIN_PRINT_H

#include <stdint.h>

#include "base/json.h"

#define CELL_SIZE	64

/* Print a text, filled with blanks up to @width columns, and a blank. */
void print_text(const char *text, int width);
/* Print a line "NAME: VALUE", or nothing if the value is empty. */
void print_line(const char *name, const char *value);

/* These store a text in @cell and return it; "-" for INDEX_UNKNOWN. */
const char *cell_number(uint64_t number, char cell[CELL_SIZE]);
const char *cell_size(uint64_t bytes, char cell[CELL_SIZE]);
const char *cell_time(uint64_t ns, char cell[CELL_SIZE]);	/* local time */
const char *cell_span(int64_t ns, char cell[CELL_SIZE]);	/* "1.5 s", "-20 ms" */
/* @to - @from, if both are known */
const char *cell_between(uint64_t from, uint64_t to, char cell[CELL_SIZE]);

/* null for INDEX_UNKNOWN; or for an empty text */
void json_known(struct json *j, const char *key, uint64_t number);
void json_text(struct json *j, const char *key, const char *text);

#endif /* RBMAP_FLEET_ADMIN_PRINT_H */
