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
 *
 * Zeroed: user space sees all of it.  Physically contiguous if that comes
 * easily (fewer TLB misses), __GFP_COMP so that its pages can be mapped.
 *
 * Context: may sleep.
 * Return: it, or NULL.
 */
void *rbmap_pages_alloc(size_t size, int node)
{
	struct page *page;

	if (size == PAGE_SIZE)
		page = alloc_pages_node(node, RBMAP_GFP, 0);
	else
		page = alloc_pages_node(node, (RBMAP_GFP & ~__GFP_RETRY_MAYFAIL) |
					__GFP_NORETRY | __GFP_COMP,
					get_order(size));
	if (page)
		return page_address(page);
	return size == PAGE_SIZE ? NULL : vzalloc_node(size, node);
}

/**
 * rbmap_pages_free - free what rbmap_pages_alloc() has given
 * @addr: it
 *
 * Pages that others have a reference to live on until these are gone.
 *
 * Context: may sleep.
 */
void rbmap_pages_free(void *addr)
{
	if (is_vmalloc_addr(addr))
		vfree(addr);
	else
		put_page(virt_to_page(addr));
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
