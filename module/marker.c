// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rbmap/marker: what is written becomes an event, as with tracefs'
 * trace_marker.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "buffer.h"
#include "marker.h"

/* The text of most fits; a longer one is worth an allocation. */
#define RBMAP_MARKER_SHORT	256

struct rbmap_marker_record {
	struct rbmap_record	record;
	char			buf[];
};

/* A newline and a 0 come behind the text. */
#define RBMAP_MARKER_MAX						\
	(RBMAP_EVENT_MAX - sizeof(struct rbmap_marker_record) - 2)

static const struct rbmap_field rbmap_marker_fields[] = {
	RBMAP_FIELD_REST(char, buf),
	{}
};

struct rbmap_event rbmap_marker_event = {
	.system		= "rbmap",
	.name		= "marker",
	.fields		= rbmap_marker_fields,
	.print_fmt	= "\"%s\", REC->buf",
};

static int rbmap_marker_record(const struct rbmap_event_target *target,
			       const char *text, size_t len)
{
	struct rbmap_marker_record *record;
	struct rbmap_reservation r;
	bool newline = text[len - 1] != '\n';

	record = rbmap_event_reserve(target, &r,
				     sizeof(*record) + len + newline + 1);
	/* Whoever turns tracing off meanwhile sees the one error or the other. */
	if (!record)
		return rbmap_buffer_is_on(target->buffer) ? -ENOSPC : -EBADF;
	/*
	 * With preemption off, which rbmap_targets_settle() waits for: none comes
	 * after it.
	 */
	if (!READ_ONCE(target->enabled)) {
		rbmap_discard(&r);
		return -EBADF;
	}
	memcpy(record->buf, text, len);
	if (newline)
		record->buf[len++] = '\n';
	record->buf[len] = 0;
	rbmap_commit(&r);
	return 0;
}

/*
 * The text is fetched first: a reservation must not wait for a page, and no
 * half of an event is left of a bad address.  What is too long for one event is
 * cut, and the caller writes the rest.
 */
static ssize_t rbmap_marker_write(struct file *file, const char __user *from,
				  size_t len, loff_t *pos)
{
	const struct rbmap_event_target *target = file->private_data;
	char short_text[RBMAP_MARKER_SHORT], *text = short_text;
	int err;

	if (!len)
		return 0;
	len = min(len, RBMAP_MARKER_MAX);
	/* A look that saves work; rbmap_marker_record() has the last one. */
	if (!READ_ONCE(target->enabled))
		return -EBADF;
	if (len > sizeof(short_text)) {
		text = kmalloc(len, GFP_KERNEL);
		if (!text)
			return -ENOMEM;
	}
	if (copy_from_user(text, from, len))
		err = -EFAULT;
	else
		err = rbmap_marker_record(target, text, len);
	if (text != short_text)
		kfree(text);
	return err ? err : len;
}

static int rbmap_marker_release(struct inode *inode, struct file *file)
{
	const struct rbmap_event_target *target = file->private_data;

	rbmap_buffer_put(target->buffer);
	return 0;
}

/* file->private_data: the marker's struct rbmap_event_target. */
const struct file_operations rbmap_marker_fops = {
	.owner		= THIS_MODULE,
	.open		= stream_open,
	.release	= rbmap_marker_release,
	.write		= rbmap_marker_write,
};
