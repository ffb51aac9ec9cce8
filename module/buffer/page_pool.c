// SPDX-License-Identifier: GPL-2.0-only
/* Memory of sub-buffers that splice() has passed to pipes. */
#include <linux/minmax.h>

#include "pages.h"
#include "page_pool.h"

static unsigned int rbmap_page_pool_max(size_t size)
{
	return clamp_t(size_t, RBMAP_PAGE_POOL_BYTES / size, 1, RBMAP_PAGE_POOL_MAX);
}

static void *rbmap_page_pool_get(struct rbmap_page_pool *pool)
{
	void *subbuf = pool->subbuf[pool->oldest];

	pool->oldest = (pool->oldest + 1) % RBMAP_PAGE_POOL_MAX;
	pool->nr--;
	return subbuf;
}

/**
 * rbmap_page_pool_add - keep the memory of a sub-buffer that a pipe has
 * @pool: the queue; the ring's reader_lock held
 * @subbuf: memory of rbmap_pages_alloc().  The pipe has references of its own to the
 *	pages, and the queue takes over the caller's
 * @size: bytes of a sub-buffer
 *
 * A full queue gives up the oldest memory: its pipe is not being read.
 *
 * Context: may sleep.
 */
void rbmap_page_pool_add(struct rbmap_page_pool *pool, void *subbuf, size_t size)
{
	if (pool->nr == rbmap_page_pool_max(size))
		rbmap_pages_free(rbmap_page_pool_get(pool), size);
	pool->subbuf[(pool->oldest + pool->nr++) % RBMAP_PAGE_POOL_MAX] = subbuf;
}

/**
 * rbmap_page_pool_reuse - get back the oldest memory, if no pipe has it any more
 * @pool: the queue; the ring's reader_lock held
 * @size: bytes of a sub-buffer
 *
 * The memory contains old events of the ring.
 *
 * Return: the memory, which belongs to the caller; NULL if the queue is empty, or if
 * somebody still has a reference to a page of the memory.
 */
void *rbmap_page_pool_reuse(struct rbmap_page_pool *pool, size_t size)
{
	if (!pool->nr || !rbmap_pages_unshared(pool->subbuf[pool->oldest], size))
		return NULL;
	return rbmap_page_pool_get(pool);
}

/**
 * rbmap_page_pool_free - give up all memory
 * @pool: the queue; the ring's reader_lock held, or the ring has no reader
 * @size: bytes of a sub-buffer
 *
 * Context: may sleep.
 */
void rbmap_page_pool_free(struct rbmap_page_pool *pool, size_t size)
{
	while (pool->nr)
		rbmap_pages_free(rbmap_page_pool_get(pool), size);
}
