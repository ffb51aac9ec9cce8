// SPDX-License-Identifier: GPL-2.0-only
/* Files of the kernel's tracefs: names and formats of its events. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <linux/workqueue.h>

#include "compat/fs.h"
#include "tracefs_text.h"

/*
 * Most formats fit in the first size, and hundreds of them may be read one after the other.  The
 * names, more than a thousand of 30 characters, need it to double four times.
 */
#define RBMAP_TEXT_SIZE		(4U << 10)
#define RBMAP_TEXT_MAX		(4U << 20)

/**
 * struct rbmap_tracefs_work - a file is read with the rights of a kernel thread
 * @work: the work
 * @path: its path in tracefs
 * @text: its contents, or NULL
 */
struct rbmap_tracefs_work {
	struct work_struct	work;
	const char		*path;
	char			*text;
};

/*
 * A mount of our own, which no process sees, from the first file that is read on: an
 * unmount waits for the kernel.
 */
static DEFINE_MUTEX(rbmap_tracefs_lock);
static struct vfsmount *rbmap_tracefs_mount;

static ssize_t rbmap_seq_read(struct file *file, char *buf, size_t len, loff_t pos)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct kiocb iocb;
	struct iov_iter iter;

	init_sync_kiocb(&iocb, file);
	iocb.ki_pos = pos;
	iov_iter_kvec(&iter, RBMAP_ITER_DEST, &vec, 1, len);
	return seq_read_iter(&iocb, &iter);
}

/* Return the whole text, or NULL. */
static char *rbmap_seq_text(struct file *file)
{
	size_t size = RBMAP_TEXT_SIZE, len = 0;
	char *text = kvzalloc(size, GFP_KERNEL), *more;
	ssize_t got = 1;

	while (text && got > 0) {
		if (len == size - 1) {
			more = size < RBMAP_TEXT_MAX ? kvzalloc(size * 2, GFP_KERNEL) : NULL;
			if (more)
				memcpy(more, text, len);
			kvfree(text);
			text = more;
			size *= 2;
			continue;
		}
		got = rbmap_seq_read(file, text + len, size - 1 - len, len);
		if (got > 0)
			len += got;
	}
	if (got < 0) {
		kvfree(text);
		return NULL;
	}
	return text;
}

static struct vfsmount *rbmap_tracefs_get(void)
{
	struct file_system_type *type;
	struct vfsmount *mount;

	lockdep_assert_held(&rbmap_tracefs_lock);
	if (rbmap_tracefs_mount)
		return rbmap_tracefs_mount;
	type = get_fs_type("tracefs");
	if (!type)
		return NULL;
	mount = kern_mount(type);
	module_put(type->owner);
	rbmap_tracefs_mount = IS_ERR(mount) ? NULL : mount;
	return rbmap_tracefs_mount;
}

/*
 * A reader of sysfs waits for this, and holds a lock of sysfs.  Others of its readers take
 * that lock within the lock of their seq_file.  The lock of this seq_file has no other user.
 */
static void rbmap_seq_is_private(struct file *file)
{
	static struct lock_class_key key;

	/* Without lockdep the macro does not use its first argument. */
	lockdep_set_class(&((struct seq_file *)file->private_data)->lock, &key);
}

static char *rbmap_tracefs_read(const char *path)
{
	struct vfsmount *mount = rbmap_tracefs_get();
	struct file *file;
	char *text;

	if (!mount)
		return NULL;
	file = rbmap_open_root(mount, path, O_RDONLY);
	if (IS_ERR(file))
		return NULL;
	rbmap_seq_is_private(file);
	text = rbmap_seq_text(file);
	fput(file);
	return text;
}

static void rbmap_tracefs_work(struct work_struct *work)
{
	struct rbmap_tracefs_work *read = container_of(work, struct rbmap_tracefs_work, work);

	mutex_lock(&rbmap_tracefs_lock);
	read->text = rbmap_tracefs_read(read->path);
	mutex_unlock(&rbmap_tracefs_lock);
}

/**
 * rbmap_tracefs_text - read a file of the kernel's tracefs
 * @path: its path, without a slash at the beginning
 *
 * Context: sleeps.
 * Return: the contents, for kvfree(); NULL if they cannot be read.
 */
char *rbmap_tracefs_text(const char *path)
{
	struct rbmap_tracefs_work read = { .path = path };

	INIT_WORK_ONSTACK(&read.work, rbmap_tracefs_work);
	schedule_work(&read.work);
	flush_work(&read.work);
	destroy_work_on_stack(&read.work);
	return read.text;
}

/**
 * rbmap_tracefs_events - get the names of all events of the kernel
 *
 * The list that the kernel keeps has a lock that modules do not have.
 *
 * Context: sleeps.
 * Return: a line SYSTEM:EVENT for each, for kvfree(); NULL if they cannot be read.
 */
char *rbmap_tracefs_events(void)
{
	return rbmap_tracefs_text("available_events");
}

/**
 * rbmap_tracefs_text_exit - unmount tracefs
 *
 * Context: sleeps.
 */
void rbmap_tracefs_text_exit(void)
{
	if (rbmap_tracefs_mount)
		kern_unmount(rbmap_tracefs_mount);
}
