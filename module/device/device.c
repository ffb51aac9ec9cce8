// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rbmap/cpuN: mmap, GET_READER, poll, read and splice of one CPU's ring;
 * snapshot/cpuN, and the creation of all devices of a buffer.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>

#include "buffer/audience.h"
#include "buffer/consume.h"
#include "buffer/file.h"
#include "buffer/meta_page.h"
#include "buffer/pages.h"
#include "buffer/resize.h"
#include "buffer/snapshot.h"
#include "buffer/wait.h"
#include "device.h"
#include "files.h"
#include "marker.h"

#define RBMAP_DEVICE_MODE	0440
#define RBMAP_MARKER_MODE	0220
/* Only root discards events, as with the files `reset` and `snapshot`. */
#define RBMAP_TRACE_MODE	0600
/* The text has names of the threads of all users. */
#define RBMAP_TRACE_PIPE_MODE	0400
#define RBMAP_ERROR_LOG_MODE	0600

static void rbmap_file_copy_free(struct rbmap_file *rfile)
{
	if (rfile->copy)
		rbmap_pages_free(rfile->copy, rfile->copy_size);
	rfile->copy = NULL;
	rfile->copy_size = 0;
}

static struct rbmap_file *rbmap_file_alloc(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_file *rfile = kzalloc(sizeof(*rfile), GFP_KERNEL_ACCOUNT);

	if (!rfile)
		return NULL;
	rfile->cpu_buf = cpu_buf;
	INIT_LIST_HEAD(&rfile->list);
	mutex_init(&rfile->lock);
	return rfile;
}

/* Bind a new file to a ring. A snapshot's reference is passed on. */
static void rbmap_file_start(struct rbmap_file *rfile, struct rbmap_gen *snapshot)
{
	rfile->gen = snapshot;
	rfile->snapshot = snapshot;
	rbmap_gen_put(rbmap_file_bind(rfile, false));
}

/**
 * rbmap_file_create - create an open file's part in a CPU's rings
 * @cpu_buf: the CPU's part of a buffer, which has a ring
 * @snapshot: NULL, or a ring whose reference is passed on
 *
 * Context: may sleep.  The memory is charged to the process.
 * Return: the file's part, or NULL without memory.
 */
struct rbmap_file *
rbmap_file_create(struct rbmap_cpu_buffer *cpu_buf,
		  struct rbmap_gen *snapshot)
{
	struct rbmap_file *rfile = rbmap_file_alloc(cpu_buf);

	if (rfile)
		rbmap_file_start(rfile, snapshot);
	else if (snapshot)
		rbmap_gen_put(snapshot);
	return rfile;
}

/**
 * rbmap_file_destroy - undo rbmap_file_create()
 * @rfile: the file's part
 *
 * Context: may sleep.
 */
void rbmap_file_destroy(struct rbmap_file *rfile)
{
	/* The file of a snapshot that failed has no ring. */
	if (rfile->gen)
		rbmap_file_unbind(rfile);	/* model: snapshot_fd_destroy */
	rbmap_file_copy_free(rfile);
	kfree(rfile);
}

static int rbmap_device_open(struct inode *inode, struct file *file)
{
	struct rbmap_cpu_buffer *cpu_buf = file->private_data;
	int err = rbmap_buffer_expand(cpu_buf->buffer);

	if (err)
		return err;
	rbmap_buffer_add_missing(cpu_buf->buffer);
	if (!rbmap_cpu_buffer_with_ring(cpu_buf->buffer, cpu_buf->cpu))
		return -ENOMEM;
	file->private_data = rbmap_file_create(cpu_buf, NULL);
	if (!file->private_data)
		return -ENOMEM;
	return nonseekable_open(inode, file);
}

static int rbmap_open_snapshot(struct inode *inode, struct file *file)
{
	struct rbmap_cpu_buffer *cpu_buf = file->private_data;
	struct rbmap_gen *snapshot = rbmap_snapshot_of(cpu_buf);

	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	file->private_data = rbmap_file_create(cpu_buf, snapshot);
	if (!file->private_data)
		return -ENOMEM;
	return nonseekable_open(inode, file);
}

static int rbmap_release(struct inode *inode, struct file *file)
{
	struct rbmap_file *rfile = file->private_data;
	struct rbmap_buffer *buf = rfile->cpu_buf->buffer;

	rbmap_file_destroy(rfile);
	rbmap_buffer_show_end(buf);
	rbmap_buffer_put(buf);
	return 0;
}

/* The rings of a CPU can differ in the size of their sub-buffers. */
static int rbmap_file_copy_alloc(struct rbmap_file *rfile, size_t size)
{
	if (rfile->copy_size == size)
		return 0;
	rbmap_file_copy_free(rfile);
	/*
	 * Charge the process, so that one that opens many files pays for its copies.
	 */
	rfile->copy = rbmap_pages_alloc(size, cpu_to_node(rfile->cpu_buf->cpu),
					__GFP_ACCOUNT);
	rfile->copy_size = rfile->offset = rfile->copy ? size : 0;
	return rfile->copy ? 0 : -ENOMEM;
}

/*
 * Get a sub-buffer's unread bytes, always as a copy.  The file's memory is charged to a
 * memory cgroup, and must not become the ring's: it would stay charged after the close.
 * Return: 1 if there were any; 0 if there may be some later; -ESTALE if this ring will
 * have no more; another negative error.
 */
static int rbmap_file_get_subbuf(struct rbmap_file *rfile,
				 struct rbmap_gen *gen)
{
	bool got;
	int err;

	err = rbmap_file_copy_alloc(rfile, gen->subbuf_size);
	if (err)
		return err;
	if (mutex_lock_interruptible(&gen->reader_lock))
		return -ERESTARTSYS;
	got = rbmap_get_copy(gen, rfile->copy);
	if (got && gen->mapped)
		rbmap_meta_update(gen);
	mutex_unlock(&gen->reader_lock);
	if (!got)
		return rbmap_gen_drained(gen) ? -ESTALE : 0;
	rfile->offset = 0;
	return 1;
}

/*
 * Get a sub-buffer or wait for one.  Return: 1: got one; 0: try again; negative
 * error.
 */
static int rbmap_file_fill_from(struct file *file,
				struct rbmap_gen *gen)
{
	struct rbmap_file *rfile = file->private_data;
	int ret;

	/*
	 * Another thread may make the file observe at any time, and then wakes this
	 * one.
	 */
	if (rbmap_file_observes(rfile))
		return -EBADF;
	ret = rbmap_file_get_subbuf(rfile, gen);
	if (ret)
		return ret;
	if (file->f_flags & O_NONBLOCK)
		return -EAGAIN;
	if (signal_pending(current))
		return -ERESTARTSYS;
	return rbmap_wait_readable(gen, RBMAP_WAIT_EVENT,
				   READ_ONCE(gen->cpu_buf->wakeups), &rfile->observes);
}

/* Fill the file's copy, and wait for an event unless the file is non-blocking. */
static int rbmap_file_fill(struct file *file)
{
	struct rbmap_file *rfile = file->private_data;
	struct rbmap_gen *gen = rbmap_file_bind_reader(rfile);
	int ret;

	do {
		ret = rbmap_file_fill_from(file, gen);
		if (ret == -ESTALE) {
			gen = rbmap_file_advance(rfile, gen);
			if (!gen)
				return rbmap_file_observes(rfile) ? -EBADF : ret;
			ret = 0;
		}
	} while (!ret);
	rbmap_gen_put(gen);	/* model: op_put */
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
		return -ERESTARTSYS;
	if (rfile->offset == rfile->copy_size)
		ret = rbmap_file_fill(file);
	if (ret == -ESTALE && rbmap_file_ends(rfile)) {
		ret = 0;	/* end of file */
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

/**
 * rbmap_ring_poll - poll() of a CPU's rings
 * @rfile: the open file's part in the rings
 * @file: the open file
 * @table: table of poll()
 *
 * Context: may sleep.
 * Return: events of poll().
 */
__poll_t rbmap_ring_poll(struct rbmap_file *rfile, struct file *file, poll_table *table)
{
	struct rbmap_gen *gen = rbmap_file_bind(rfile, false);
	__poll_t ready;

	do {
		ready = rbmap_poll(gen, file, table);
		if (!(ready & EPOLLHUP)) {
			rbmap_gen_put(gen);	/* model: op_put */
			break;
		}
		/* All rings of a CPU share a wait queue: one entry is enough. */
		table = NULL;
		gen = rbmap_file_advance(rfile, gen);
	} while (gen);
	return ready;
}

static __poll_t rbmap_file_poll(struct file *file, poll_table *table)
{
	return rbmap_ring_poll(file->private_data, file, table);
}

/* Consume all that can be read now. */
static int rbmap_get_reader_now(struct rbmap_gen *gen)
{
	int ret = 0;

	if (mutex_lock_interruptible(&gen->reader_lock))
		return -ERESTARTSYS;
	if (!gen->mapped) {
		ret = -ENODEV;
	} else {
		gen->reader_now = rb_clock(gen->ring.clock);
		/*
		 * Get the events after reading the clock.  smp_rmb() would not do: a
		 * clock is not memory.
		 * litmus: get-now
		 */
		rmb();
		if (!rbmap_get_mapped(gen) && rbmap_gen_drained(gen))
			ret = -ESTALE;
		rbmap_meta_update(gen);
	}
	mutex_unlock(&gen->reader_lock);
	return ret;
}

static int rbmap_get_reader(struct file *file)
{
	struct rbmap_file *rfile = file->private_data;
	struct rbmap_gen *gen = rbmap_file_bind_reader(rfile);
	u32 wakeups = rbmap_file_wait_begin(rfile);
	int ret = 0;

	if (!(file->f_flags & O_NONBLOCK))
		ret = rbmap_wait_readable(gen, RBMAP_WAIT_WATERMARK, wakeups,
					  &rfile->observes);
	if (!ret && rbmap_file_observes(rfile))
		ret = -EBADF;
	if (!ret)
		ret = rbmap_get_reader_now(gen);
	rbmap_gen_put(gen);
	return rbmap_file_wait_end(rfile, wakeups, ret);
}

/* A snapshot's file discards what it has not read itself. */
static int rbmap_file_discard(struct rbmap_file *rfile)
{
	struct rbmap_gen *gen = rbmap_file_bind_reader(rfile);
	int ret = 0;

	if (rbmap_file_observes(rfile))
		ret = -EBADF;
	else if (rfile->snapshot)
		rbmap_gen_discard(gen);
	else
		rbmap_cpu_buffer_discard(rfile->cpu_buf, gen);
	rbmap_gen_put(gen);
	return ret;
}

/* End all waits for this CPU's rings. */
static void rbmap_end_waits(struct rbmap_file *rfile)
{
	struct rbmap_gen *gen = rbmap_file_bind(rfile, false);
	struct rbmap_cpu_buffer *cpu_buf = rfile->cpu_buf;

	WRITE_ONCE(cpu_buf->wakeups, READ_ONCE(cpu_buf->wakeups) + 1);
	rbmap_wake_all(gen);
	rbmap_gen_put(gen);
}

static const struct file_operations rbmap_fops;

/* Create a file that has no ring yet, and counts as open. */
static struct file *rbmap_snapshot_file(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_file *rfile = rbmap_file_alloc(cpu_buf);
	struct file *file;

	if (!rfile)
		return ERR_PTR(-ENOMEM);
	file = anon_inode_getfile("[rbmap-snapshot]", &rbmap_fops, rfile, O_RDONLY);
	if (IS_ERR(file)) {
		rbmap_file_destroy(rfile);
		return file;
	}
	/* The buffer still exists: the caller's file has a reference. */
	rbmap_buffer_get_more(cpu_buf->buffer);
	rbmap_buffer_show_more(cpu_buf->buffer);
	return file;
}

/*
 * Make a snapshot of this CPU, in a file of its own.  The snapshot comes after all that can
 * fail: without a file its events would be lost.
 */
static int rbmap_snapshot_fd(struct rbmap_file *rfile)
{
	struct rbmap_gen *snapshot;
	struct file *file;
	int fd;

	if (rfile->snapshot)
		return -ENOTTY;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = rbmap_snapshot_file(rfile->cpu_buf);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	snapshot = rbmap_cpu_buffer_make_snapshot(rfile->cpu_buf);
	if (IS_ERR(snapshot)) {
		put_unused_fd(fd);
		fput(file);
		return PTR_ERR(snapshot);
	}
	rbmap_file_start(file->private_data, snapshot);
	fd_install(fd, file);
	return fd;
}

static long rbmap_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case RBMAP_IOCTL_GET_READER:
		if (rbmap_file_observes(file->private_data))
			return -EBADF;
		return rbmap_get_reader(file);
	case RBMAP_IOCTL_DISCARD:
		return rbmap_file_discard(file->private_data);
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
	struct rbmap_gen *gen;
	ssize_t ret;
	u32 wakeups;

	if (rbmap_file_observes(rfile))
		return -EBADF;
	gen = rbmap_file_bind_reader(rfile);
	wakeups = rbmap_file_wait_begin(rfile);
	do {
		ret = rbmap_splice_to_pipe(gen, file, pipe, len, flags,
					   wakeups, &rfile->observes);
		if (ret != -ESTALE) {
			rbmap_gen_put(gen);	/* model: op_put */
			return ret > 0 ? ret :
			       rbmap_file_wait_end(rfile, wakeups, ret);
		}
		gen = rbmap_file_advance(rfile, gen);
	} while (gen);
	if (rbmap_file_observes(rfile))
		return -EBADF;
	return rbmap_file_ends(rfile) ? 0 : ret;
}

#define RBMAP_FOPS(_open) {						\
	.owner		= THIS_MODULE,					\
	.open		= _open,					\
	.release	= rbmap_release,				\
	.read		= rbmap_read,					\
	.splice_read	= rbmap_file_splice,				\
	.poll		= rbmap_file_poll,				\
	.unlocked_ioctl	= rbmap_ioctl,					\
	.compat_ioctl	= compat_ptr_ioctl,				\
	.mmap		= rbmap_file_mmap,				\
}

static const struct file_operations rbmap_fops = RBMAP_FOPS(rbmap_device_open);
static const struct file_operations rbmap_snapshot_fops =
	RBMAP_FOPS(rbmap_open_snapshot);

/**
 * rbmap_devices_init - prepare a buffer's devices
 * @devices: the devices
 * @name: name of the buffer; "" if its directory is /dev/rbmap itself
 * @buf: the buffer
 *
 * Return: 0 or -ENOMEM.
 */
int rbmap_devices_init(struct rbmap_devices *devices, const char *name,
		       struct rbmap_buffer *buf)
{
	devices->name = name;
	devices->buffer = buf;
	devices->marker.buffer = buf;
	devices->marker.copies = true;
	devices->marker.reaches_all = !*name;
	devices->cpu = kvcalloc(nr_cpu_ids, sizeof(*devices->cpu), GFP_KERNEL);
	return devices->cpu ? 0 : -ENOMEM;
}

/**
 * rbmap_devices_exit - remove all devices of a buffer
 * @devices: the devices.  A file that is open keeps the buffer only.  The removal of
 *	the marker event waits for its writers
 */
void rbmap_devices_exit(struct rbmap_devices *devices)
{
	unsigned int cpu;

	rbmap_marker_end(&devices->marker);
	rbmap_chrdev_destroy(&devices->marker_text);
	rbmap_chrdev_destroy(&devices->marker_raw);
	rbmap_chrdev_destroy(&devices->trace);
	rbmap_chrdev_destroy(&devices->trace_pipe);
	rbmap_chrdev_destroy(&devices->snapshot_text);
	rbmap_chrdev_destroy(&devices->error_log);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		rbmap_chrdev_destroy(&devices->cpu[cpu].ring);
		rbmap_chrdev_destroy(&devices->cpu[cpu].snapshot);
		rbmap_chrdev_destroy(&devices->cpu[cpu].trace);
		rbmap_chrdev_destroy(&devices->cpu[cpu].trace_pipe);
		rbmap_chrdev_destroy(&devices->cpu[cpu].snapshot_text);
	}
	kvfree(devices->cpu);
}

static int rbmap_devices_add(struct rbmap_devices *devices,
			     struct rbmap_chrdev *chrdev,
			     const struct file_operations *fops,
			     umode_t mode, const char *format, int cpu)
{
	char name[32];

	if (chrdev->minor)
		return 0;
	*chrdev = (struct rbmap_chrdev) {
		.fops	= fops,
		.mode	= mode,
		.shows	= true,
		.is_private = devices->is_private,
		.buffer	= devices->buffer,
		.data	= rbmap_cpu_buffer(devices->buffer, cpu),
	};
	snprintf(name, sizeof(name), format, cpu);
	return rbmap_chrdev_create(chrdev, devices->name, name);
}

/*
 * A directory cpuN would do as well, but udev's rule gives all that is in such a directory to
 * readers of rings.
 */
static int rbmap_devices_add_cpu_text(struct rbmap_devices *devices, int cpu)
{
	struct rbmap_cpu_devices *dev = &devices->cpu[cpu];
	int err;

	if (devices->is_private)
		return 0;
	err = rbmap_devices_add(devices, &dev->trace, &rbmap_cpu_trace_fops,
				RBMAP_TRACE_MODE, "per_cpu!%d!trace", cpu);
	if (!err)
		err = rbmap_devices_add(devices, &dev->trace_pipe, &rbmap_cpu_trace_pipe_fops,
					RBMAP_TRACE_PIPE_MODE, "per_cpu!%d!trace_pipe", cpu);
	return err ?: rbmap_devices_add(devices, &dev->snapshot_text,
					&rbmap_cpu_snapshot_text_fops, RBMAP_TRACE_MODE,
					"per_cpu!%d!snapshot", cpu);
}

/**
 * rbmap_devices_add_cpu - create the devices of a CPU unless they exist
 * @devices: the devices of a buffer
 * @cpu: a CPU that was on line
 *
 * Context: may sleep; one caller at a time.
 */
int rbmap_devices_add_cpu(struct rbmap_devices *devices, int cpu)
{
	struct rbmap_cpu_devices *dev = &devices->cpu[cpu];
	int err;

	err = rbmap_devices_add(devices, &dev->ring, &rbmap_fops, RBMAP_DEVICE_MODE,
				"cpu%d", cpu);
	if (!err)
		err = rbmap_devices_add(devices, &dev->snapshot, &rbmap_snapshot_fops,
					RBMAP_DEVICE_MODE, "snapshot!cpu%d", cpu);
	return err ?: rbmap_devices_add_cpu_text(devices, cpu);
}

/* Create a device of the whole buffer. */
static int rbmap_devices_add_whole(struct rbmap_devices *devices,
				   struct rbmap_chrdev *chrdev,
				   const struct file_operations *fops,
				   umode_t mode, const char *name, void *data)
{
	if (chrdev->minor)
		return 0;
	*chrdev = (struct rbmap_chrdev) {
		.fops	= fops,
		.mode	= mode,
		.shows	= fops == &rbmap_trace_fops || fops == &rbmap_trace_pipe_fops ||
			  fops == &rbmap_snapshot_text_fops,
		.is_private = devices->is_private,
		.buffer	= devices->buffer,
		.data	= data,
	};
	return rbmap_chrdev_create(chrdev, devices->name, name);
}

/**
 * rbmap_devices_add_markers - create the marker devices unless they exist
 * @devices: the devices of a buffer, after rbmap_marker_begin()
 *
 * Context: may sleep; one caller at a time.
 * Return: 0 or a negative error.
 */
int rbmap_devices_add_markers(struct rbmap_devices *devices)
{
	int err;

	err = rbmap_devices_add_whole(devices, &devices->marker_raw,
				      &rbmap_marker_raw_fops,
				      RBMAP_MARKER_MODE, "marker_raw", &devices->marker);
	return err ?: rbmap_devices_add_whole(devices, &devices->marker_text,
					      &rbmap_marker_fops,
					      RBMAP_MARKER_MODE, "marker", &devices->marker);
}

/**
 * rbmap_devices_add_root - create the devices that only root may open
 * @devices: the devices of a buffer
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_devices_add_root(struct rbmap_devices *devices)
{
	int err = rbmap_devices_add_whole(devices, &devices->trace,
					  &rbmap_trace_fops, RBMAP_TRACE_MODE,
					  "trace", devices->buffer);

	if (!err)
		err = rbmap_devices_add_whole(devices, &devices->trace_pipe,
					      &rbmap_trace_pipe_fops,
					      RBMAP_TRACE_PIPE_MODE, "trace_pipe",
					      devices->buffer);
	if (!err)
		err = rbmap_devices_add_whole(devices, &devices->snapshot_text,
					      &rbmap_snapshot_text_fops, RBMAP_TRACE_MODE,
					      "snapshot!trace", devices->buffer);
	return err ?: rbmap_devices_add_whole(devices, &devices->error_log,
					      &rbmap_error_log_fops,
					      RBMAP_ERROR_LOG_MODE, "error_log",
					      devices->buffer);
}

/**
 * rbmap_devices_shared - may others than root open a device that shows events?
 * @name: name of the buffer; "" for the default buffer
 *
 * Context: may sleep.
 */
bool rbmap_devices_shared(const char *name)
{
	static const char *const formats[] = {
		"cpu%d", "snapshot/cpu%d", "per_cpu/%d/trace", "per_cpu/%d/trace_pipe",
		"per_cpu/%d/snapshot",
	};
	char file[32];
	int i, cpu;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < ARRAY_SIZE(formats); i++) {
			snprintf(file, sizeof(file), formats[i], cpu);
			if (rbmap_chrdev_shared(name, file))
				return true;
		}
	}
	return rbmap_chrdev_shared(name, "trace") || rbmap_chrdev_shared(name, "trace_pipe") ||
	       rbmap_chrdev_shared(name, "snapshot/trace");
}
