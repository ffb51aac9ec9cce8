// SPDX-License-Identifier: LGPL-2.1-only
/* Decode a sub-buffer that is not that of a map. */
#include <errno.h>
#include <string.h>

#include "internal.h"

uint64_t rbmap_subbuf_lost(const unsigned char *subbuf, size_t size,
			   uint64_t commit)
{
	size_t at = RBMAP_SUBBUF_HEADER_SIZE + (commit & RBMAP_COMMIT_MASK);
	uint64_t lost;

	if (!(commit & RBMAP_MISSED_EVENTS))
		return 0;
	if (!(commit & RBMAP_MISSED_STORED) || at > size ||
	    size - at < sizeof(lost))
		return RBMAP_LOST_UNKNOWN;
	memcpy(&lost, subbuf + at, sizeof(lost));
	return lost;
}

/* A sub-buffer of a file may be unaligned; it has no concurrent writer. */
static uint64_t copy_commit(const unsigned char *subbuf)
{
	uint64_t commit;
	const unsigned char *p;

	p = subbuf + offsetof(struct rbmap_subbuf_header, commit);
	if ((uintptr_t)p % sizeof(commit) == 0)
		return rbmap_load_commit(subbuf);
	memcpy(&commit, p, sizeof(commit));
	return commit;
}

RBMAP_API int rbmap_decode(const void *subbuf, size_t size,
			   struct rbmap_cursor *cursor, struct rbmap_event *ev)
{
	size_t begin = cursor->offset;
	uint64_t commit;
	size_t end;
	int ret;

	if (size < RBMAP_SUBBUF_HEADER_SIZE)
		return -EINVAL;
	commit = copy_commit(subbuf);
	/* ftrace sign-extends bit 31 of commit: mask the upper half as well. */
	end = commit & RBMAP_COMMIT_MASK;
	if (end > size - RBMAP_SUBBUF_HEADER_SIZE)
		return RBMAP_ERR_CORRUPT;
	if (begin > end || begin % 4)
		return -EINVAL;
	ret = rbmap_decode_bytes(subbuf, end, cursor, ev);
	if (ret == 1 && !begin)
		ev->lost = rbmap_subbuf_lost(subbuf, size, commit);
	return ret;
}

RBMAP_API uint64_t rbmap_decode_lost(const void *subbuf, size_t size)
{
	if (size < RBMAP_SUBBUF_HEADER_SIZE)
		return 0;
	return rbmap_subbuf_lost(subbuf, size, copy_commit(subbuf));
}
