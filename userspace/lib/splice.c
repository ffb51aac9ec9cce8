// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Pass sub-buffers to a pipe.  The kernel moves a page only if no process has mapped it,
 * so the sub-buffers are unmapped.  The meta-page stays mapped: it keeps the ring, and
 * has the counters.
 */
#include <errno.h>
#include <fcntl.h>

#include "internal.h"

RBMAP_API ssize_t rbmap_splice(struct rbmap_map *map, int pipe, size_t size)
{
	uint64_t read, reported;
	ssize_t ret;

	if (map->observer)
		return -EBADF;
	if (!map->is_rbmap)
		return RBMAP_ERR_NOT_RBMAP;
	if (!map->meta)
		return RBMAP_ERR_GONE;
	/* The next piece reports what was lost at the end of the ring before. */
	if (map->behind)
		return 0;

	rbmap_unmap_subbufs(map);
	read = META(map, read);
	reported = META_OWN(map, lost_reported);
	ret = splice(map->fd, NULL, pipe, NULL, size, SPLICE_F_NONBLOCK);
	if (ret < 0)
		ret = errno == EAGAIN || errno == ESTALE ? 0 : -errno;
	map->events += rbmap_counted(read, META(map, read));
	map->reported += rbmap_counted(reported, META_OWN(map, lost_reported));
	return ret;
}
