/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of sub-buffers that splice() has passed to pipes.  The ring keeps it, and uses
 * it again once the pipes have released it: no page has to be allocated and cleared.
 */
#ifndef RBMAP_PASSED_H
#define RBMAP_PASSED_H

#include <linux/types.h>

/* A pipe holds at most so many bytes, unless root has raised its limit. */
#define RBMAP_PASSED_BYTES	(1U << 20)
#define RBMAP_PASSED_MAX	256

/**
 * struct rbmap_passed - the memory that a ring has passed to pipes, a queue
 * @subbuf: the memory of sub-buffers, a reference to each page
 * @oldest: index of the memory that was passed first
 * @nr: number of entries
 */
struct rbmap_passed {
	void		*subbuf[RBMAP_PASSED_MAX];
	unsigned int	oldest;
	unsigned int	nr;
};

void rbmap_passed_add(struct rbmap_passed *passed, void *subbuf, size_t size);
void *rbmap_passed_reuse(struct rbmap_passed *passed, size_t size);
void rbmap_passed_free(struct rbmap_passed *passed, size_t size);

#endif /* RBMAP_PASSED_H */
