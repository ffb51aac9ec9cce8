/* SPDX-License-Identifier: GPL-2.0-only */
/* An open /dev/rbmap/cpuN, and the ring of the CPU that it reads. */
#ifndef RBMAP_FILE_H
#define RBMAP_FILE_H

#include <linux/mutex.h>

#include "buffer/cpu_buffer.h"

/**
 * struct rbmap_file - an open file
 * @cpu_buf: the CPU's rings
 * @list: entry in @gen->files; under @cpu_buf's lock
 * @gen: the ring that the file is bound to, with a reference; under @cpu_buf's lock
 * @snapshot: whether @gen is a snapshot, which is never replaced
 * @reads: whether the file counts as a reader of the CPU's rings; under @cpu_buf's
 *	lock
 * @maps: number of maps of the file.  While there is one, @gen stays; under
 *	@cpu_buf's lock
 * @observes: whether the file observes: it consumes nothing, and reads each ring in
 *	turn, even if others read the ring to its end; under @cpu_buf's lock
 * @was_mapped: whether the file has mapped and unmapped @gen; under @cpu_buf's lock
 * @interrupted: whether a signal has interrupted a wait since the last one began; under
 *	@cpu_buf's lock
 * @wakeups: count of ioctl(fd, 0) calls when the interrupted wait began; under the same
 *	lock
 * @lock: serializes read(); user memory may be accessed while it is held
 * @copy: the sub-buffer that read() copies to user space, in memory that the first
 *	read() allocates for the file
 * @copy_size: bytes of @copy
 * @offset: number of bytes of @copy that were read.  When all were read, the next
 *	read() gets another sub-buffer
 */
struct rbmap_file {
	struct rbmap_cpu_buffer		*cpu_buf;
	struct list_head		list;
	struct rbmap_gen		*gen;
	bool				snapshot;
	bool				reads;
	unsigned int			maps;
	bool				observes;
	bool				was_mapped;
	bool				interrupted;
	u32				wakeups;
	struct mutex			lock;
	struct rbmap_subbuf_header	*copy;
	size_t				copy_size;
	size_t				offset;
};

struct rbmap_gen *
rbmap_oldest_queued(struct rbmap_cpu_buffer *cpu_buf);
struct rbmap_gen *rbmap_next_queued(struct rbmap_gen *gen);
struct rbmap_gen *rbmap_file_bind(struct rbmap_file *file, bool map);
struct rbmap_gen *rbmap_file_bind_reader(struct rbmap_file *file);
struct rbmap_gen *rbmap_file_advance(struct rbmap_file *file,
				     struct rbmap_gen *gen);
void rbmap_file_unbind(struct rbmap_file *file);
int rbmap_file_observe(struct rbmap_file *file);
bool rbmap_file_observes(const struct rbmap_file *file);
u32 rbmap_file_wait_begin(struct rbmap_file *file);
int rbmap_file_wait_end(struct rbmap_file *file, u32 wakeups, int err);
bool rbmap_file_ends(const struct rbmap_file *file);
void rbmap_file_map(struct rbmap_file *file);
void rbmap_files_unbind(struct rbmap_gen *gen, bool observers);
bool rbmap_file_is_bound(const struct rbmap_gen *gen);
bool rbmap_file_maps(const struct rbmap_gen *gen);
void rbmap_file_unmap(struct rbmap_file *file);
void rbmap_file_map_failed(struct rbmap_file *file);

#endif /* RBMAP_FILE_H */
