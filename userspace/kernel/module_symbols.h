/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the kernel's functions, which the module finds for root. */
#ifndef RBMAP_KERNEL_MODULE_SYMBOLS_H
#define RBMAP_KERNEL_MODULE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Append the functions of addresses as the text of a kallsyms file, in any order. A symbol
 * ends where the next one begins, so the function behind each one is there, too. An address
 * that would be taken for one of these functions, but has none, gets a symbol that is named
 * like the address. Return 0 or a negative errno; -EPERM: the kernel shows this process no
 * addresses.
 */
int module_symbols_read(const uint64_t *addr, size_t nr, struct buf *out);

/* Names that are asked for one by one, and kept: those of the first 32,768 addresses. */
struct module_symbols;
struct symbol;

/* Return NULL if memory is lacking. */
struct module_symbols *module_symbols_new(void);
void module_symbols_free(struct module_symbols *symbols);

/* Return the function of an address, or NULL. It is valid until module_symbols_free(). */
const struct symbol *module_symbols_find(struct module_symbols *symbols, uint64_t addr);

#endif /* RBMAP_KERNEL_MODULE_SYMBOLS_H */
