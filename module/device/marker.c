// SPDX-License-Identifier: GPL-2.0-only
/*
 * marker and marker_raw: each write becomes an event, as with tracefs' trace_marker and
 * trace_marker_raw.  A write to the default buffer's /dev/rbmap/marker reaches each buffer
 * that has rbmap:marker enabled, and marker_raw does so with rbmap:marker_raw.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "buffer/buffer.h"
#include "buffer/resize.h"
#include "event/event.h"
#include "marker.h"

/* Most texts fit on the stack.  A longer one is worth an allocation. */
#define RBMAP_MARKER_SHORT	256

struct rbmap_marker_record {
	struct rbmap_record	record;
	char			buf[];
};

/* A newline and a 0 byte follow the text, and may follow other data. */
#define RBMAP_MARKER_MAX						\
	(RBMAP_EVENT_MAX - sizeof(struct rbmap_marker_record) - 2)

/* Raw data begins with an id, as in tracefs. */
#define RBMAP_MARKER_RAW_MIN	sizeof(u32)

static const struct rbmap_field rbmap_marker_fields[] = {
	RBMAP_FIELD_REST(char, buf),
	{}
};

struct rbmap_event_type rbmap_marker_event = {
	.system		= "rbmap",
	.name		= "marker",
	/* rbmap_marker_visit_all() has preemption off. */
	.preempt	= IS_ENABLED(CONFIG_PREEMPT_COUNT),
	.fields		= rbmap_marker_fields,
	.print_fmt	= "\"%s\", REC->buf",
	.apart		= true,
};

/* The fields and the format of tracefs' event raw_data. */
static const struct rbmap_field rbmap_marker_raw_fields[] = {
	RBMAP_FIELD(unsigned int, id),
	RBMAP_FIELD_REST(char, buf),
	{}
};

struct rbmap_event_type rbmap_marker_raw_event = {
	.system		= "rbmap",
	.name		= "marker_raw",
	/* rbmap_marker_visit_all() has preemption off. */
	.preempt	= IS_ENABLED(CONFIG_PREEMPT_COUNT),
	.fields		= rbmap_marker_raw_fields,
	.print_fmt	= "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
	.apart		= true,
};

/* The markers of all buffers. */
static LIST_HEAD(rbmap_markers);
static DEFINE_SPINLOCK(rbmap_markers_lock);

/* Test the filter.  set_event_pid does not apply to the text of a program. */
static bool rbmap_marker_passes(const struct rbmap_event_file *event_file,
				struct rbmap_marker_record *record,
				size_t size)
{
	if (!rbmap_event_checks(event_file))
		return true;
	memset(&record->record, 0, sizeof(record->record));
	return rbmap_record_wanted(event_file, record, record, size);
}

/* Write an event; all @len bytes of the text's buf are filled in. */
static int rbmap_marker_commit(const struct rbmap_event_file *event_file,
			       struct rbmap_marker_record *text, size_t len)
{
	struct rbmap_marker_record *record;
	struct rbmap_reservation resv;

	if (!rbmap_marker_passes(event_file, text, sizeof(*text) + len))
		return 0;
	record = rbmap_event_reserve_noinline(event_file, &resv, sizeof(*record) + len);
	/* If tracing is turned off concurrently, either error may be returned. */
	if (!record)
		return rbmap_buffer_is_on(rbmap_event_buffer(event_file)) ?
		       -ENOSPC : -EBADF;
	memcpy(record->buf, text->buf, len);
	rbmap_commit(&resv);
	return 0;
}

typedef int rbmap_marker_visit_fn(const struct rbmap_event_file *event_file,
				  struct rbmap_marker_record *text, size_t len);

static int rbmap_marker_visit(const struct rbmap_marker *marker,
			      enum rbmap_marker_kind kind,
			      rbmap_marker_visit_fn *visit,
			      struct rbmap_marker_record *text, size_t len)
{
	const struct rbmap_event_file *event_file = READ_ONCE(marker->event_file[kind]);

	if (!event_file || !READ_ONCE(event_file->enabled))
		return -EBADF;
	return visit(event_file, text, len);
}

/*
 * Call a function for each buffer that gets what is written to @marker, and has
 * the event enabled.  The event file is freed before a buffer that is destroyed while it
 * is open, and its filter may be freed, too.  So preemption is off, as in a probe.
 * litmus: filter-free
 *
 * Return 0 if the function did for any buffer, or else the first error but -EBADF.
 */
static int rbmap_marker_visit_all(struct rbmap_marker *marker,
				  enum rbmap_marker_kind kind,
				  rbmap_marker_visit_fn *visit,
				  struct rbmap_marker_record *text, size_t len)
{
	struct rbmap_marker *each;
	int err = -EBADF, ret;

	preempt_disable();
	if (!marker->reaches_all)
		err = rbmap_marker_visit(marker, kind, visit, text, len);
	else
		list_for_each_entry_rcu(each, &rbmap_markers, list) {
			if (each != marker && !READ_ONCE(each->copies))
				continue;
			ret = rbmap_marker_visit(each, kind, visit, text, len);
			if (!ret || err == -EBADF)
				err = ret;
		}
	preempt_enable();
	return err;
}

static int rbmap_marker_is_wanted(const struct rbmap_event_file *event_file,
				  struct rbmap_marker_record *text, size_t len)
{
	return 0;
}

/* A first test that saves work; rbmap_marker_commit() makes the final one. */
static bool rbmap_marker_wanted(struct rbmap_marker *marker, enum rbmap_marker_kind kind)
{
	return !rbmap_marker_visit_all(marker, kind, rbmap_marker_is_wanted, NULL, 0);
}

/* @text: @len bytes of its buf are filled in, and there is room for two more. */
static int rbmap_marker_record(struct rbmap_marker *marker, enum rbmap_marker_kind kind,
			       struct rbmap_marker_record *text, size_t len)
{
	if (kind == RBMAP_MARKER_TEXT) {
		if (text->buf[len - 1] != '\n')
			text->buf[len++] = '\n';
		text->buf[len++] = 0;
	} else if (len == RBMAP_MARKER_RAW_MIN) {
		/* The format prints a byte of the data. */
		text->buf[len++] = 0;
	}
	return rbmap_marker_visit_all(marker, kind, rbmap_marker_commit, text, len);
}

/**
 * rbmap_marker_begin - let the marker write to its buffer
 * @marker: marker with the members @buffer, @copies and @reaches_all filled in
 * @event_file: the buffer's event file of rbmap_marker_event
 * @raw_event_file: the buffer's event file of rbmap_marker_raw_event
 */
void rbmap_marker_begin(struct rbmap_marker *marker,
			struct rbmap_event_file *event_file,
			struct rbmap_event_file *raw_event_file)
{
	spin_lock(&rbmap_markers_lock);
	WRITE_ONCE(marker->event_file[RBMAP_MARKER_TEXT], event_file);
	WRITE_ONCE(marker->event_file[RBMAP_MARKER_RAW], raw_event_file);
	list_add_tail_rcu(&marker->list, &rbmap_markers);
	spin_unlock(&rbmap_markers_lock);
}

/**
 * rbmap_marker_end - undo rbmap_marker_begin()
 * @marker: marker that writes to its buffer, or that never did.  The removal of the marker
 *	event waits for writers that still use it
 */
void rbmap_marker_end(struct rbmap_marker *marker)
{
	spin_lock(&rbmap_markers_lock);
	if (marker->event_file[RBMAP_MARKER_TEXT])
		list_del_rcu(&marker->list);
	WRITE_ONCE(marker->event_file[RBMAP_MARKER_TEXT], NULL);
	WRITE_ONCE(marker->event_file[RBMAP_MARKER_RAW], NULL);
	spin_unlock(&rbmap_markers_lock);
}

/*
 * Copy the bytes before the reservation: a reservation must not wait for a page, and
 * a bad address must not leave half an event.
 */
static ssize_t rbmap_marker_put(struct rbmap_marker *marker, enum rbmap_marker_kind kind,
				const char __user *from, size_t len)
{
	char stack[sizeof(struct rbmap_marker_record) + RBMAP_MARKER_SHORT]
		__aligned(8);
	struct rbmap_marker_record *text = (void *)stack;
	int err;

	rbmap_buffer_retry(marker->buffer);
	if (!rbmap_marker_wanted(marker, kind))
		return -EBADF;
	if (len > RBMAP_MARKER_SHORT - 2) {
		text = kmalloc(sizeof(*text) + len + 2, GFP_KERNEL);
		if (!text)
			return -ENOMEM;
	}
	if (copy_from_user(text->buf, from, len))
		err = -EFAULT;
	else
		err = rbmap_marker_record(marker, kind, text, len);
	if (text != (void *)stack)
		kfree(text);
	return err ? err : len;
}

/* A text that is too long for one event is cut, and the caller writes the rest. */
static ssize_t rbmap_marker_write(struct file *file, const char __user *from,
				  size_t len, loff_t *pos)
{
	if (!len)
		return 0;
	return rbmap_marker_put(file->private_data, RBMAP_MARKER_TEXT, from,
				min(len, RBMAP_MARKER_MAX));
}

/* Raw data is written as a whole or not at all, as in tracefs. */
static ssize_t rbmap_marker_raw_write(struct file *file, const char __user *from,
				      size_t len, loff_t *pos)
{
	if (len < RBMAP_MARKER_RAW_MIN || len > RBMAP_MARKER_MAX)
		return -EINVAL;
	return rbmap_marker_put(file->private_data, RBMAP_MARKER_RAW, from, len);
}

/*
 * The buffer gets its rings before the first write, which then takes as long as each other
 * one.  A buffer that does not record the event needs no rings for it.
 */
static int rbmap_marker_expand(struct rbmap_marker *marker, enum rbmap_marker_kind kind)
{
	bool wanted;

	preempt_disable();
	wanted = !rbmap_marker_visit(marker, kind, rbmap_marker_is_wanted, NULL, 0);
	preempt_enable();
	return wanted ? rbmap_buffer_expand(marker->buffer) : 0;
}

static int rbmap_marker_open(struct inode *inode, struct file *file)
{
	int err = rbmap_marker_expand(file->private_data, RBMAP_MARKER_TEXT);

	return err ?: stream_open(inode, file);
}

static int rbmap_marker_raw_open(struct inode *inode, struct file *file)
{
	int err = rbmap_marker_expand(file->private_data, RBMAP_MARKER_RAW);

	return err ?: stream_open(inode, file);
}

static int rbmap_marker_release(struct inode *inode, struct file *file)
{
	struct rbmap_marker *marker = file->private_data;

	rbmap_buffer_put(marker->buffer);
	return 0;
}

/* file->private_data is the struct rbmap_marker. */
const struct file_operations rbmap_marker_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_marker_open,
	.release	= rbmap_marker_release,
	.write		= rbmap_marker_write,
};

/* file->private_data is the struct rbmap_marker. */
const struct file_operations rbmap_marker_raw_fops = {
	.owner		= THIS_MODULE,
	.open		= rbmap_marker_raw_open,
	.release	= rbmap_marker_release,
	.write		= rbmap_marker_raw_write,
};
