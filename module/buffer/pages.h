/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a sub-buffer. */
#ifndef RBMAP_PAGES_H
#define RBMAP_PAGES_H

#include <linux/types.h>

struct page;

/**
 * struct rbmap_pages_batch - pages that are freed together
 * @nr: number of pages
 * @page: the pages, as many as the kernel frees at once
 */
struct rbmap_pages_batch {
	unsigned int	nr;
	struct page	*page[31];
};

void *rbmap_pages_alloc(size_t size, int node, gfp_t charge);
void rbmap_pages_free(void *addr, size_t size);
void rbmap_pages_free_later(struct rbmap_pages_batch *batch, void *addr, size_t size);
void rbmap_pages_free_end(struct rbmap_pages_batch *batch);
bool rbmap_pages_unshared(const void *addr, size_t size);
struct page *rbmap_page_of(const void *addr);

#endif /* RBMAP_PAGES_H */
