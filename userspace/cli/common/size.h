/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes that users write (a number of KiB, or a number with the unit K, M or G) and read. */
#ifndef RBMAP_CLI_SIZE_H
#define RBMAP_CLI_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* Parse a size above 0. */
bool parse_size_kb(const char *text, uint64_t *kb);

/*
 * Add a word PARAMETER=VALUE. If the parameter is a number of KiB (its name ends with
 * _kb), and VALUE has a unit, add the number.
 */
void buf_add_parameter(struct buf *b, const char *word);

/* Write a size such as "12 KiB" to @text, and return @text. */
#define SIZE_TEXT 32
const char *size_text(uint64_t bytes, char text[SIZE_TEXT]);

#endif /* RBMAP_CLI_SIZE_H */
