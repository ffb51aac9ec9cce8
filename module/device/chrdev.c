// SPDX-License-Identifier: GPL-2.0-only
/* The files in /dev/rbmap: one region of device numbers for those of all buffers. */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/posix_acl.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "buffer/audience.h"
#include "buffer/buffer.h"
#include "chrdev.h"
#include "compat/device.h"
#include "lib/access.h"
#include "lib/log.h"

#define RBMAP_MINORS	(1U << MINORBITS)

static struct cdev rbmap_cdev;
static struct class *rbmap_class;
static dev_t rbmap_dev;

/* The files by device number; NULL while a file is being created. */
static DEFINE_SPINLOCK(rbmap_chrdevs_lock);
static DEFINE_IDR(rbmap_chrdevs);

/* Copy the file's data: the reference keeps the buffer, but not the chrdev. */
static bool rbmap_chrdev_get(int minor, struct rbmap_chrdev *copy)
{
	struct rbmap_chrdev *chrdev;
	bool got;

	spin_lock(&rbmap_chrdevs_lock);
	chrdev = idr_find(&rbmap_chrdevs, minor);
	got = chrdev && rbmap_buffer_get(chrdev->buffer);
	if (got)
		*copy = *chrdev;
	spin_unlock(&rbmap_chrdevs_lock);
	return got;
}

static int rbmap_chrdev_open(struct inode *inode, struct file *file)
{
	struct rbmap_chrdev chrdev;
	int err;

	err = rbmap_locked_down();
	if (err)	/* step: locked_down */
		return err;
	if (!rbmap_chrdev_get(iminor(inode), &chrdev))
		return -ENXIO;
	err = chrdev.shows ? rbmap_buffer_show_begin(chrdev.buffer) : 0;
	if (err) {
		rbmap_buffer_put(chrdev.buffer);
		return err;
	}
	file->private_data = chrdev.data;
	/*
	 * The module cannot be unloaded: the caller's open() holds a reference to
	 * it.
	 */
	replace_fops(file, fops_get(chrdev.fops));
	err = file->f_op->open(inode, file);
	rbmap_buffer_retry(chrdev.buffer);
	if (err && chrdev.shows)
		rbmap_buffer_show_end(chrdev.buffer);
	if (err)	/* step: open_failed */
		rbmap_buffer_put(chrdev.buffer);
	return err;
}

static const struct file_operations rbmap_chrdev_fops = {
	.owner	= THIS_MODULE,
	.open	= rbmap_chrdev_open,
};

static char *rbmap_devnode(rbmap_devnode_device *dev, umode_t *mode)
{
	const struct rbmap_chrdev *chrdev = dev_get_drvdata(dev);
	char *name = kasprintf(GFP_KERNEL, "rbmap/%s", dev_name(dev));

	if (mode)
		*mode = chrdev->mode;
	/* sysfs stores a slash as '!'. */
	if (name)
		strreplace(name, '!', '/');
	return name;
}

/* Udev's rule reads this file: the devices of a process's own buffer stay root's. */
static ssize_t private_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct rbmap_chrdev *chrdev = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", chrdev->is_private);
}

static DEVICE_ATTR_RO(private);

static struct attribute *rbmap_chrdev_attrs[] = {
	&dev_attr_private.attr,
	NULL
};

ATTRIBUTE_GROUPS(rbmap_chrdev);

/**
 * rbmap_chrdev_create - create a file in /dev/rbmap
 * @chrdev: the file, with all members but @minor filled in; must exist until
 *	rbmap_chrdev_destroy()
 * @buffer_name: name of a directory, or ""
 * @name: name of the file
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_chrdev_create(struct rbmap_chrdev *chrdev, const char *buffer_name,
			const char *name)
{
	struct device *dev;
	int minor;

	/* Use a new number each time, so that a stale device file opens nothing. */
	idr_preload(GFP_KERNEL);
	spin_lock(&rbmap_chrdevs_lock);
	minor = idr_alloc_cyclic(&rbmap_chrdevs, NULL, 1, RBMAP_MINORS,
				 GFP_NOWAIT);
	spin_unlock(&rbmap_chrdevs_lock);
	idr_preload_end();
	if (minor == -ENOSPC)
		rbmap_err("%s: all %u device numbers are in use: destroy a buffer\n",
			  *buffer_name ? buffer_name : name, RBMAP_MINORS);
	if (minor < 0)
		return minor;
	dev = device_create_with_groups(rbmap_class, NULL, rbmap_dev + minor, chrdev,
					rbmap_chrdev_groups, "%s%s%s", buffer_name,
					*buffer_name ? "!" : "", name);
	spin_lock(&rbmap_chrdevs_lock);
	if (IS_ERR(dev))
		idr_remove(&rbmap_chrdevs, minor);
	else
		idr_replace(&rbmap_chrdevs, chrdev, minor);
	spin_unlock(&rbmap_chrdevs_lock);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	chrdev->minor = minor;
	return 0;
}

/**
 * rbmap_chrdev_destroy - remove a file
 * @chrdev: a file that was created, or was not.  It cannot be opened any more,
 *	because of rbmap_buffer_withdraw() or rbmap_buffer_stop()
 *
 * Context: may sleep.
 */
void rbmap_chrdev_destroy(struct rbmap_chrdev *chrdev)
{
	if (!chrdev->minor)
		return;
	device_destroy(rbmap_class, rbmap_dev + chrdev->minor);
	spin_lock(&rbmap_chrdevs_lock);
	idr_remove(&rbmap_chrdevs, chrdev->minor);
	spin_unlock(&rbmap_chrdevs_lock);
	chrdev->minor = 0;
}

/* An access control list shows in the mode, too, but not whom it admits. */
static bool rbmap_inode_has_acl(const struct inode *inode)
{
#ifdef CONFIG_FS_POSIX_ACL
	return inode->i_acl && !is_uncached_acl(READ_ONCE(inode->i_acl));
#else
	return false;
#endif
}

/* May others than root read the file? */
static bool rbmap_inode_shared(const struct inode *inode)
{
	return !uid_eq(inode->i_uid, GLOBAL_ROOT_UID) || inode->i_mode & 0004 ||
	       (inode->i_mode & 0040 &&
		(!gid_eq(inode->i_gid, GLOBAL_ROOT_GID) || rbmap_inode_has_acl(inode)));
}

/**
 * rbmap_chrdev_shared - may others than root open a file in /dev/rbmap for reading?
 * @buffer_name: name of a directory, or ""
 * @name: name of the file
 *
 * The file is looked up by its name, as the process sees /dev.  The answer serves to tell
 * root of a mistake: another file may have the same device number, and the mode may change
 * at any time.
 *
 * Context: may sleep.
 * Return: whether they may; false without such a file.
 */
bool rbmap_chrdev_shared(const char *buffer_name, const char *name)
{
	char *file = kasprintf(GFP_KERNEL, "/dev/rbmap/%s%s%s", buffer_name,
			       *buffer_name ? "/" : "", name);
	const struct inode *inode;
	struct path path;
	bool shared;

	/* Without memory nobody knows. */
	if (!file)
		return true;
	if (kern_path(file, LOOKUP_FOLLOW, &path)) {
		kfree(file);
		return false;
	}
	kfree(file);
	inode = d_backing_inode(path.dentry);
	shared = S_ISCHR(inode->i_mode) && MAJOR(inode->i_rdev) == MAJOR(rbmap_dev) &&
		 rbmap_inode_shared(inode);
	path_put(&path);
	return shared;
}

/**
 * rbmap_chrdevs_init - prepare for the first rbmap_chrdev_create()
 *
 * Return: 0 or a negative error.
 */
int rbmap_chrdevs_init(void)
{
	int err;

	err = alloc_chrdev_region(&rbmap_dev, 0, RBMAP_MINORS, "rbmap");
	if (err)
		return err;
	rbmap_class = rbmap_class_create("rbmap");
	if (IS_ERR(rbmap_class)) {
		unregister_chrdev_region(rbmap_dev, RBMAP_MINORS);
		return PTR_ERR(rbmap_class);
	}
	rbmap_class->devnode = rbmap_devnode;
	return 0;
}

/**
 * rbmap_chrdevs_offer - let the files be opened
 *
 * This is the last step that makes a load fail.  From here on, an open() executes the
 * module's code, and the kernel frees the module of a failed load without waiting for
 * such callers.
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_chrdevs_offer(void)
{
	cdev_init(&rbmap_cdev, &rbmap_chrdev_fops);
	rbmap_cdev.owner = THIS_MODULE;
	return cdev_add(&rbmap_cdev, rbmap_dev, RBMAP_MINORS);
}

/**
 * rbmap_chrdevs_withdraw - undo rbmap_chrdevs_offer()
 */
void rbmap_chrdevs_withdraw(void)
{
	cdev_del(&rbmap_cdev);
}

/**
 * rbmap_chrdevs_exit - clean up after the last rbmap_chrdev_destroy()
 */
void rbmap_chrdevs_exit(void)
{
	class_destroy(rbmap_class);
	unregister_chrdev_region(rbmap_dev, RBMAP_MINORS);
	idr_destroy(&rbmap_chrdevs);
}
