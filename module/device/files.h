/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of /dev/rbmap that print text, and what the files of rings do besides read(). */
#ifndef RBMAP_DEVICE_FILES_H
#define RBMAP_DEVICE_FILES_H

#include <linux/fs.h>
#include <linux/types.h>

struct pipe_inode_info;
struct rbmap_buffer;
struct rbmap_file;
struct rbmap_gen;
struct vm_area_struct;

/*
 * The events as text: trace, trace_pipe for a reader that waits, snapshots; and error_log, the
 * last refusals of a buffer.  file->private_data is the struct rbmap_buffer until open() has
 * returned, and that of the files of a CPU the struct rbmap_cpu_buffer.
 */
extern const struct file_operations rbmap_trace_fops;
extern const struct file_operations rbmap_trace_pipe_fops;
extern const struct file_operations rbmap_snapshot_text_fops;
extern const struct file_operations rbmap_error_log_fops;
extern const struct file_operations rbmap_cpu_trace_fops;
extern const struct file_operations rbmap_cpu_trace_pipe_fops;
extern const struct file_operations rbmap_cpu_snapshot_text_fops;

/*
 * lseek() of these, as in tracefs.  A read() looks at the offset.  A text has no end before it
 * is printed.  Programs that append go to the end of a file before they write: there, all
 * offsets are the beginning.
 */
static inline loff_t rbmap_text_llseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return no_seek_end_llseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

/* /dev/rbmap/saved_cmdlines: the names of threads. */
int rbmap_cmdlines_init(struct rbmap_buffer *buf);
void rbmap_cmdlines_exit(void);

/* Map a ring, its meta-page and its slot table. */
int rbmap_mmap(struct rbmap_file *file, struct vm_area_struct *vma);

/* Move or copy sub-buffers to a pipe. */
ssize_t rbmap_splice_to_pipe(struct rbmap_gen *gen, struct file *file,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags, u32 wakeups, const bool *stop);

#endif /* RBMAP_DEVICE_FILES_H */
