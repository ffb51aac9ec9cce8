// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function sets all times of a new inode.
 * Linux 6.7: 077c212f0344 ("fs: new accessor methods for atime and mtime")
 */
#include <linux/fs.h>

void simple_inode_init_ts_set(struct inode *inode);

void simple_inode_init_ts_set(struct inode *inode)
{
	simple_inode_init_ts(inode);
}
