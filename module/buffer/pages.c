// SPDX-License-Identifier: GPL-2.0-only
/* The memory of a sub-buffer. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "pages.h"

/* No retries that would make others suffer: a ring can do without. */
#define RBMAP_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | \
			 __GFP_NOWARN)

/**
 * rbmap_pages_alloc - memory for a sub-buffer
 * @size: bytes, a power of two, a page or more
 * @node: where
 * @charge: __GFP_ACCOUNT: to the memory cgroup of the current task; 0: to none
 *
 * Zeroed: user space sees all of it.  Physically contiguous if that comes
 * easily (fewer TLB misses), but each page for itself: the kernel wants to
 * split a compound page of which a part is mapped, and madvise() does not get
 * out of that in a kernel that can't.
 *
 * Context: may sleep.
 * Return: it, or NULL.
 */
void *rbmap_pages_alloc(size_t size, int node, gfp_t charge)
{
	struct page *page;

	if (size == PAGE_SIZE) {
		page = alloc_pages_node(node, RBMAP_GFP | charge, 0);
		return page ? page_address(page) : NULL;
	}
	page = alloc_pages_node(node, (RBMAP_GFP & ~__GFP_RETRY_MAYFAIL) |
				__GFP_NORETRY | charge, get_order(size));
	/* vzalloc_node() charges nobody. */
	if (!page && charge)
		return __vmalloc(size, GFP_KERNEL | __GFP_ZERO | charge);
	if (!page)
		return vzalloc_node(size, node);
	split_page(page, get_order(size));
	return page_address(page);
}

/**
 * rbmap_pages_free - free what rbmap_pages_alloc() has given
 * @addr: it
 * @size: as it was asked for
 *
 * Pages that others have a reference to live on until these are gone.
 *
 * Context: may sleep.
 */
void rbmap_pages_free(void *addr, size_t size)
{
	size_t at;

	if (is_vmalloc_addr(addr)) {
		vfree(addr);
		return;
	}
	for (at = 0; at < size; at += PAGE_SIZE)
		put_page(virt_to_page((u8 *)addr + at));
}

/**
 * rbmap_page_of - the page that is at an address
 * @addr: in what rbmap_pages_alloc() has given
 */
struct page *rbmap_page_of(const void *addr)
{
	return is_vmalloc_addr(addr) ? vmalloc_to_page(addr) :
				       virt_to_page(addr);
}
