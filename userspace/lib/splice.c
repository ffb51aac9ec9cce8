// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Pass sub-buffers to a pipe.
 */
#include <errno.h>

#include "internal.h"

/*
 * The kernel counts a loss as reported when the reader gets the sub-buffer behind the loss.  If
 * the writer is in that sub-buffer, splice() leaves it unread.  Then this map
 * has not reported the loss yet.
 * @lost: number of events that this call has counted as reported
 */
static uint64_t lost_left(const struct rbmap_map *map, uint64_t lost)
{
	if (META(map, reader.read))
		return 0;
	return lost || map->left ? META(map, reader.lost_events) : 0;
}

RBMAP_API ssize_t rbmap_splice(struct rbmap_map *map, int pipe, size_t size)
{
	uint64_t read, reported, lost, left;
	ssize_t ret;

	if (map->observer)
		return -EBADF;
	if (!map->is_rbmap)
		return RBMAP_ERR_NOT_RBMAP;
	/* rbmap_next_subbuf() maps the next ring. */
	if (!map->meta)
		return map->gone ? RBMAP_ERR_GONE : 0;
	/* The next piece reports what was lost at the end of the ring before. */
	if (map->behind)
		return 0;

	read = META(map, read);
	reported = META_OWN(map, lost_reported);
	ret = map->transport->splice(map, pipe, size);
	if (ret == -EAGAIN || ret == -ESTALE)
		ret = 0;
	lost = rbmap_counted(reported, META_OWN(map, lost_reported));
	left = lost_left(map, lost);
	map->events += rbmap_counted(read, META(map, read));
	map->reported = rbmap_lost_sum(map->reported, map->left + lost - left);
	map->left = left;
	return ret;
}
