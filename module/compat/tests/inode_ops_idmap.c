// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on inodes get the mount's map of owners as struct mnt_idmap.
 * Linux 6.3: c1632a0f1120 ("fs: port ->setattr() to pass mnt_idmap")
 */
#include <linux/fs.h>

static int inode_ops_idmap_refuse(struct mnt_idmap *idmap, struct dentry *dentry,
				  struct iattr *attr)
{
	return -EPERM;
}

const struct inode_operations inode_ops_idmap_ops = { .setattr = inode_ops_idmap_refuse };
