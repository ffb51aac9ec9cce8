// SPDX-License-Identifier: GPL-2.0-only
/* /dev/rbmap/cpuN: map, GET_READER, poll, read and splice of one CPU's ring. */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access.h"
#include "compat/device.h"
#include "device.h"
#include "file.h"
#include "log.h"

#define RBMAP_DEVICE_MODE	0440
#define RBMAP_MINORS		(2 * nr_cpu_ids)

static struct rbmap_buffer *rbmap_device_buffer;
static struct cdev rbmap_cdev;
static struct class *rbmap_class;
static dev_t rbmap_dev;

/* Minors: rings, then snapshots. */
static int rbmap_minor_cpu(unsigned int minor)
{
	return minor % nr_cpu_ids;
}

static bool rbmap_minor_is_snapshot(unsigned int minor)
{
	return minor >= nr_cpu_ids;
}

/* @snapshot: its reference is given away, or NULL. */
static struct rbmap_file *
rbmap_file_create(struct rbmap_cpu_buffer *cpu_buf,
		  struct rbmap_generation *snapshot)
{
	struct rbmap_file *rfile = kzalloc(sizeof(*rfile), GFP_KERNEL);

	if (!rfile) {
		if (snapshot)
			rbmap_generation_put(snapshot);
		return NULL;
	}
	rfile->cpu_buf = cpu_buf;
	rfile->gen = snapshot;
	rfile->snapshot = snapshot;
	mutex_init(&rfile->lock);
	rbmap_generation_put(rbmap_file_bind(rfile, false));
	return rfile;
}

static void rbmap_file_destroy(struct rbmap_file *rfile)
{
	rbmap_file_unbind(rfile);
	kvfree(rfile->copy);
	kfree(rfile);
}

static int rbmap_open(struct inode *inode, struct file *file)
{
	struct rbmap_cpu_buffer *cpu_buf =
		rbmap_cpu_buffer(rbmap_device_buffer,
				 rbmap_minor_cpu(iminor(inode)));
	struct rbmap_generation *snapshot = NULL;
	int err;

	if (!cpu_buf)
		return -ENXIO;
	err = rbmap_locked_down();
	if (err)
		return err;
	if (rbmap_minor_is_snapshot(iminor(inode)))
		snapshot = rbmap_snapshot_of(cpu_buf);
	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	file->private_data = rbmap_file_create(cpu_buf, snapshot);
	if (!file->private_data)
		return -ENOMEM;
	return nonseekable_open(inode, file);
}

static int rbmap_release(struct inode *inode, struct file *file)
{
	rbmap_file_destroy(file->private_data);
	return 0;
}

/* Rings differ in the size of their sub-buffers. */
static int rbmap_file_copy_alloc(struct rbmap_file *rfile, size_t size)
{
	if (rfile->copy_size == size)
		return 0;
	kvfree(rfile->copy);
	rfile->copy = kvmalloc(size, GFP_KERNEL);
	rfile->copy_size = rfile->offset = rfile->copy ? size : 0;
	return rfile->copy ? 0 : -ENOMEM;
}

/*
 * Take a sub-buffer's unread bytes, if there are any.  Return: 1: there were;
 * 0: there may be later; -ESTALE: there never will be any more in this ring.
 */
static int rbmap_file_take(struct rbmap_file *rfile,
			   struct rbmap_generation *gen)
{
	bool got;
	int err;

	err = rbmap_file_copy_alloc(rfile, gen->subbuf_size);
	if (err)
		return err;
	err = mutex_lock_interruptible(&gen->reader_lock);
	if (err)
		return -EINTR;
	got = rbmap_take_copy(gen, rfile->copy);
	if (got && gen->mapped)
		rbmap_meta_update(gen);
	mutex_unlock(&gen->reader_lock);
	if (!got)
		return rbmap_generation_drained(gen) ? -ESTALE : 0;
	rfile->offset = 0;
	return 1;
}

/* Fill the file's copy, waiting for something if the file says so. */
static int rbmap_file_fill(struct file *file)
{
	struct rbmap_file *rfile = file->private_data;
	int ret;

	do {
		struct rbmap_generation *gen = rbmap_file_bind_reader(rfile);

		ret = rbmap_file_take(rfile, gen);
		if (!ret && file->f_flags & O_NONBLOCK)
			ret = -EAGAIN;
		else if (!ret)
			ret = rbmap_wait(gen, 0, false);
		else if (ret == -ESTALE && !rbmap_file_stays(rfile))
			ret = 0;	/* go on in the next one */
		rbmap_generation_put(gen);
	} while (!ret);
	return min(ret, 0);
}

static ssize_t rbmap_read(struct file *file, char __user *to, size_t count,
			  loff_t *pos)
{
	struct rbmap_file *rfile = file->private_data;
	ssize_t ret = 0;

	if (!count)
		return 0;
	if (rbmap_file_observes(rfile))
		return -EBADF;
	if (mutex_lock_interruptible(&rfile->lock))
		return -EINTR;
	if (rfile->offset == rfile->copy_size)
		ret = rbmap_file_fill(file);
	if (ret == -ESTALE && rfile->snapshot) {
		ret = 0;	/* its end */
	} else if (!ret) {
		size_t size = min(count, rfile->copy_size - rfile->offset);
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
	struct rbmap_generation *gen;
	__poll_t ready;

	do {
		gen = rbmap_file_bind(rfile, false);
		ready = rbmap_poll(gen, file, table);
		rbmap_generation_put(gen);
		/* Who does not map it goes on in the next one. */
	} while (ready & EPOLLHUP && !rbmap_file_stays(rfile));
	return ready;
}

/* All that can be read now counts as read. */
static int rbmap_get_reader_now(struct rbmap_generation *gen)
{
	int ret = 0;

	if (mutex_lock_interruptible(&gen->reader_lock))
		return -EINTR;
	if (!gen->mapped) {
		ret = -ENODEV;
	} else {
		gen->seen = rb_clock(gen->ring.clock);
		/*
		 * Look after that.  Not smp_rmb(): a clock is no memory.
		 * litmus: take-now
		 */
		rmb();
		if (!rbmap_take_mapped(gen) && rbmap_generation_drained(gen))
			ret = -ESTALE;
		rbmap_meta_update(gen);
	}
	mutex_unlock(&gen->reader_lock);
	return ret;
}

static int rbmap_get_reader(struct file *file)
{
	struct rbmap_file *rfile = file->private_data;
	struct rbmap_generation *gen = rbmap_file_bind_reader(rfile);
	unsigned int percent = rbmap_buffer_percent(rfile->cpu_buf->buffer);
	int ret = 0;

	if (!(file->f_flags & O_NONBLOCK))
		ret = rbmap_wait(gen, percent, false);
	if (!ret)
		ret = rbmap_get_reader_now(gen);
	rbmap_generation_put(gen);
	return ret;
}

/* End every wait on this CPU's rings. */
static void rbmap_end_waits(struct rbmap_file *rfile)
{
	struct rbmap_generation *gen = rbmap_file_bind(rfile, false);
	struct rbmap_cpu_buffer *cpu_buf = rfile->cpu_buf;

	WRITE_ONCE(cpu_buf->wakeups, READ_ONCE(cpu_buf->wakeups) + 1);
	rbmap_wake_all(gen);
	rbmap_generation_put(gen);
}

static const struct file_operations rbmap_fops;

/* A snapshot of this CPU, in a file of its own. */
static int rbmap_snapshot_fd(struct rbmap_file *rfile)
{
	struct rbmap_generation *snapshot;
	struct rbmap_file *new;
	int fd;

	if (rfile->snapshot)
		return -ENOTTY;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	snapshot = rbmap_cpu_buffer_take_snapshot(rfile->cpu_buf);
	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	new = rbmap_file_create(rfile->cpu_buf, snapshot);
	if (!new)
		return -ENOMEM;
	fd = anon_inode_getfd("[rbmap-snapshot]", &rbmap_fops, new,
			      O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		rbmap_file_destroy(new);
	return fd;
}

static long rbmap_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case RBMAP_IOCTL_GET_READER:
		if (rbmap_file_observes(file->private_data))
			return -EBADF;
		return rbmap_get_reader(file);
	case RBMAP_IOCTL_OBSERVE:
		return rbmap_file_observe(file->private_data);
	case RBMAP_IOCTL_SNAPSHOT:
		return rbmap_snapshot_fd(file->private_data);
	case 0:
		rbmap_end_waits(file->private_data);
		return 0;
	}
	return -ENOTTY;
}

static int rbmap_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	return rbmap_mmap(file->private_data, vma);
}

static ssize_t rbmap_file_splice(struct file *file, loff_t *pos,
				 struct pipe_inode_info *pipe, size_t len,
				 unsigned int flags)
{
	struct rbmap_file *rfile = file->private_data;
	ssize_t ret;

	if (rbmap_file_observes(rfile))
		return -EBADF;
	do {
		struct rbmap_generation *gen = rbmap_file_bind_reader(rfile);

		ret = rbmap_splice(gen, file, pipe, len, flags);
		rbmap_generation_put(gen);
	} while (ret == -ESTALE && !rbmap_file_stays(rfile));
	return ret == -ESTALE && rfile->snapshot ? 0 : ret;
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
	const char *dir = rbmap_minor_is_snapshot(MINOR(dev->devt) -
						  MINOR(rbmap_dev)) ?
			  "snapshot/" : "";

	if (mode)
		*mode = RBMAP_DEVICE_MODE;
	return kasprintf(GFP_KERNEL, "rbmap/%scpu%d", dir,
			 rbmap_minor_cpu(MINOR(dev->devt) - MINOR(rbmap_dev)));
}

static int rbmap_device_add(dev_t devt, const char *format, int cpu)
{
	struct device *dev = class_find_device_by_devt(rbmap_class, devt);

	if (dev) {
		put_device(dev);
		return 0;
	}
	dev = device_create(rbmap_class, NULL, devt, NULL, format, cpu);
	return PTR_ERR_OR_ZERO(dev);
}

/**
 * rbmap_device_add_cpu - make /dev/rbmap/cpuN and /dev/rbmap/snapshot/cpuN
 * @cpu: has a ring
 *
 * Context: may sleep; one caller at a time.
 */
int rbmap_device_add_cpu(int cpu)
{
	int err = rbmap_device_add(rbmap_dev + cpu, "cpu%d", cpu);

	return err ?: rbmap_device_add(rbmap_dev + nr_cpu_ids + cpu,
				       "snapshot-cpu%d", cpu);
}

/**
 * rbmap_device_init - be ready for rbmap_device_add_cpu()
 * @buf: what the devices show
 */
int rbmap_device_init(struct rbmap_buffer *buf)
{
	int err;

	rbmap_device_buffer = buf;
	err = alloc_chrdev_region(&rbmap_dev, 0, RBMAP_MINORS, "rbmap");
	if (err)
		return err;
	cdev_init(&rbmap_cdev, &rbmap_fops);
	rbmap_cdev.owner = THIS_MODULE;
	err = cdev_add(&rbmap_cdev, rbmap_dev, RBMAP_MINORS);
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
	unregister_chrdev_region(rbmap_dev, RBMAP_MINORS);
	return err;
}

/**
 * rbmap_device_exit - take all devices away; no file is open
 */
void rbmap_device_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		device_destroy(rbmap_class, rbmap_dev + cpu);
		device_destroy(rbmap_class, rbmap_dev + nr_cpu_ids + cpu);
	}
	class_destroy(rbmap_class);
	cdev_del(&rbmap_cdev);
	unregister_chrdev_region(rbmap_dev, RBMAP_MINORS);
}
