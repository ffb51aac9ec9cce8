/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Take holes out of a file: move what comes after a hole down to its start.
 *
 * Some file systems shift a file's extents and copy nothing.  On the others
 * data is copied, through a full disk too, as what was copied makes room for
 * what is next.
 *
 * Functions return 0 or more for success and a negative errno; after an error
 * other than -EIO the data is where it was.
 */
#ifndef RBMAP_CLI_COMPACT_H
#define RBMAP_CLI_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

/* Offsets and sizes are multiples of the file system's block: the largest. */
#define COMPACT_ALIGN	65536u
/* A piece of the file, with its space, that may be given up for copying. */
#define COMPACT_RESERVE	(1u << 20)

/* The file shrinks: everything from @from on comes to @to. */
int compact_collapse(int fd, uint64_t from, uint64_t to);

/* Free the space of a range. */
int compact_punch(int fd, uint64_t offset, uint64_t size);

/*
 * Copy @size bytes from @from down to @to; the two don't overlap.  If there is
 * no space for a second copy the first one goes away piece by piece; *gone
 * says that it did.
 */
int compact_copy(int fd, uint64_t from, uint64_t to, uint64_t size, bool *gone);

#endif /* RBMAP_CLI_COMPACT_H */
