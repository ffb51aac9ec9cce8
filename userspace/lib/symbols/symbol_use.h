/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the symbols that the events of a recording print. The kernel's table of symbols is
 * larger than most recordings, and events use few of them.
 */
#ifndef RBMAP_SYMBOLS_SYMBOL_USE_H
#define RBMAP_SYMBOLS_SYMBOL_USE_H

#include <stddef.h>

#include "base/buf.h"

struct symbol_use;

/* Return NULL if memory is lacking. */
struct symbol_use *symbol_use_new(void);
void symbol_use_free(struct symbol_use *use);

/* Add the format of an event. Return 0 or a negative errno. */
int symbol_use_add_format(struct symbol_use *use, const char *format);

/* Collect the addresses in the events of a page. Return 0 or -ENOMEM. */
int symbol_use_add_page(struct symbol_use *use, const void *page, size_t size);

/*
 * Append the symbols that the events print, as a kallsyms file, in the order of the
 * addresses. Behind each symbol stands the one that ends it. Return 0 or -ENOMEM.
 */
int symbol_use_print(const struct symbol_use *use, const char *kallsyms, size_t size,
		     struct buf *out);

#endif /* RBMAP_SYMBOLS_SYMBOL_USE_H */
