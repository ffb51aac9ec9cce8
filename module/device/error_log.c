// SPDX-License-Identifier: GPL-2.0-only
/*
 * error_log: the last refusals of a buffer, as in tracefs' file of this name.  An open that
 * truncates the file, or a write, clears it.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "buffer/buffer.h"
#include "files.h"
#include "lib/error_log.h"

static int rbmap_error_log_show(struct seq_file *m, void *unused)
{
	rbmap_error_log_print(rbmap_buffer_errors(m->private), m);
	return 0;
}

static int rbmap_error_log_open(struct inode *inode, struct file *file)
{
	struct rbmap_buffer *buf = file->private_data;
	int err;

	/* single_open() expects the member to be unused. */
	file->private_data = NULL;
	err = single_open(file, rbmap_error_log_show, buf);
	/* An open that fails leaves the log. */
	if (!err && (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		rbmap_error_log_clear(rbmap_buffer_errors(buf));
	return err;
}

static ssize_t rbmap_error_log_write(struct file *file, const char __user *from,
				     size_t len, loff_t *pos)
{
	/* As in tracefs, only an open with O_TRUNC changes the file. */
	return len;
}

static int rbmap_error_log_release(struct inode *inode, struct file *file)
{
	const struct seq_file *m = file->private_data;
	struct rbmap_buffer *buf = m->private;

	single_release(inode, file);
	rbmap_buffer_put(buf);
	return 0;
}

/* file->private_data is the struct rbmap_buffer. */
const struct file_operations rbmap_error_log_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_error_log_open,
	.release	= rbmap_error_log_release,
	.read		= seq_read,
	.write		= rbmap_error_log_write,
	.llseek		= rbmap_text_llseek,
};
