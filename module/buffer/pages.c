// SPDX-License-Identifier: GPL-2.0-only
/* The memory of a sub-buffer. */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/vmalloc.h>

#include "pages.h"

/* No retries at the expense of others: rbmap can do without the ring. */
#define RBMAP_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | \
			 __GFP_NOWARN)

/**
 * rbmap_pages_alloc - allocate memory for a sub-buffer
 * @size: bytes, a power of two, a page or more
 * @node: NUMA node
 * @charge: __GFP_ACCOUNT to charge the memory cgroup of the current task, or 0
 *
 * The memory is zeroed, because user space can map all of it.  It is physically
 * contiguous if such memory is at hand, which saves TLB misses.  Each page has its
 * own reference count.  A compound page that is mapped in part would be split by the
 * kernel, and madvise() on a kernel that cannot split it does not return.
 *
 * Context: may sleep.
 * Return: the memory, or NULL.
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
	/* vzalloc_node() does not charge the memory cgroup. */
	if (!page && charge)
		return __vmalloc(size, GFP_KERNEL | __GFP_ZERO | charge);
	if (!page)
		return vzalloc_node(size, node);
	split_page(page, get_order(size));
	return page_address(page);
}

/**
 * rbmap_pages_free - free memory of rbmap_pages_alloc()
 * @addr: the memory
 * @size: as passed to rbmap_pages_alloc()
 *
 * A page to which others have a reference is freed with the last of them.
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
 * rbmap_pages_free_later - free memory of rbmap_pages_alloc() together with other memory
 * @batch: pages that are freed with this memory; zeroed before the first call
 * @addr: the memory
 * @size: as passed to rbmap_pages_alloc()
 *
 * The allocator takes its lock once for many pages.
 *
 * Context: may sleep.
 */
void rbmap_pages_free_later(struct rbmap_pages_batch *batch, void *addr, size_t size)
{
	size_t at;

	if (is_vmalloc_addr(addr)) {
		vfree(addr);
		return;
	}
	for (at = 0; at < size; at += PAGE_SIZE) {
		batch->page[batch->nr++] = virt_to_page((u8 *)addr + at);
		if (batch->nr == ARRAY_SIZE(batch->page))
			rbmap_pages_free_end(batch);
	}
}

/**
 * rbmap_pages_free_end - free what rbmap_pages_free_later() has not freed yet
 * @batch: the pages
 *
 * Context: may sleep.
 */
void rbmap_pages_free_end(struct rbmap_pages_batch *batch)
{
	if (batch->nr)
		release_pages(batch->page, batch->nr);
	batch->nr = 0;
}

/**
 * rbmap_pages_unshared - test whether nobody else has a reference to a page
 * @addr: memory of rbmap_pages_alloc() that user space cannot map
 * @size: as passed to rbmap_pages_alloc()
 *
 * If this is true, the caller may write to the memory: everybody who had a reference has
 * read what they wanted.
 *
 * Context: any.
 */
bool rbmap_pages_unshared(const void *addr, size_t size)
{
	size_t at;

	/*
	 * put_page() is a full barrier: the loads of those who had a reference come
	 * before the caller's stores, which depend on this load.
	 * litmus: pages-unshared
	 */
	for (at = 0; at < size; at += PAGE_SIZE)
		if (page_count(rbmap_page_of((const u8 *)addr + at)) != 1)
			return false;
	return true;
}

/**
 * rbmap_page_of - get the page at an address
 * @addr: an address in memory of rbmap_pages_alloc()
 */
struct page *rbmap_page_of(const void *addr)
{
	return is_vmalloc_addr(addr) ? vmalloc_to_page(addr) :
				       virt_to_page(addr);
}
