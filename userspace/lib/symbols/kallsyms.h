/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of the kernel for a recording. The table is larger than most
 * recordings, so it is only added if an event prints a symbol.
 */
#ifndef RBMAP_SYMBOLS_KALLSYMS_H
#define RBMAP_SYMBOLS_KALLSYMS_H

#include <stdbool.h>

#include "base/buf.h"

/* Return whether an event with this format prints a symbol. */
bool kallsyms_wanted(const char *format);

/*
 * Append the functions of a kallsyms file. If addresses are hidden, append
 * nothing.
 */
void kallsyms_read(struct buf *out, const char *path);

#endif /* RBMAP_SYMBOLS_KALLSYMS_H */
