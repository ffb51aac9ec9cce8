// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on inodes get the mount's map of owners as struct user_namespace.
 * Linux 5.12: 549c7297717c ("fs: make helpers idmap mount aware")
 */
#include <linux/fs.h>

static int inode_ops_userns_refuse(struct user_namespace *ns, struct dentry *dentry,
				   struct iattr *attr)
{
	return -EPERM;
}

const struct inode_operations inode_ops_userns_ops = { .setattr = inode_ops_userns_refuse };
