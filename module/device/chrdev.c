// SPDX-License-Identifier: GPL-2.0-only
/* The files in /dev/rbmap: one region of numbers for those of all buffers. */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer/buffer.h"
#include "chrdev.h"
#include "compat/device.h"
#include "lib/access.h"

#define RBMAP_MINORS	(1U << MINORBITS)

static struct cdev rbmap_cdev;
static struct class *rbmap_class;
static dev_t rbmap_dev;

/* By number: nodes, or NULL while they are being made. */
static DEFINE_SPINLOCK(rbmap_nodes_lock);
static DEFINE_IDR(rbmap_nodes);

/* A copy: the buffer stays, the node may be gone. */
static bool rbmap_node_get(int minor, struct rbmap_node *copy)
{
	struct rbmap_node *node;
	bool got;

	spin_lock(&rbmap_nodes_lock);
	node = idr_find(&rbmap_nodes, minor);
	got = node && rbmap_buffer_get(node->buffer);
	if (got)
		*copy = *node;
	spin_unlock(&rbmap_nodes_lock);
	return got;
}

static int rbmap_node_open(struct inode *inode, struct file *file)
{
	struct rbmap_node node;
	int err;

	err = rbmap_locked_down();
	if (err)
		return err;
	if (!rbmap_node_get(iminor(inode), &node))
		return -ENXIO;
	file->private_data = node.data;
	/* The module is there: who opens has it held already. */
	replace_fops(file, fops_get(node.fops));
	err = file->f_op->open(inode, file);
	rbmap_buffer_retry(node.buffer);
	if (err)
		rbmap_buffer_put(node.buffer);
	return err;
}

static const struct file_operations rbmap_node_fops = {
	.owner	= THIS_MODULE,
	.open	= rbmap_node_open,
};

static char *rbmap_devnode(rbmap_devnode_device *dev, umode_t *mode)
{
	const struct rbmap_node *node = dev_get_drvdata(dev);
	char *name = kasprintf(GFP_KERNEL, "rbmap/%s", dev_name(dev));

	if (mode)
		*mode = node->mode;
	/* What sysfs has for a slash. */
	if (name)
		strreplace(name, '!', '/');
	return name;
}

/**
 * rbmap_node_create - make a file in /dev/rbmap
 * @node: all but @minor is filled; there until rbmap_node_destroy()
 * @buffer_name: a directory; "": none
 * @name: the file
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_node_create(struct rbmap_node *node, const char *buffer_name,
		      const char *name)
{
	struct device *dev;
	int minor;

	/* The next one: who still has an old one's number finds nothing. */
	idr_preload(GFP_KERNEL);
	spin_lock(&rbmap_nodes_lock);
	minor = idr_alloc_cyclic(&rbmap_nodes, NULL, 1, RBMAP_MINORS,
				 GFP_NOWAIT);
	spin_unlock(&rbmap_nodes_lock);
	idr_preload_end();
	if (minor < 0)
		return minor;
	dev = device_create(rbmap_class, NULL, rbmap_dev + minor, node,
			    "%s%s%s", buffer_name, *buffer_name ? "!" : "",
			    name);
	spin_lock(&rbmap_nodes_lock);
	if (IS_ERR(dev))
		idr_remove(&rbmap_nodes, minor);
	else
		idr_replace(&rbmap_nodes, node, minor);
	spin_unlock(&rbmap_nodes_lock);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	node->minor = minor;
	return 0;
}

/**
 * rbmap_node_destroy - remove a file
 * @node: one that was made or not; nobody can open it any more:
 *	rbmap_buffer_withdraw() or rbmap_buffer_end()
 *
 * Context: may sleep.
 */
void rbmap_node_destroy(struct rbmap_node *node)
{
	if (!node->minor)
		return;
	device_destroy(rbmap_class, rbmap_dev + node->minor);
	spin_lock(&rbmap_nodes_lock);
	idr_remove(&rbmap_nodes, node->minor);
	spin_unlock(&rbmap_nodes_lock);
	node->minor = 0;
}

/**
 * rbmap_nodes_init - before the first rbmap_node_create()
 *
 * Return: 0 or a negative error.
 */
int rbmap_nodes_init(void)
{
	int err;

	err = alloc_chrdev_region(&rbmap_dev, 0, RBMAP_MINORS, "rbmap");
	if (err)
		return err;
	cdev_init(&rbmap_cdev, &rbmap_node_fops);
	rbmap_cdev.owner = THIS_MODULE;
	err = cdev_add(&rbmap_cdev, rbmap_dev, RBMAP_MINORS);
	if (err)
		goto err_unregister_region;
	rbmap_class = rbmap_class_create("rbmap");
	if (IS_ERR(rbmap_class)) {
		err = PTR_ERR(rbmap_class);
		goto err_del_cdev;
	}
	rbmap_class->devnode = rbmap_devnode;
	return 0;

err_del_cdev:
	cdev_del(&rbmap_cdev);
err_unregister_region:
	unregister_chrdev_region(rbmap_dev, RBMAP_MINORS);
	return err;
}

/**
 * rbmap_nodes_exit - after the last rbmap_node_destroy()
 */
void rbmap_nodes_exit(void)
{
	class_destroy(rbmap_class);
	cdev_del(&rbmap_cdev);
	unregister_chrdev_region(rbmap_dev, RBMAP_MINORS);
	idr_destroy(&rbmap_nodes);
}
