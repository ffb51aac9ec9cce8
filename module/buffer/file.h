/* SPDX-License-Identifier: GPL-2.0-only */
/* An open /dev/rbmap/cpuN: which of the CPU's rings it reads. */
#ifndef RBMAP_FILE_H
#define RBMAP_FILE_H

#include <linux/mutex.h>

#include "buffer/cpu_buffer.h"

/**
 * struct rbmap_file - an open file
 * @cpu_buf: the CPU's rings
 * @list: the files of @cpu_buf, but those of snapshots; under its lock
 * @gen: the one that it is bound to, with a reference; under @cpu_buf's lock
 * @snapshot: it is of a snapshot, which nothing takes the place of
 * @reads: it counts as a reader of the CPU's rings; under @cpu_buf's lock
 * @maps: of the file: while there are any, @gen stays; under @cpu_buf's lock
 * @observes: takes nothing, and reads one ring after the other, whether others
 *	read it to its end or not; under @cpu_buf's lock
 * @was_mapped: has mapped @gen; under @cpu_buf's lock
 * @lock: one read() at a time; user memory may be touched with it held
 * @copy: the sub-buffer that read() hands out, in memory of the file's own; the
 *	first one allocates it
 * @copy_size: its bytes
 * @offset: of them, those that were handed out; all: take another
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
bool rbmap_file_ends(const struct rbmap_file *file);
void rbmap_file_map(struct rbmap_file *file);
unsigned int rbmap_files_unbind(struct rbmap_gen *gen, bool observers);
bool rbmap_files_of(const struct rbmap_gen *gen, bool *mapped);
void rbmap_file_unmap(struct rbmap_file *file);

#endif /* RBMAP_FILE_H */
