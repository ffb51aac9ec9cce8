// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "compact.h"

/*
 * Half of the reserve, because a copy needs room for a piece and its metadata.
 */
#define PIECE		(COMPACT_RESERVE / 2)
#define SPARE_SPACE	(16ull << 20)

int compact_collapse(int fd, uint64_t from, uint64_t to)
{
	if (from == to)
		return 0;
	if (fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, to, from - to))
		return -errno;
	return 0;
}

int compact_punch(int fd, uint64_t offset, uint64_t size)
{
	if (!size)
		return 0;
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
		      size))
		return -errno;
	return 0;
}

static int copy_with(int fd, uint64_t from, uint64_t to, size_t size, void *piece)
{
	ssize_t got, put;
	size_t done;

	while (size) {
		got = pread(fd, piece, size, from);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		for (done = 0; done < (size_t)got; done += put) {
			put = pwrite(fd, (char *)piece + done, got - done,
				     to + done);
			if (put < 0 && errno == EINTR)
				put = 0;
			else if (put <= 0)
				return put ? -errno : -EIO;
		}
		from += got;
		to += got;
		size -= got;
	}
	return 0;
}

/* Let the file system share the blocks if it can. Otherwise copy. */
static int copy_piece(int fd, uint64_t from, uint64_t to, size_t size,
		      void *piece)
{
	off_t in = from, out = to;
	ssize_t done = 0;

	while (size) {
		done = copy_file_range(fd, &in, fd, &out, size, 0);
		if (done <= 0)
			return copy_with(fd, in, out, size, piece);
		size -= done;
	}
	return 0;
}

static bool space_for(int fd, uint64_t size)
{
	struct statvfs st;

	if (fstatvfs(fd, &st))
		return false;
	/* A tmpfs without a limit reports no blocks. */
	return !st.f_blocks ||
	       (uint64_t)st.f_bavail * st.f_frsize > size + SPARE_SPACE;
}

int compact_copy(int fd, uint64_t from, uint64_t to, uint64_t size, bool *gone)
{
	bool keep = space_for(fd, size);
	void *piece = malloc(PIECE);
	uint64_t done = 0;
	int ret = 0;

	*gone = false;
	if (!piece)
		return -ENOMEM;
	while (done < size && !ret) {
		size_t n = size - done < PIECE ? size - done : PIECE;

		ret = copy_piece(fd, from + done, to + done, n, piece);
		if (!ret && !keep) {
			ret = compact_punch(fd, from + done, n);
			if (!ret)
				*gone = true;
		}
		done += n;
	}
	free(piece);
	/* The data is in two places, which cannot be undone. */
	if (ret && *gone)
		return -EIO;
	if (ret)
		compact_punch(fd, to, done);
	return ret;
}
