/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Find the symbols that the events of a recording print. The kernel's table of symbols is
 * larger than most recordings, and events use few of them.
 */
#ifndef RBMAP_SYMBOLS_SYMBOL_USE_H
#define RBMAP_SYMBOLS_SYMBOL_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Return whether an event with this format prints a symbol. */
bool kallsyms_wanted(const char *format);

/*
 * Bytes of a file of version 6 in which the symbols have place. The file gets them at its end,
 * and is created with empty lines.
 */
#define KALLSYMS_ROOM	(256u << 10)

struct symbol_use;

/* Return NULL if memory is lacking. */
struct symbol_use *symbol_use_new(void);
void symbol_use_free(struct symbol_use *use);

/* Add the format of an event. Return 0 or a negative errno. */
int symbol_use_add_format(struct symbol_use *use, const char *format);

/* Collect the addresses in the events of a page. Return 0 or -ENOMEM. */
int symbol_use_add_page(struct symbol_use *use, const void *page, size_t size);

/* Return whether an event prints a symbol. */
bool symbol_use_any(const struct symbol_use *use);

/* Return how many times there was an address beyond the first 65,536 different ones. */
uint64_t symbol_use_left_out(const struct symbol_use *use);

/*
 * Append the symbols that the events print, as a kallsyms file, in the order of the
 * addresses. Behind each symbol stands the one that ends it. Return 0 or -ENOMEM.
 */
int symbol_use_print(const struct symbol_use *use, const char *kallsyms, size_t size,
		     struct buf *out);

/*
 * Append the symbols of addresses, as the text of a kallsyms file in any order. Return 0 or a
 * negative errno.
 */
typedef int symbols_read_fn(const uint64_t *addr, size_t nr, struct buf *kallsyms);

/* The same with symbols of @read. Also return an error of @read. */
int symbol_use_read(const struct symbol_use *use, symbols_read_fn *read, struct buf *out);

#endif /* RBMAP_SYMBOLS_SYMBOL_USE_H */
