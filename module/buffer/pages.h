/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a sub-buffer. */
#ifndef RBMAP_PAGES_H
#define RBMAP_PAGES_H

#include <linux/types.h>

struct page;

void *rbmap_pages_alloc(size_t size, int node, gfp_t charge);
void rbmap_pages_free(void *addr, size_t size);
bool rbmap_pages_unshared(const void *addr, size_t size);
struct page *rbmap_page_of(const void *addr);

#endif /* RBMAP_PAGES_H */
