/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the kernel's events. */
#ifndef RBMAP_SOURCE_NAMES_H
#define RBMAP_SOURCE_NAMES_H

char *rbmap_kernel_event_names(void);

#endif /* RBMAP_SOURCE_NAMES_H */
