/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes have devices open, or map them. */
#ifndef RBMAP_CLI_HOLDERS_H
#define RBMAP_CLI_HOLDERS_H

#include "buf.h"

/* Adds "comm (pid N), ..." to @who; @dir: of the devices, with those below it. */
void holders_find(struct buf *who, const char *dir);

#endif /* RBMAP_CLI_HOLDERS_H */
