// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap_selftest: the device of the command rbmap selftest.  Writers run only between
 * two calls of one open file, and end with it, even if its process is killed.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <rbmap/buffer.h>

#include "contexts.h"
#include "writer.h"

/* Only root can open it. */
#define RBMAP_SELFTEST_MODE	0600

/* Protects the variables below, and serializes all calls. */
static DEFINE_MUTEX(rbmap_selftest_lock);
static const struct file *rbmap_selftest_user;
static struct rbmap_buffer *rbmap_selftest_buffer;
static bool rbmap_selftest_started;

static int rbmap_selftest_open(struct inode *inode, struct file *file)
{
	int err = -EBUSY;

	mutex_lock(&rbmap_selftest_lock);
	if (!rbmap_selftest_user) {
		rbmap_selftest_user = file;
		err = stream_open(inode, file);
	}
	mutex_unlock(&rbmap_selftest_lock);
	return err;
}

static void rbmap_selftest_end(void)
{
	if (rbmap_selftest_started)
		rbmap_selftest_stop();
	rbmap_selftest_started = false;
}

static void rbmap_selftest_put_buffer(void)
{
	if (rbmap_selftest_buffer)
		rbmap_buffer_put(rbmap_selftest_buffer);
	rbmap_selftest_buffer = NULL;
}

static int rbmap_selftest_release(struct inode *inode, struct file *file)
{
	mutex_lock(&rbmap_selftest_lock);
	rbmap_selftest_end();
	rbmap_selftest_put_buffer();
	rbmap_selftest_user = NULL;
	mutex_unlock(&rbmap_selftest_lock);
	return 0;
}

/* The default buffer has an empty name.  Its readers expect other events. */
static int rbmap_selftest_begin(const void __user *arg)
{
	struct rbmap_selftest_start start;
	int err;

	if (copy_from_user(&start, arg, sizeof(start)))
		return -EFAULT;
	if (!start.buffer[0] ||
	    strnlen(start.buffer, sizeof(start.buffer)) == sizeof(start.buffer))
		return -EINVAL;
	if (rbmap_selftest_started)
		return -EBUSY;
	rbmap_selftest_put_buffer();
	rbmap_selftest_buffer = rbmap_buffer_find(start.buffer);
	if (!rbmap_selftest_buffer)
		return -ENOENT;
	err = rbmap_selftest_start(rbmap_selftest_buffer);
	rbmap_selftest_started = !err;
	return err;
}

static int rbmap_selftest_write_last(void)
{
	if (rbmap_selftest_started || !rbmap_selftest_buffer)
		return -EINVAL;
	rbmap_selftest_last();
	return 0;
}

static int rbmap_selftest_count(void __user *arg)
{
	const struct rbmap_selftest_cpu *cpu;
	struct rbmap_selftest_counts counts;

	if (copy_from_user(&counts, arg, sizeof(counts)))
		return -EFAULT;
	if (rbmap_selftest_started || counts.cpu >= nr_cpu_ids ||
	    !cpu_possible(counts.cpu))
		return -EINVAL;
	cpu = per_cpu_ptr(&rbmap_selftest_cpus, counts.cpu);
	counts.last = cpu->last;
	memcpy(counts.emitted, cpu->emitted, sizeof(counts.emitted));
	memcpy(counts.refused, cpu->refused, sizeof(counts.refused));
	return copy_to_user(arg, &counts, sizeof(counts)) ? -EFAULT : 0;
}

static int rbmap_selftest_call(unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case RBMAP_SELFTEST_START:
		return rbmap_selftest_begin(arg);
	case RBMAP_SELFTEST_STOP:
		rbmap_selftest_end();
		return 0;
	case RBMAP_SELFTEST_LAST:
		return rbmap_selftest_write_last();
	case RBMAP_SELFTEST_COUNT:
		return rbmap_selftest_count(arg);
	default:
		return -ENOTTY;
	}
}

static long rbmap_selftest_ioctl(struct file *file, unsigned int cmd,
				 unsigned long arg)
{
	int ret;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	mutex_lock(&rbmap_selftest_lock);
	ret = rbmap_selftest_call(cmd, (void __user *)arg);
	mutex_unlock(&rbmap_selftest_lock);
	return ret;
}

static const struct file_operations rbmap_selftest_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_selftest_open,
	.release	= rbmap_selftest_release,
	.unlocked_ioctl	= rbmap_selftest_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice rbmap_selftest_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "rbmap_selftest",
	.fops	= &rbmap_selftest_fops,
	.mode	= RBMAP_SELFTEST_MODE,
};

module_misc_device(rbmap_selftest_device);

MODULE_AUTHOR("The rbmap developers");
MODULE_DESCRIPTION("Writers in all contexts, for the command rbmap selftest");
MODULE_LICENSE("GPL");
MODULE_VERSION(RBMAP_VERSION);
