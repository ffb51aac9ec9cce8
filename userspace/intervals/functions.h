/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the kernel's functions, from the kallsyms text of a recording */
#ifndef RBMAP_INTERVALS_FUNCTIONS_H
#define RBMAP_INTERVALS_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct functions;

/*
 * @text: the kallsyms text; it may be empty, and must live as long. It is parsed before the
 * first name. Return NULL if memory is lacking.
 */
struct functions *functions_new(const char *text, size_t size);
void functions_free(struct functions *functions);

/* An interval_symbol_fn; @data: struct functions. Names are valid until functions_free(). */
const char *functions_name(void *data, uint64_t address);

#endif /* RBMAP_INTERVALS_FUNCTIONS_H */
