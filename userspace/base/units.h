/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Numbers, lengths of time and sizes that users write and read. A size is a number of KiB, or
 * a number with the unit K, M or G.
 */
#ifndef RBMAP_BASE_UNITS_H
#define RBMAP_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* Parse a decimal number. Any other character is an error. */
bool parse_u64(const char *text, uint64_t *value);
/*
 * Parse a length of time: a positive number with an optional fraction, of seconds or of the
 * unit behind it: us, ms, s, m (minutes) or h. Store seconds.
 */
bool parse_seconds(const char *text, double *value);

/* Parse a size above 0. */
bool parse_size_kb(const char *text, uint64_t *kb);

/*
 * Parse a list of CPUs, such as 0-3,8, and set a bit for each, in addition to those that are
 * set. CPUs from CPU_LIST_MAX on are an error.
 */
#define CPU_LIST_MAX	8192
#define CPU_LIST_WORDS	(CPU_LIST_MAX / 32)
bool parse_cpus(const char *list, uint32_t words[CPU_LIST_WORDS]);

/*
 * Add a word PARAMETER=VALUE. If the parameter is a number of KiB (its name ends with
 * _kb), and VALUE has a unit, add the number.
 */
void buf_add_parameter(struct buf *b, const char *word);

/* Write a size such as "12 KiB" to @text, and return @text. */
#define SIZE_TEXT 32
const char *size_text(uint64_t bytes, char text[SIZE_TEXT]);

#endif /* RBMAP_BASE_UNITS_H */
