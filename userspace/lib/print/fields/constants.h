/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The kernel's constant strings and formats of trace_printk(): an event has their address,
 * and the printk section of a recording has the texts.
 */
#ifndef RBMAP_PRINT_FIELDS_CONSTANTS_H
#define RBMAP_PRINT_FIELDS_CONSTANTS_H

#include <stddef.h>
#include <stdint.h>

struct constants;

struct constants *constants_new(void);		/* NULL: out of memory */
void constants_free(struct constants *c);

/*
 * Read lines "0xADDRESS : "TEXT"". Lines of another form are left out. Return 0 or -ENOMEM.
 */
int constants_add(struct constants *c, const char *text, size_t size);

/* Return the text, without its quotes and its newline; NULL: the address is not known. */
const char *constants_find(const struct constants *c, uint64_t addr);

/* Call @each for each text. */
typedef void constant_fn(void *data, uint64_t addr, const char *text);
void constants_each(const struct constants *c, constant_fn *each, void *data);

#endif /* RBMAP_PRINT_FIELDS_CONSTANTS_H */
