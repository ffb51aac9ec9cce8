// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rbmap/control: each open file creates buffers that end with it.  So a buffer ends
 * with the process that uses it, even if that process is killed.  The file also gives the
 * names of functions.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/rbmap.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "buffer/buffer.h"
#include "control/instances.h"
#include "control/symbols.h"
#include "control_device.h"
#include "device/chrdev.h"
#include "instance.h"

/* Only root can open it. */
#define RBMAP_CONTROL_MODE	0600

static struct rbmap_chrdev rbmap_control_chrdev;

static long rbmap_control_create(struct file *file, unsigned long arg)
{
	struct rbmap_create create;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&create, (void __user *)arg, sizeof(create)))
		return -EFAULT;
	if (strnlen(create.text, sizeof(create.text)) == sizeof(create.text))
		return -EINVAL;
	return rbmap_control_instance_create(__rbmap_default_buffer(), create.text,
					     strlen(create.text), file);
}

static long rbmap_control_symbols(unsigned long arg)
{
	struct rbmap_symbols symbols;

	if (copy_from_user(&symbols, (void __user *)arg, sizeof(symbols)))
		return -EFAULT;
	return rbmap_symbols_resolve(&symbols);
}

static long rbmap_control_ioctl(struct file *file, unsigned int cmd,
				unsigned long arg)
{
	switch (cmd) {
	case RBMAP_IOCTL_CREATE:
		return rbmap_control_create(file, arg);
	case RBMAP_IOCTL_SYMBOLS:
		return rbmap_control_symbols(arg);
	}
	return -ENOTTY;
}

static int rbmap_control_release(struct inode *inode, struct file *file)
{
	rbmap_instances_end_with(file);
	rbmap_buffer_put(file->private_data);
	return 0;
}

static const struct file_operations rbmap_control_fops = {
	.owner		= THIS_MODULE,
	.open		= stream_open,
	.release	= rbmap_control_release,
	.unlocked_ioctl	= rbmap_control_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

/**
 * rbmap_control_device_init - create the device
 *
 * Context: may sleep; the default buffer exists.
 * Return: 0 or a negative error.
 */
int rbmap_control_device_init(void)
{
	struct rbmap_buffer *buf = __rbmap_default_buffer();

	rbmap_control_chrdev = (struct rbmap_chrdev) {
		.fops	= &rbmap_control_fops,
		.mode	= RBMAP_CONTROL_MODE,
		.buffer	= buf,
		.data	= buf,
	};
	return rbmap_chrdev_create(&rbmap_control_chrdev, "", "control");
}

/**
 * rbmap_control_device_exit - remove the device, which nobody has open
 *
 * Context: may sleep.
 */
void rbmap_control_device_exit(void)
{
	rbmap_chrdev_destroy(&rbmap_control_chrdev);
}
