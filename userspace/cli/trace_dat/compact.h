/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remove holes from a file: move the data after a hole to the hole's start.
 *
 * Some file systems shift a file's extents and copy nothing. On others the data
 * is copied. That works on a full disk, too: each copied piece frees the space
 * for the next one.
 *
 * Functions return 0 or more for success and a negative errno. After an error
 * other than -EIO the data is where it was.
 */
#ifndef RBMAP_CLI_COMPACT_H
#define RBMAP_CLI_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Offsets and sizes are multiples of this, the largest block of a file system.
 */
#define COMPACT_ALIGN	65536u
/* Size of a piece of the file whose space may be used for copying. */
#define COMPACT_RESERVE	(1u << 20)

/* Remove the range between @to and @from. The file becomes shorter. */
int compact_collapse(int fd, uint64_t from, uint64_t to);

/* Free the space of a range. */
int compact_punch(int fd, uint64_t offset, uint64_t size);

/*
 * Copy @size bytes from @from down to @to. The ranges do not overlap. If a
 * second copy does not fit, the source is freed piece by piece, and *gone is
 * set.
 */
int compact_copy(int fd, uint64_t from, uint64_t to, uint64_t size, bool *gone);

#endif /* RBMAP_CLI_COMPACT_H */
