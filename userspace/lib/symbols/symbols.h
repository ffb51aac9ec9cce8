/* SPDX-License-Identifier: LGPL-2.1-only */
/* Find the function of an address in a kallsyms file. */
#ifndef RBMAP_SYMBOLS_SYMBOLS_H
#define RBMAP_SYMBOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr;
	char *name;
	char *module;		/* NULL: the kernel itself */
};

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/*
 * Add the text of a kallsyms file, which is copied. Return 0 or a negative
 * errno.
 */
int symbols_add(struct symbols *symbols, const char *text, size_t size);

/* Return the last symbol at or before @addr, or NULL. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t addr);

/* Return the symbol behind @symbol, or NULL. */
const struct symbol *symbols_next(const struct symbols *symbols,
				  const struct symbol *symbol);

#endif /* RBMAP_SYMBOLS_SYMBOLS_H */
