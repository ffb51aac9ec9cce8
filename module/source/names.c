// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the kernel's events, from the file available_events of tracefs.  The list
 * that the kernel keeps has a lock that modules do not have.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <linux/workqueue.h>

#include "compat/fs.h"
#include "names.h"

/* More than a thousand names of 30 characters. */
#define RBMAP_NAMES_SIZE	(64U << 10)
#define RBMAP_NAMES_MAX		(4U << 20)

/**
 * struct rbmap_names_work - the file is read with the rights of a kernel thread
 * @work: the work
 * @text: its result, or NULL
 */
struct rbmap_names_work {
	struct work_struct	work;
	char			*text;
};

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
	size_t size = RBMAP_NAMES_SIZE, len = 0;
	char *text = kvzalloc(size, GFP_KERNEL), *more;
	ssize_t got = 1;

	while (text && got > 0) {
		if (len == size - 1) {
			more = size < RBMAP_NAMES_MAX ? kvzalloc(size * 2, GFP_KERNEL) : NULL;
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

static char *rbmap_names_read(struct vfsmount *tracefs)
{
	struct file *file = rbmap_open_root(tracefs, "available_events", O_RDONLY);
	char *text;

	if (IS_ERR(file))
		return NULL;
	text = rbmap_seq_text(file);
	fput(file);
	return text;
}

static void rbmap_names_work(struct work_struct *work)
{
	struct rbmap_names_work *names = container_of(work, struct rbmap_names_work, work);
	struct file_system_type *type = get_fs_type("tracefs");
	struct vfsmount *tracefs;

	if (!type)
		return;
	tracefs = kern_mount(type);
	if (!IS_ERR(tracefs)) {
		names->text = rbmap_names_read(tracefs);
		kern_unmount(tracefs);
	}
	module_put(type->owner);
}

/**
 * rbmap_kernel_event_names - get the names of all events of the kernel
 *
 * Context: sleeps.
 * Return: a line SYSTEM:EVENT for each, for kvfree(); NULL if they cannot be read.
 */
char *rbmap_kernel_event_names(void)
{
	struct rbmap_names_work names = { 0 };

	INIT_WORK_ONSTACK(&names.work, rbmap_names_work);
	schedule_work(&names.work);
	flush_work(&names.work);
	destroy_work_on_stack(&names.work);
	return names.text;
}
