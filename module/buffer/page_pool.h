/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of sub-buffers that splice() has passed to pipes.  The ring keeps it, and uses
 * it again once the pipes have released it: no page has to be allocated and cleared.
 */
#ifndef RBMAP_PAGE_POOL_H
#define RBMAP_PAGE_POOL_H

#include <linux/types.h>

/* Bytes that a pipe holds at most, unless root has raised its limit. */
#define RBMAP_PAGE_POOL_BYTES	(1U << 20)
#define RBMAP_PAGE_POOL_MAX	256

/**
 * struct rbmap_page_pool - the memory that a ring has passed to pipes, a queue
 * @subbuf: the memory of sub-buffers, a reference to each page
 * @oldest: index of the memory that was passed first
 * @nr: number of entries
 */
struct rbmap_page_pool {
	void		*subbuf[RBMAP_PAGE_POOL_MAX];
	unsigned int	oldest;
	unsigned int	nr;
};

void rbmap_page_pool_add(struct rbmap_page_pool *pool, void *subbuf, size_t size);
void *rbmap_page_pool_reuse(struct rbmap_page_pool *pool, size_t size);
void rbmap_page_pool_free(struct rbmap_page_pool *pool, size_t size);

#endif /* RBMAP_PAGE_POOL_H */
