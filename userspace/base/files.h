/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole reads and writes */
#ifndef RBMAP_BASE_FILES_H
#define RBMAP_BASE_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Write all bytes, also after signals. Return 0 or a negative errno. */
int write_all(int fd, const char *data, size_t size);

/* Write all bytes at an offset. Return 0 or a negative errno. */
int write_all_at(int fd, const void *data, size_t size, uint64_t offset);

/* Read all bytes at an offset. Return 0 or a negative errno; -EBADMSG: the file is shorter. */
int read_all_at(int fd, void *data, size_t size, uint64_t offset);

#endif /* RBMAP_BASE_FILES_H */
