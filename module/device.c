// SPDX-License-Identifier: GPL-2.0-only
/* /dev/rbmap/cpuN: map, GET_READER, poll, read and splice of one CPU's ring. */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access.h"
#include "compat/device.h"
#include "cpu_buffer.h"
#include "device.h"
#include "log.h"

#define RBMAP_DEVICE_MODE	0440

/**
 * struct rbmap_file - an open file
 * @cpu_buf: the ring
 * @lock: one read() at a time; user memory may be touched with it held
 * @copy: the sub-buffer that read() hands out, allocated by the first one
 * @offset: bytes of @copy that were handed out; all of them: take another
 */
struct rbmap_file {
	struct rbmap_cpu_buffer		*cpu_buf;
	struct mutex			lock;
	struct rbmap_subbuf_header	*copy;
	size_t				offset;
};

static struct rbmap_buffer *rbmap_device_buffer;
static struct cdev rbmap_cdev;
static struct class *rbmap_class;
static dev_t rbmap_dev;

static int rbmap_open(struct inode *inode, struct file *file)
{
	struct rbmap_cpu_buffer *cpu_buf =
		rbmap_cpu_buffer(rbmap_device_buffer, iminor(inode));
	struct rbmap_file *rfile;
	int err;

	if (!cpu_buf)
		return -ENXIO;
	err = rbmap_locked_down();
	if (err)
		return err;
	rfile = kzalloc(sizeof(*rfile), GFP_KERNEL);
	if (!rfile)
		return -ENOMEM;
	rfile->cpu_buf = cpu_buf;
	rfile->offset = cpu_buf->buffer->subbuf_size;
	mutex_init(&rfile->lock);
	file->private_data = rfile;
	return nonseekable_open(inode, file);
}

static int rbmap_release(struct inode *inode, struct file *file)
{
	struct rbmap_file *rfile = file->private_data;

	kvfree(rfile->copy);
	kfree(rfile);
	return 0;
}

/* Fill the file's copy, waiting for something if the file says so. */
static int rbmap_file_fill(struct file *file)
{
	struct rbmap_file *rfile = file->private_data;
	struct rbmap_cpu_buffer *cpu_buf = rfile->cpu_buf;
	bool got;
	int err;

	if (!rfile->copy)
		rfile->copy = kvmalloc(cpu_buf->buffer->subbuf_size,
				       GFP_KERNEL);
	if (!rfile->copy)
		return -ENOMEM;
	for (;;) {
		err = mutex_lock_interruptible(&cpu_buf->reader_lock);
		if (err)
			return -EINTR;
		got = rbmap_take_copy(cpu_buf, rfile->copy);
		if (got && cpu_buf->mapped)
			rbmap_meta_update(cpu_buf);
		mutex_unlock(&cpu_buf->reader_lock);
		if (got) {
			rfile->offset = 0;
			return 0;
		}
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = rbmap_wait(cpu_buf, 0, false);
		if (err)
			return err;
	}
}

static ssize_t rbmap_read(struct file *file, char __user *to, size_t count,
			  loff_t *pos)
{
	struct rbmap_file *rfile = file->private_data;
	size_t subbuf_size = rfile->cpu_buf->buffer->subbuf_size;
	ssize_t ret;

	if (!count)
		return 0;
	if (mutex_lock_interruptible(&rfile->lock))
		return -EINTR;
	ret = 0;
	if (rfile->offset == subbuf_size)
		ret = rbmap_file_fill(file);
	if (!ret) {
		size_t size = min(count, subbuf_size - rfile->offset);
		size_t left = copy_to_user(to, (u8 *)rfile->copy +
					   rfile->offset, size);

		rfile->offset += size - left;
		ret = left == size ? -EFAULT : size - left;
	}
	mutex_unlock(&rfile->lock);
	return ret;
}

static __poll_t rbmap_file_poll(struct file *file, poll_table *table)
{
	struct rbmap_file *rfile = file->private_data;

	return rbmap_poll(rfile->cpu_buf, file, table);
}

static long rbmap_get_reader(struct file *file)
{
	struct rbmap_file *rfile = file->private_data;
	struct rbmap_cpu_buffer *cpu_buf = rfile->cpu_buf;
	long ret = 0;

	if (!(file->f_flags & O_NONBLOCK)) {
		ret = rbmap_wait(cpu_buf, rbmap_buffer_percent(cpu_buf->buffer),
				 false);
		if (ret)
			return ret;
	}
	if (mutex_lock_interruptible(&cpu_buf->reader_lock))
		return -EINTR;
	if (cpu_buf->mapped) {
		cpu_buf->seen = rb_clock(cpu_buf->ring.clock);
		/*
		 * Look after that.  Not smp_rmb(): a clock is no memory.
		 * litmus: take-now
		 */
		rmb();
		rbmap_take_mapped(cpu_buf);
		rbmap_meta_update(cpu_buf);
	} else {
		ret = -ENODEV;
	}
	mutex_unlock(&cpu_buf->reader_lock);
	return ret;
}

static long rbmap_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct rbmap_file *rfile = file->private_data;
	struct rbmap_cpu_buffer *cpu_buf = rfile->cpu_buf;

	switch (cmd) {
	case RBMAP_IOCTL_GET_READER:
		return rbmap_get_reader(file);
	case 0:
		WRITE_ONCE(cpu_buf->wakeups, READ_ONCE(cpu_buf->wakeups) + 1);
		rbmap_wake_all(cpu_buf);
		return 0;
	}
	return -ENOTTY;
}

static int rbmap_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct rbmap_file *rfile = file->private_data;

	return rbmap_mmap(rfile->cpu_buf, vma);
}

static ssize_t rbmap_file_splice(struct file *file, loff_t *pos,
				 struct pipe_inode_info *pipe, size_t len,
				 unsigned int flags)
{
	struct rbmap_file *rfile = file->private_data;

	return rbmap_splice(rfile->cpu_buf, file, pipe, len, flags);
}

static const struct file_operations rbmap_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_open,
	.release	= rbmap_release,
	.read		= rbmap_read,
	.splice_read	= rbmap_file_splice,
	.poll		= rbmap_file_poll,
	.unlocked_ioctl	= rbmap_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= rbmap_file_mmap,
};

static char *rbmap_devnode(rbmap_devnode_device *dev,
			   umode_t *mode)
{
	if (mode)
		*mode = RBMAP_DEVICE_MODE;
	return kasprintf(GFP_KERNEL, "rbmap/%s", dev_name(dev));
}

/**
 * rbmap_device_add_cpu - make /dev/rbmap/cpuN
 * @cpu: has a ring
 *
 * Context: may sleep; one caller at a time.
 */
int rbmap_device_add_cpu(int cpu)
{
	dev_t devt = rbmap_dev + cpu;
	struct device *dev = class_find_device_by_devt(rbmap_class, devt);

	if (dev) {
		put_device(dev);
		return 0;
	}
	dev = device_create(rbmap_class, NULL, devt, NULL, "cpu%d", cpu);
	return PTR_ERR_OR_ZERO(dev);
}

/**
 * rbmap_device_init - be ready for rbmap_device_add_cpu()
 * @buf: what the devices show
 */
int rbmap_device_init(struct rbmap_buffer *buf)
{
	int err;

	rbmap_device_buffer = buf;
	err = alloc_chrdev_region(&rbmap_dev, 0, nr_cpu_ids, "rbmap");
	if (err)
		return err;
	cdev_init(&rbmap_cdev, &rbmap_fops);
	rbmap_cdev.owner = THIS_MODULE;
	err = cdev_add(&rbmap_cdev, rbmap_dev, nr_cpu_ids);
	if (err)
		goto region;
	rbmap_class = rbmap_class_create("rbmap");
	if (IS_ERR(rbmap_class)) {
		err = PTR_ERR(rbmap_class);
		goto cdev;
	}
	rbmap_class->devnode = rbmap_devnode;
	return 0;

cdev:
	cdev_del(&rbmap_cdev);
region:
	unregister_chrdev_region(rbmap_dev, nr_cpu_ids);
	return err;
}

/**
 * rbmap_device_exit - take all devices away; no file is open
 */
void rbmap_device_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		device_destroy(rbmap_class, rbmap_dev + cpu);
	class_destroy(rbmap_class);
	cdev_del(&rbmap_cdev);
	unregister_chrdev_region(rbmap_dev, nr_cpu_ids);
}
