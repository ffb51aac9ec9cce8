// SPDX-License-Identifier: GPL-2.0-only
/* Memory of sub-buffers that splice() has passed to pipes. */
#include <linux/minmax.h>

#include "pages.h"
#include "passed.h"

static unsigned int rbmap_passed_max(size_t size)
{
	return clamp_t(size_t, RBMAP_PASSED_BYTES / size, 1, RBMAP_PASSED_MAX);
}

static void *rbmap_passed_get(struct rbmap_passed *passed)
{
	void *subbuf = passed->subbuf[passed->oldest];

	passed->oldest = (passed->oldest + 1) % RBMAP_PASSED_MAX;
	passed->nr--;
	return subbuf;
}

/**
 * rbmap_passed_add - keep the memory of a sub-buffer that a pipe has
 * @passed: the queue; the ring's reader_lock held
 * @subbuf: memory of rbmap_pages_alloc().  The pipe has references of its own to the
 *	pages, and the queue takes over the caller's
 * @size: bytes of a sub-buffer
 *
 * A full queue gives up the oldest memory: its pipe is not being read.
 *
 * Context: may sleep.
 */
void rbmap_passed_add(struct rbmap_passed *passed, void *subbuf, size_t size)
{
	if (passed->nr == rbmap_passed_max(size))
		rbmap_pages_free(rbmap_passed_get(passed), size);
	passed->subbuf[(passed->oldest + passed->nr++) % RBMAP_PASSED_MAX] = subbuf;
}

/**
 * rbmap_passed_reuse - get back the oldest memory, if no pipe has it any more
 * @passed: the queue; the ring's reader_lock held
 * @size: bytes of a sub-buffer
 *
 * The memory contains old events of the ring.
 *
 * Return: the memory, which belongs to the caller; NULL if the queue is empty, or if
 * somebody still has a reference to a page of the memory.
 */
void *rbmap_passed_reuse(struct rbmap_passed *passed, size_t size)
{
	if (!passed->nr || !rbmap_pages_unshared(passed->subbuf[passed->oldest], size))
		return NULL;
	return rbmap_passed_get(passed);
}

/**
 * rbmap_passed_free - give up all memory
 * @passed: the queue; the ring's reader_lock held, or the ring has no reader
 * @size: bytes of a sub-buffer
 *
 * Context: may sleep.
 */
void rbmap_passed_free(struct rbmap_passed *passed, size_t size)
{
	while (passed->nr)
		rbmap_pages_free(rbmap_passed_get(passed), size);
}
