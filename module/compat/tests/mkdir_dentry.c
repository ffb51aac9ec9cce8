// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkdir() of struct inode_operations returns a dentry, and not a number.
 * Linux 6.15: 88d5baf69082 ("Change inode_operations.mkdir to return struct dentry *")
 */
#include <linux/fs.h>

static struct dentry *mkdir_dentry_make(struct mnt_idmap *idmap, struct inode *dir,
					struct dentry *dentry, umode_t mode)
{
	return NULL;
}

const struct inode_operations mkdir_dentry_ops = { .mkdir = mkdir_dentry_make };
