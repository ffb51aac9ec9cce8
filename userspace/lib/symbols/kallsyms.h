/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of the kernel for a recording. The kernel's table is larger than most recordings,
 * so that a recording has those that its events print.
 */
#ifndef RBMAP_SYMBOLS_KALLSYMS_H
#define RBMAP_SYMBOLS_KALLSYMS_H

#include <stdbool.h>

/* Return whether an event with this format prints a symbol. */
bool kallsyms_wanted(const char *format);

/*
 * Bytes of a file of version 6 in which the symbols have place. The file gets them at its end,
 * and is created with empty lines.
 */
#define KALLSYMS_ROOM	(256u << 10)

#endif /* RBMAP_SYMBOLS_KALLSYMS_H */
