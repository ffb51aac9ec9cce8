/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's functions, for a recording: only where an event prints one, as
 * the whole table is larger than most recordings.
 */
#ifndef RBMAP_CLI_KALLSYMS_H
#define RBMAP_CLI_KALLSYMS_H

#include <stdbool.h>

#include "common/buf.h"

/* Does an event with this format print a symbol? */
bool kallsyms_wanted(const char *format);

/* The functions of a kallsyms file; nothing if addresses are hidden. */
void kallsyms_read(struct buf *out, const char *path);

#endif /* RBMAP_CLI_KALLSYMS_H */
