/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_COMPAT_FS_H
#define RBMAP_COMPAT_FS_H

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/uio.h>

#include "compat.h"

/* The first parameter of operations on inodes that may depend on the mount. */
#if defined(RBMAP_HAVE_INODE_OPS_IDMAP)
#define RBMAP_FS_IDMAP	struct mnt_idmap *idmap,
#elif defined(RBMAP_HAVE_INODE_OPS_USERNS)
#define RBMAP_FS_IDMAP	struct user_namespace *ns,
#else
#define RBMAP_FS_IDMAP
#endif

/* The result of mkdir() for an error number or 0. */
#ifdef RBMAP_HAVE_MKDIR_DENTRY
typedef struct dentry *rbmap_mkdir_result;
#define RBMAP_MKDIR_RESULT(err)	ERR_PTR(err)
#else
typedef int rbmap_mkdir_result;
#define RBMAP_MKDIR_RESULT(err)	(err)
#endif

/* The parameters of d_revalidate() before @dentry. */
#ifdef RBMAP_HAVE_D_REVALIDATE_PARENT
#define RBMAP_REVALIDATE_PARENT	struct inode *parent, const struct qstr *name,
#else
#define RBMAP_REVALIDATE_PARENT
#endif

/* inode_permission() of a file on a mount that maps no ids, as those of sysfs. */
static inline int rbmap_path_permission(const struct path *path, int mask)
{
#if defined(RBMAP_HAVE_INODE_OPS_IDMAP)
	return inode_permission(&nop_mnt_idmap, d_inode(path->dentry), mask);
#elif defined(RBMAP_HAVE_INODE_OPS_USERNS)
	return inode_permission(&init_user_ns, d_inode(path->dentry), mask);
#else
	return inode_permission(d_inode(path->dentry), mask);
#endif
}

static inline void rbmap_set_dentry_ops(struct super_block *sb,
					const struct dentry_operations *ops)
{
#ifdef RBMAP_HAVE_SET_DEFAULT_D_OP
	set_default_d_op(sb, ops);
#else
	sb->s_d_op = ops;
#endif
}

/* The direction of an iov_iter that is read into. */
#ifdef ITER_DEST
#define RBMAP_ITER_DEST	ITER_DEST
#else
#define RBMAP_ITER_DEST	READ
#endif

/* Open a file by its path from the root of a mount on. */
static inline struct file *rbmap_open_root(struct vfsmount *mount, const char *name,
					   int flags)
{
#ifdef RBMAP_HAVE_OPEN_ROOT_PATH
	const struct path root = { .mnt = mount, .dentry = mount->mnt_root };

	return file_open_root(&root, name, flags, 0);
#else
	return file_open_root(mount->mnt_root, mount, name, flags, 0);
#endif
}

/* Set all times of a new inode to now. */
static inline void rbmap_inode_init_times(struct inode *inode)
{
#if defined(RBMAP_HAVE_SIMPLE_INODE_INIT_TS)
	simple_inode_init_ts(inode);
#elif defined(RBMAP_HAVE_INODE_SET_CTIME)
	inode->i_mtime = inode_set_ctime_current(inode);
	inode->i_atime = inode->i_mtime;
#else
	inode->i_ctime = current_time(inode);
	inode->i_mtime = inode->i_ctime;
	inode->i_atime = inode->i_ctime;
#endif
}

/* Wait until free_inode() has returned for each inode: it runs after a grace period. */
static inline void rbmap_wait_inodes_freed(void)
{
	rcu_barrier();
}

#endif /* RBMAP_COMPAT_FS_H */
