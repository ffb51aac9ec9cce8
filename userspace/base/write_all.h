/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_BASE_WRITE_ALL_H
#define RBMAP_BASE_WRITE_ALL_H

#include <stddef.h>

/* Write all bytes, also after signals. Return 0 or a negative errno. */
int write_all(int fd, const char *data, size_t size);

#endif /* RBMAP_BASE_WRITE_ALL_H */
