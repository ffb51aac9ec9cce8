// SPDX-License-Identifier: GPL-2.0-only
/*
 * d_revalidate() gets the directory and the name.
 * Linux 6.14: 5be1fa8abd7b ("Pass parent directory inode and expected name to
 * ->d_revalidate()")
 */
#include <linux/dcache.h>

static int check(struct inode *parent, const struct qstr *name,
		 struct dentry *dentry, unsigned int flags)
{
	return 1;
}

const struct dentry_operations ops = { .d_revalidate = check };
