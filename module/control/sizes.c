// SPDX-License-Identifier: GPL-2.0-only
/* The files for sizes and snapshots, which a buffer and each of its CPUs have. */
#include <linux/sysfs.h>

#include "buffer/resize.h"
#include "buffer/snapshot.h"
#include "control.h"
#include "files.h"

/**
 * rbmap_control_size_show - show a size in KiB, or X if the CPUs have different
 * sizes
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS
 * @subbuf: whether to show the size of a sub-buffer instead of that of all slots
 * @page: page of sysfs
 */
ssize_t rbmap_control_size_show(struct rbmap_buffer *buf, int which,
				bool subbuf, char *page)
{
	struct rbmap_sizes sizes;

	if (!rbmap_buffer_sizes(buf, which, &sizes))
		return sysfs_emit(page, "X\n");
	return sysfs_emit(page, "%lu\n", subbuf ? sizes.subbuf_size >> 10 :
			  rbmap_sizes_kb(&sizes));
}

/**
 * rbmap_control_size_store - change a size
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS
 * @subbuf: whether to change the size of sub-buffers instead of that of all slots
 * @name: name of the file, for the log
 * @page: the written text
 * @len: bytes at @page
 *
 * Return: @len or a negative error, with a message in the log.
 */
ssize_t rbmap_control_size_store(struct rbmap_buffer *buf, int which,
				 bool subbuf, const char *name,
				 const char *page, size_t len)
{
	unsigned long kb;
	int err;

	/* The called functions check the limits, and log them. */
	err = rbmap_control_number(buf, name, page, len, ULONG_MAX, &kb);
	if (err)
		return err;
	if (!kb)
		return rbmap_control_refuse(buf, name, page, len,
					    "a number of KiB above 0");
	err = subbuf ? rbmap_buffer_resize_subbufs(buf, which, kb) :
		       rbmap_buffer_resize(buf, which, kb);
	return err ? err : len;
}

/**
 * rbmap_control_snapshot_show - show 1 if there is a snapshot, else 0
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS for any CPU
 * @page: page of sysfs
 */
ssize_t rbmap_control_snapshot_show(struct rbmap_buffer *buf, int which,
				    char *page)
{
	return sysfs_emit(page, "%d\n", rbmap_buffer_has_snapshot(buf, which));
}

/**
 * rbmap_control_snapshot_store - take a snapshot for 1, discard it for 0 and 2
 * @buf: the buffer
 * @which: a CPU, or RBMAP_ALL_CPUS
 * @name: name of the file, for the log
 * @page: the written text
 * @len: bytes at @page
 *
 * In tracefs 2 empties the snapshot and keeps its memory.  A snapshot has no memory of its
 * own here, so that 2 does the same as 0.
 *
 * Return: @len or a negative error.
 */
ssize_t rbmap_control_snapshot_store(struct rbmap_buffer *buf, int which,
				     const char *name, const char *page,
				     size_t len)
{
	unsigned long take;
	int err = rbmap_control_number(buf, name, page, len, 2, &take);

	if (err)
		return err;
	if (take == 1)
		err = rbmap_buffer_snapshot(buf, which);
	else
		rbmap_buffer_drop_snapshot(buf, which);
	return err ? err : len;
}
