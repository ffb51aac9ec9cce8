/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes have devices open, or map them; which modules use ours. */
#ifndef RBMAP_CLI_HOLDERS_H
#define RBMAP_CLI_HOLDERS_H

#include "common/buf.h"

/* Adds "comm (pid N), ..." to @who; @dir: of the devices, with those below it. */
void holders_find(struct buf *who, const char *dir);

/* Adds "module NAME, ..." to @who. */
void holders_find_modules(struct buf *who);

#endif /* RBMAP_CLI_HOLDERS_H */
