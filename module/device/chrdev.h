/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in /dev/rbmap, and their device numbers. */
#ifndef RBMAP_CHRDEV_H
#define RBMAP_CHRDEV_H

#include <linux/types.h>

struct file_operations;
struct rbmap_buffer;

/**
 * struct rbmap_chrdev - a file in /dev/rbmap
 * @fops: operations of the file.  Their open() finds @data in file->private_data.
 *	Their release() ends with rbmap_buffer_put(@buffer)
 * @mode: permissions
 * @shows: whether the file shows events.  Then the release() of @fops ends with
 *	rbmap_buffer_show_end(@buffer) before
 * @is_private: whether udev is to give the file to no group
 * @buffer: buffer to which an open file has a reference
 * @data: data of the file's creator
 * @minor: device number from rbmap_chrdev_create(); 0 if the file does not exist
 */
struct rbmap_chrdev {
	const struct file_operations	*fops;
	umode_t				mode;
	bool				shows;
	bool				is_private;
	struct rbmap_buffer		*buffer;
	void				*data;
	int				minor;
};

int rbmap_chrdevs_init(void);
int rbmap_chrdevs_offer(void);
void rbmap_chrdevs_withdraw(void);
void rbmap_chrdevs_exit(void);

int rbmap_chrdev_create(struct rbmap_chrdev *chrdev, const char *buffer_name,
			const char *name);
void rbmap_chrdev_destroy(struct rbmap_chrdev *chrdev);
bool rbmap_chrdev_shared(const char *buffer_name, const char *name);

#endif /* RBMAP_CHRDEV_H */
