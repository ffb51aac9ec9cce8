// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function sets the operations of a file system's dentries.
 * Linux 6.17: 05fb0e666495 ("new helper: set_default_d_op()")
 */
#include <linux/dcache.h>
#include <linux/fs.h>

void set_default_d_op_set(struct super_block *sb, const struct dentry_operations *ops);

void set_default_d_op_set(struct super_block *sb, const struct dentry_operations *ops)
{
	set_default_d_op(sb, ops);
}
