/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in /dev/rbmap: their numbers, and whose they are. */
#ifndef RBMAP_CHRDEV_H
#define RBMAP_CHRDEV_H

#include <linux/types.h>

struct file_operations;
struct rbmap_buffer;

/**
 * struct rbmap_chrdev - a file in /dev/rbmap
 * @fops: of whoever opens it.  Their open() finds @data in
 *	file->private_data, their release() ends with rbmap_buffer_put(@buffer)
 * @mode: permissions
 * @buffer: an open file keeps it
 * @data: the file's own
 * @minor: 0: there is no such file; rbmap_chrdev_create()'s
 */
struct rbmap_chrdev {
	const struct file_operations	*fops;
	umode_t				mode;
	struct rbmap_buffer		*buffer;
	void				*data;
	int				minor;
};

int rbmap_chrdevs_init(void);
void rbmap_chrdevs_exit(void);

int rbmap_chrdev_create(struct rbmap_chrdev *chrdev, const char *buffer_name,
			const char *name);
void rbmap_chrdev_destroy(struct rbmap_chrdev *chrdev);

#endif /* RBMAP_CHRDEV_H */
