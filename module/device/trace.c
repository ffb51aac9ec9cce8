// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace: an open that truncates the file discards all unread events, as with tracefs'
 * file of this name.  A file of sysfs is not told that it is truncated.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>

#include "buffer/buffer.h"
#include "trace.h"

static const char rbmap_trace_text[] =
	"# tracer: nop\n"
	"#\n"
	"# The events are not printed here: run 'rbmap stream --observe'.\n";

static int rbmap_trace_open(struct inode *inode, struct file *file)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		rbmap_buffer_reset(file->private_data);
	return 0;
}

static ssize_t rbmap_trace_read(struct file *file, char __user *to, size_t len,
				loff_t *pos)
{
	return simple_read_from_buffer(to, len, pos, rbmap_trace_text,
				       strlen(rbmap_trace_text));
}

/* A shell truncates a file by writing a newline to it, which must succeed. */
static ssize_t rbmap_trace_write(struct file *file, const char __user *from,
				 size_t len, loff_t *pos)
{
	return len;
}

static int rbmap_trace_release(struct inode *inode, struct file *file)
{
	rbmap_buffer_put(file->private_data);
	return 0;
}

/* file->private_data is the struct rbmap_buffer. */
const struct file_operations rbmap_trace_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_trace_open,
	.release	= rbmap_trace_release,
	.read		= rbmap_trace_read,
	.write		= rbmap_trace_write,
	.llseek		= default_llseek,
};
