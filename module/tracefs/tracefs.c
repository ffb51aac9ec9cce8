// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file system rbmap: the module's files by the names that tracefs has.  Most of them
 * are links to /sys/kernel/rbmap and /dev/rbmap, so that their targets determine what
 * may be read and written.  A list is a file, because sysfs does not tell its own files
 * that they are truncated.  mkdir and rmdir in instances create and destroy buffers.
 *
 * The file system stores no names.  A dentry is dropped with its last user, and is checked
 * each time it is found.  So a buffer that is destroyed by other means is gone here, too.
 * No inode has a reference to a buffer: an inode contains the buffer's name.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stringhash.h>
#include <linux/uaccess.h>

#include "compat/fs.h"
#include "event/event.h"
#include "event/format.h"
#include "tracefs.h"
#include "tree.h"

#define RBMAP_TRACEFS_MAGIC	0x72626d70	/* "rbmp" */
#define RBMAP_TRACEFS_ROOT_INO	1
/* ftrace's TRACE_PRINT, which no event of this module has as its number. */
#define RBMAP_PRINT_ID		5

static const struct rbmap_tracefs_ops *rbmap_tracefs_ops;
static bool rbmap_tracefs_offered;

static const struct inode_operations rbmap_dir_iops;
static const struct inode_operations rbmap_instances_iops;
static const struct inode_operations rbmap_file_iops;
static const struct inode_operations rbmap_link_iops;
static const struct inode_operations rbmap_list_iops;
static const struct file_operations rbmap_dir_fops;
static const struct file_operations rbmap_list_fops;
static const struct file_operations rbmap_text_fops;
static const struct file_operations rbmap_empty_fops;

/* The node does not change as long as the inode is in use. */
static const struct rbmap_node *rbmap_node_of(const struct inode *inode)
{
	return inode->i_private;
}

/* ---- inodes */

/*
 * A name has the same number each time, because programs compare the numbers of a
 * directory that they have opened and of one that they have found.
 */
static unsigned long rbmap_tracefs_ino(const struct inode *dir, const char *name)
{
	return full_name_hash((void *)dir->i_ino, name, strlen(name)) ?:
	       RBMAP_TRACEFS_ROOT_INO;
}

static void rbmap_tracefs_set_ops(struct inode *inode,
				  const struct rbmap_node *node)
{
	if (rbmap_node_is_dir(node)) {
		inode->i_mode = S_IFDIR | 0755;
		inode->i_op = node->kind == RBMAP_NODE_INSTANCES ?
			      &rbmap_instances_iops : &rbmap_dir_iops;
		inode->i_fop = &rbmap_dir_fops;
	} else if (rbmap_node_is_link(node)) {
		inode->i_mode = S_IFLNK | 0777;
		inode->i_op = &rbmap_link_iops;
	} else if (node->kind == RBMAP_NODE_LIST) {
		/* The target has the rights. */
		inode->i_mode = S_IFREG | 0666;
		inode->i_op = &rbmap_list_iops;
		inode->i_fop = &rbmap_list_fops;
	} else {
		inode->i_mode = S_IFREG | 0444;
		inode->i_op = &rbmap_file_iops;
		inode->i_fop = node->kind == RBMAP_NODE_EMPTY ?
			       &rbmap_empty_fops : &rbmap_text_fops;
	}
}

/* @target: target of a link or list, from kmalloc(), which is passed on; or NULL */
static struct inode *rbmap_tracefs_inode(struct super_block *sb,
					 const struct rbmap_node *node,
					 unsigned long ino, char *target)
{
	struct rbmap_node *copy = kmemdup(node, sizeof(*node), GFP_KERNEL);
	struct inode *inode = copy ? new_inode(sb) : NULL;

	if (!inode) {
		kfree(copy);
		kfree(target);
		return NULL;
	}
	inode->i_ino = ino;
	inode->i_private = copy;
	rbmap_inode_init_times(inode);
	rbmap_tracefs_set_ops(inode, node);
	if (S_ISLNK(inode->i_mode))
		inode->i_link = target;
	else
		copy->target = target;
	return inode;
}

/* Create the inode of a name that exists. */
static struct inode *rbmap_tracefs_child(struct inode *dir, const char *name,
					 const struct rbmap_node *node)
{
	char *target = NULL;

	if (rbmap_node_is_link(node) || node->kind == RBMAP_NODE_LIST) {
		target = rbmap_tree_target(rbmap_node_of(dir), name, node);
		if (!target)
			return NULL;
	}
	return rbmap_tracefs_inode(dir->i_sb, node, rbmap_tracefs_ino(dir, name),
				   target);
}

/*
 * Called after a grace period: a walk of a path without locks may still read the target
 * of a link.
 */
static void rbmap_tracefs_free_inode(struct inode *inode)
{
	const struct rbmap_node *node = rbmap_node_of(inode);

	if (S_ISLNK(inode->i_mode))
		kfree(inode->i_link);
	kfree(node->target);
	kfree(node);
	free_inode_nonrcu(inode);
}

/*
 * Access rights and owners cannot be changed: nothing would keep them.  An open that
 * truncates a file changes nothing, as in tracefs.
 */
static int rbmap_tracefs_setattr(RBMAP_FS_IDMAP struct dentry *dentry,
				 struct iattr *attr)
{
	return attr->ia_valid & ATTR_SIZE ? 0 : -EPERM;
}

/* ---- directories */

static struct dentry *rbmap_tracefs_lookup(struct inode *dir,
					   struct dentry *dentry,
					   unsigned int flags)
{
	const char *name = dentry->d_name.name;
	struct inode *inode = NULL;
	struct rbmap_node node;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	if (rbmap_tree_find(rbmap_node_of(dir), name, &node)) {
		inode = rbmap_tracefs_child(dir, name, &node);
		if (!inode)
			return ERR_PTR(-ENOMEM);
	}
	return d_splice_alias(inode, dentry);
}

static int rbmap_tracefs_iterate(struct file *file, struct dir_context *ctx)
{
	const struct inode *dir = file_inode(file);
	const struct rbmap_node *node = rbmap_node_of(dir);
	struct rbmap_node found;
	char *name;
	loff_t pos;

	if (!rbmap_tree_exists(node))
		return -ENOENT;
	if (!dir_emit_dots(file, ctx))
		return 0;
	name = kmalloc(NAME_MAX + 1, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	for (;; ctx->pos++) {
		pos = ctx->pos - 2;
		if (!rbmap_tree_next(node, &pos, name, NAME_MAX + 1, &found))
			break;
		ctx->pos = pos + 2;
		if (!dir_emit(ctx, name, strlen(name),
			      rbmap_tracefs_ino(dir, name),
			      rbmap_node_is_dir(&found) ? DT_DIR :
			      rbmap_node_is_link(&found) ? DT_LNK : DT_REG))
			break;
	}
	kfree(name);
	return 0;
}

static int rbmap_tracefs_create(struct inode *dir, struct dentry *dentry)
{
	const char *name = dentry->d_name.name;
	struct rbmap_node node = { .kind = RBMAP_NODE_BUFFER };
	struct inode *inode;
	int err = -ENOMEM;

	/* Before the buffer exists, because the buffer could be in use afterwards. */
	strscpy(node.buffer, name, sizeof(node.buffer));
	inode = rbmap_tracefs_child(dir, name, &node);
	if (inode)
		err = rbmap_tracefs_ops->create(name);
	if (err)
		iput(inode);
	else
		d_instantiate(dentry, inode);
	return err;
}

static rbmap_mkdir_result
rbmap_tracefs_mkdir(RBMAP_FS_IDMAP struct inode *dir, struct dentry *dentry,
		    umode_t mode)
{
	int err = rbmap_tracefs_create(dir, dentry);

	return RBMAP_MKDIR_RESULT(err);
}

static int rbmap_tracefs_rmdir(struct inode *dir, struct dentry *dentry)
{
	return rbmap_tracefs_ops->destroy(dentry->d_name.name);
}

static const struct inode_operations rbmap_dir_iops = {
	.lookup		= rbmap_tracefs_lookup,
	.setattr	= rbmap_tracefs_setattr,
};

static const struct inode_operations rbmap_instances_iops = {
	.lookup		= rbmap_tracefs_lookup,
	.mkdir		= rbmap_tracefs_mkdir,
	.rmdir		= rbmap_tracefs_rmdir,
	.setattr	= rbmap_tracefs_setattr,
};

static const struct inode_operations rbmap_link_iops = {
	.get_link	= simple_get_link,
	.setattr	= rbmap_tracefs_setattr,
};

static const struct file_operations rbmap_dir_fops = {
	.owner		= THIS_MODULE,
	.read		= generic_read_dir,
	.iterate_shared	= rbmap_tracefs_iterate,
	.llseek		= generic_file_llseek,
};

/* ---- files with a text */

/* An event with the fields that all events have, and no others. */
static const struct rbmap_field rbmap_none_fields[] = { {} };
static const struct rbmap_event_type rbmap_none_event = {
	.system		= "ftrace",
	.name		= "none",
	.fields		= rbmap_none_fields,
	.print_fmt	= "\"\"",
};

/* The number and the fields of tracefs's markers.  Those of this module are rbmap:marker. */
static const struct rbmap_field rbmap_marker_print_fields[] = {
	RBMAP_FIELD(unsigned long, ip),
	RBMAP_FIELD_REST(char, buf),
	{}
};

static const struct rbmap_event_type rbmap_marker_print = {
	.id		= RBMAP_PRINT_ID,
	.system		= "ftrace",
	.name		= "print",
	.fields		= rbmap_marker_print_fields,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->buf",
};

static ssize_t rbmap_format_read(const struct rbmap_event_type *event, char __user *to,
				 size_t len, loff_t *pos)
{
	int size = rbmap_event_format(event, NULL, 0);
	char *text = kmalloc(size + 1, GFP_KERNEL);
	ssize_t ret;

	if (!text)
		return -ENOMEM;
	rbmap_event_format(event, text, size + 1);
	ret = simple_read_from_buffer(to, len, pos, text, size);
	kfree(text);
	return ret;
}

static ssize_t rbmap_tracefs_read(struct file *file, char __user *to,
				  size_t len, loff_t *pos)
{
	const struct rbmap_node *node = rbmap_node_of(file_inode(file));

	if (node->kind == RBMAP_NODE_FORMAT)
		return rbmap_format_read(node->text ? &rbmap_marker_print : &rbmap_none_event,
					 to, len, pos);
	return simple_read_from_buffer(to, len, pos, node->text,
				       strlen(node->text));
}

/* The end of the file, as at a ring that has nothing and never will. */
static ssize_t rbmap_empty_read(struct file *file, char __user *to, size_t len,
				loff_t *pos)
{
	return 0;
}

static ssize_t rbmap_empty_splice_read(struct file *file, loff_t *pos,
				       struct pipe_inode_info *pipe, size_t len,
				       unsigned int flags)
{
	return 0;
}

static const struct inode_operations rbmap_file_iops = {
	.setattr	= rbmap_tracefs_setattr,
};

static const struct file_operations rbmap_text_fops = {
	.owner		= THIS_MODULE,
	.read		= rbmap_tracefs_read,
	.llseek		= generic_file_llseek,
};

static const struct file_operations rbmap_empty_fops = {
	.owner		= THIS_MODULE,
	.read		= rbmap_empty_read,
	.splice_read	= rbmap_empty_splice_read,
	.llseek		= noop_llseek,
};

/* ---- lists */

/*
 * Find the target, in the caller's mount namespace, where it can be any file: its rights are
 * for that file alone.  It is a regular file of sysfs: this file system could be mounted in its
 * place, and the search would then lead here again, without end.
 */
static int rbmap_list_find(const struct inode *inode, struct path *path)
{
	int err = kern_path(rbmap_node_of(inode)->target, LOOKUP_FOLLOW, path);

	if (err || (path->dentry->d_sb->s_magic == SYSFS_MAGIC && d_is_reg(path->dentry)))
		return err;
	path_put(path);
	return -ELOOP;
}

/*
 * For access(2).  An open checks the rights again, of the file that it has found itself.
 *
 * utimes(2) and setxattr(2) ask with the lock of the inode held, and fail in any case.  The
 * search may wait without end for a file system of the caller's (FUSE), which is in their mount
 * namespace.  An open that truncates the list would wait for the lock.
 */
static int rbmap_list_permission(RBMAP_FS_IDMAP struct inode *inode, int mask)
{
	struct path path;
	int err;

	if (mask & MAY_NOT_BLOCK)
		return -ECHILD;
	if (inode_is_locked(inode))
		return 0;
	err = rbmap_list_find(inode, &path);
	if (err)
		return err;
	err = rbmap_path_permission(&path, mask & (MAY_READ | MAY_WRITE | MAY_EXEC));
	path_put(&path);
	return err;
}

static int rbmap_list_getattr(RBMAP_FS_IDMAP const struct path *path,
			      struct kstat *stat, u32 mask, unsigned int flags)
{
	struct path target;
	int err = rbmap_list_find(d_inode(path->dentry), &target);

	if (err)
		return err;
	err = vfs_getattr(&target, stat, mask, flags & AT_STATX_SYNC_TYPE);
	path_put(&target);
	return err;
}

/* As in tracefs, what is written is added: O_TRUNC alone empties the list. */
static struct file *rbmap_list_open_target(const struct inode *inode,
					   const struct file *file)
{
	int flags = (file->f_flags & O_ACCMODE) | O_LARGEFILE, mask = 0, err;
	struct file *target;
	struct path path;

	if (file->f_mode & FMODE_READ)
		mask |= MAY_READ;
	if (file->f_mode & FMODE_WRITE) {
		mask |= MAY_WRITE;
		flags |= O_APPEND;
	}
	err = rbmap_list_find(inode, &path);
	if (err)
		return ERR_PTR(err);
	err = rbmap_path_permission(&path, mask);
	target = err ? ERR_PTR(err) : dentry_open(&path, flags, current_cred());
	path_put(&path);
	return target;
}

static int rbmap_list_open(struct inode *inode, struct file *file)
{
	struct file *target = rbmap_list_open_target(inode, file);
	int err = 0;

	if (IS_ERR(target))
		return PTR_ERR(target);
	if (file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC)
		err = rbmap_tree_clear(rbmap_node_of(inode), target);
	if (err)
		fput(target);
	else
		file->private_data = target;
	return err;
}

static int rbmap_list_release(struct inode *inode, struct file *file)
{
	fput(file->private_data);
	return 0;
}

/* Older kernels have no read_iter() for files of sysfs, which kernel_read() needs. */
static ssize_t rbmap_list_read(struct file *file, char __user *to, size_t len,
			       loff_t *pos)
{
	struct file *target = file->private_data;
	loff_t begin = *pos;
	ssize_t ret;
	char *page;

	if (target->f_op->read)
		return target->f_op->read(target, to, len, pos);
	page = (char *)__get_free_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	ret = kernel_read(target, page, min_t(size_t, len, PAGE_SIZE), pos);
	if (ret > 0 && copy_to_user(to, page, ret)) {
		*pos = begin;
		ret = -EFAULT;
	}
	free_page((unsigned long)page);
	return ret;
}

static ssize_t rbmap_list_write(struct file *file, const char __user *from,
				size_t len, loff_t *pos)
{
	struct file *target = file->private_data;
	ssize_t ret = -EFAULT;
	char *page;

	if (!len)
		return 0;
	if (target->f_op->write)
		return target->f_op->write(target, from, len, pos);
	page = (char *)__get_free_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	len = min_t(size_t, len, PAGE_SIZE);
	if (!copy_from_user(page, from, len))
		ret = kernel_write(target, page, len, pos);
	free_page((unsigned long)page);
	return ret;
}

static const struct inode_operations rbmap_list_iops = {
	.permission	= rbmap_list_permission,
	.getattr	= rbmap_list_getattr,
	.setattr	= rbmap_tracefs_setattr,
};

static const struct file_operations rbmap_list_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_list_open,
	.release	= rbmap_list_release,
	.read		= rbmap_list_read,
	.write		= rbmap_list_write,
	.llseek		= generic_file_llseek,
};

/* ---- dentries */

/*
 * Test whether a dentry is what its name stands for now.  The name does not change, because
 * nothing is renamed here.
 */
static int rbmap_tracefs_revalidate(RBMAP_REVALIDATE_PARENT
				    struct dentry *dentry, unsigned int flags)
{
	const struct inode *inode;
	const struct rbmap_node *old;
	struct rbmap_node node;
	struct dentry *dir;
	bool exists;

	/* The search takes a mutex. */
	if (flags & LOOKUP_RCU)
		return -ECHILD;
	inode = d_inode(dentry);
	dir = dget_parent(dentry);
	exists = rbmap_tree_find(rbmap_node_of(d_inode(dir)),
				 dentry->d_name.name, &node);
	dput(dir);
	if (!inode)
		return !exists;
	old = rbmap_node_of(inode);
	return exists && node.kind == old->kind && node.text == old->text;
}

/* Nothing is cached: the last user drops the dentry. */
static int rbmap_tracefs_drop(const struct dentry *dentry)
{
	return 1;
}

static const struct dentry_operations rbmap_tracefs_dops = {
	.d_revalidate	= rbmap_tracefs_revalidate,
	.d_delete	= rbmap_tracefs_drop,
};

/* ---- mounts */

static const struct rbmap_node *rbmap_tracefs_root(const struct super_block *sb)
{
	return rbmap_node_of(d_inode(sb->s_root));
}

static int rbmap_tracefs_show_options(struct seq_file *m, struct dentry *root)
{
	const struct rbmap_node *node = rbmap_tracefs_root(root->d_sb);

	if (*node->buffer)
		seq_show_option(m, "buffer", node->buffer);
	return 0;
}

static const struct super_operations rbmap_tracefs_sops = {
	.statfs		= simple_statfs,
	.free_inode	= rbmap_tracefs_free_inode,
	.show_options	= rbmap_tracefs_show_options,
};

enum { RBMAP_OPTION_BUFFER };

static const struct fs_parameter_spec rbmap_tracefs_options[] = {
	fsparam_string("buffer", RBMAP_OPTION_BUFFER),
	{}
};

/* fc->fs_private is the name of a buffer, or NULL for the default buffer. */
static int rbmap_tracefs_parse(struct fs_context *fc, struct fs_parameter *param)
{
	struct fs_parse_result result;
	int option = fs_parse(fc, rbmap_tracefs_options, param, &result);

	if (option < 0)
		return option;
	kfree(fc->fs_private);
	fc->fs_private = param->string;
	param->string = NULL;
	return 0;
}

static int rbmap_tracefs_fill(struct super_block *sb, struct fs_context *fc)
{
	const char *buffer = fc->fs_private ?: "";
	struct rbmap_node node;
	struct inode *inode;

	if (!rbmap_tree_buffer(&node, buffer)) {
		errorf(fc, "rbmap: there is no buffer %s", buffer);
		return -ENOENT;
	}
	sb->s_magic = RBMAP_TRACEFS_MAGIC;
	sb->s_op = &rbmap_tracefs_sops;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_time_gran = 1;
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	rbmap_set_dentry_ops(sb, &rbmap_tracefs_dops);
	inode = rbmap_tracefs_inode(sb, &node, RBMAP_TRACEFS_ROOT_INO, NULL);
	sb->s_root = d_make_root(inode);
	return sb->s_root ? 0 : -ENOMEM;
}

static int rbmap_tracefs_get_tree(struct fs_context *fc)
{
	return get_tree_nodev(fc, rbmap_tracefs_fill);
}

/* A mount keeps its buffer. */
static int rbmap_tracefs_reconfigure(struct fs_context *fc)
{
	const struct rbmap_node *node = rbmap_tracefs_root(fc->root->d_sb);

	if (fc->fs_private && strcmp(fc->fs_private, node->buffer)) {
		errorf(fc, "rbmap: the option buffer cannot change: unmount first");
		return -EINVAL;
	}
	return 0;
}

static void rbmap_tracefs_free_context(struct fs_context *fc)
{
	kfree(fc->fs_private);
}

static const struct fs_context_operations rbmap_tracefs_context_ops = {
	.free		= rbmap_tracefs_free_context,
	.parse_param	= rbmap_tracefs_parse,
	.get_tree	= rbmap_tracefs_get_tree,
	.reconfigure	= rbmap_tracefs_reconfigure,
};

/*
 * A context holds a reference to the module.  The kernel asks for rights only when the
 * context is mounted, and in a user namespace everybody may have one.
 */
static int rbmap_tracefs_init_context(struct fs_context *fc)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!READ_ONCE(rbmap_tracefs_offered))
		return -ENODEV;
	fc->ops = &rbmap_tracefs_context_ops;
	return 0;
}

/* Without FS_USERNS_MOUNT: only root of the initial user namespace mounts it. */
static struct file_system_type rbmap_tracefs_type = {
	.owner			= THIS_MODULE,
	.name			= "rbmap",
	.init_fs_context	= rbmap_tracefs_init_context,
	.parameters		= rbmap_tracefs_options,
	.kill_sb		= kill_anon_super,
};

/**
 * rbmap_tracefs_init - register the file system
 * @ops: functions of mkdir and rmdir
 *
 * Until rbmap_tracefs_offer(), each mount fails as if the file system did not exist.
 * MODULE_ALIAS_FS() is left out on purpose: with an alias, each user who can make a user
 * namespace would load the module, by fsopen().
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_tracefs_init(const struct rbmap_tracefs_ops *ops)
{
	rbmap_tracefs_ops = ops;
	return register_filesystem(&rbmap_tracefs_type);
}

/**
 * rbmap_tracefs_offer - allow the file system to be mounted
 *
 * Context: any; all buffers' files can be used, because the next call may be mount().
 */
void rbmap_tracefs_offer(void)
{
	WRITE_ONCE(rbmap_tracefs_offered, true);
}

/**
 * rbmap_tracefs_exit - withdraw the file system, which is not mounted
 *
 * Context: sleeps until all inodes are freed.
 */
void rbmap_tracefs_exit(void)
{
	unregister_filesystem(&rbmap_tracefs_type);
	rbmap_wait_inodes_freed();
}
