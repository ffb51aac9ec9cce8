// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function sets the time at which an inode changed.
 * Linux 6.6: 9b6304c1d537 ("fs: add ctime accessors infrastructure")
 */
#include <linux/fs.h>

void inode_set_ctime_set(struct inode *inode);

void inode_set_ctime_set(struct inode *inode)
{
	inode_set_ctime_current(inode);
}
