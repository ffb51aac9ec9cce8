/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the kernel's tracefs. */
#ifndef RBMAP_SOURCE_TRACEFS_TEXT_H
#define RBMAP_SOURCE_TRACEFS_TEXT_H

char *rbmap_tracefs_text(const char *path);
char *rbmap_tracefs_events(void);
void rbmap_tracefs_text_exit(void);

#endif /* RBMAP_SOURCE_TRACEFS_TEXT_H */
