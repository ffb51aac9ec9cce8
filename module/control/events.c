// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/rbmap/events: the events that exist, and those that are recorded. */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "buffer/resize.h"
#include "compat/sysfs.h"
#include "control.h"
#include "dir.h"
#include "event/event.h"
#include "event/event_set.h"
#include "event/filter.h"
#include "event/format.h"
#include "event/registry.h"
#include "event/source.h"
#include "files.h"
#include "lib/access.h"
#include "lib/log.h"

/*
 * A directory events/<system>, which exists as long as it has events.  @filter shows
 * the error of the last filter if that suited no event.
 */
struct rbmap_system_dir {
	struct list_head	list;
	struct rbmap_event_set	*events;
	struct rbmap_event_filter *filter;
	struct kobject		*dir;
	unsigned int		nr;
	char			name[];
};

/* events/<system>/<event>: the data pointer is a struct rbmap_event_file. */

static ssize_t rbmap_event_enable_show(struct kobject *kobj,
				       struct kobj_attribute *attr, char *buf)
{
	const struct rbmap_event_file *event_file = rbmap_dir_data(kobj);

	return sysfs_emit(buf, "%d\n", READ_ONCE(event_file->enabled));
}

static ssize_t rbmap_event_enable_store(struct kobject *kobj,
					struct kobj_attribute *attr,
					const char *buf, size_t len)
{
	struct rbmap_event_file *event_file = rbmap_dir_data(kobj);
	const struct rbmap_event_type *event = event_file->event;
	unsigned long on;
	int err;

	err = rbmap_control_number(rbmap_dir_buffer(kobj), event->name, buf, len, 1, &on);
	if (err)
		return err;
	err = rbmap_event_enable(event_file, on);
	if (err == -ENODEV)
		rbmap_warn("%s:%s is unavailable: %s\n", event->system,
			   event->name, event->unavailable);
	return err ? err : len;
}

static ssize_t id_show(struct kobject *kobj, struct kobj_attribute *attr,
		       char *buf)
{
	const struct rbmap_event_file *event_file = rbmap_dir_data(kobj);

	return sysfs_emit(buf, "%u\n", event_file->id);
}

static ssize_t status_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	const struct rbmap_event_file *event_file = rbmap_dir_data(kobj);
	const struct rbmap_event_type *event = event_file->event;

	if (event->unavailable)
		return sysfs_emit(buf, "unavailable: %s\n",
				  event->unavailable);
	if (event->source && !READ_ONCE(event->origin))
		return sysfs_emit(buf, "waiting: for a module that has the tracepoint %s\n",
				  rbmap_event_tracepoint(event));
	return sysfs_emit(buf, "available\n");
}

static ssize_t source_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	const struct rbmap_event_file *event_file = rbmap_dir_data(kobj);
	const struct rbmap_event_type *event = event_file->event;

	/* Only built-in probes may be replaced.  One that does not fit is NULL, without a source. */
	if (event->replaceable && (event->probe || !event->source))
		return sysfs_emit(buf, "built in\n");
	return sysfs_emit(buf, "%s\n", event->source ? event->source->name : "program");
}

/* The counts are those of all buffers together, from the first use of the event on. */
static ssize_t counts_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct rbmap_event_file *event_file = rbmap_dir_data(kobj);
	const struct rbmap_event_type *event = event_file->event;
	struct rbmap_source_count sum = { 0 }, count;
	int cpu;

	for_each_possible_cpu(cpu) {
		event->source->count(event, cpu, &count);
		sum.calls += count.calls;
		sum.received += count.received;
	}
	return sysfs_emit(buf, "calls: %llu\nreceived: %llu\nmissed: %llu\n", sum.calls,
			  sum.received, rbmap_source_missed(&sum));
}

/* Most formats are shorter.  A recorder reads a thousand of them. */
#define RBMAP_FORMAT_USUAL	2048

/* A binary attribute, because the text may be longer than a page. */
static ssize_t rbmap_event_format_read(struct file *file, struct kobject *kobj,
				       rbmap_bin_attribute *attr, char *buf,
				       loff_t pos, size_t len)
{
	const struct rbmap_event_type *event =
		((const struct rbmap_event_file *)rbmap_dir_data(kobj))->event;
	int room = RBMAP_FORMAT_USUAL, size;
	char *text = kmalloc(room, GFP_KERNEL);

	size = rbmap_event_format(event, text, text ? room : 0);
	if (size >= room) {
		kfree(text);
		text = kmalloc(size + 1, GFP_KERNEL);
		if (text)
			rbmap_event_format(event, text, size + 1);
	}
	return rbmap_control_text_read(text, buf, pos, len);
}

static ssize_t rbmap_event_filter_read(struct file *file, struct kobject *kobj,
				       rbmap_bin_attribute *attr, char *buf,
				       loff_t pos, size_t len)
{
	return rbmap_control_text_read(rbmap_event_filter_text(rbmap_dir_data(kobj)),
				       buf, pos, len);
}

static ssize_t rbmap_event_filter_write(struct file *file, struct kobject *kobj,
					rbmap_bin_attribute *attr, char *buf,
					loff_t pos, size_t len)
{
	int err = rbmap_locked_down();

	if (!err)
		err = rbmap_event_filter_set(rbmap_dir_data(kobj), buf, len);
	rbmap_dir_retry(kobj);
	return err ? err : len;
}

static struct kobj_attribute rbmap_event_enable_attr =
	__ATTR(enable, RBMAP_MODE_RW, rbmap_event_enable_show, rbmap_event_enable_store);
static struct kobj_attribute id_attr = RBMAP_ATTR_RO(id);
static struct kobj_attribute status_attr = RBMAP_ATTR_RO(status);
static struct kobj_attribute source_attr = RBMAP_ATTR_RO(source);
static struct kobj_attribute counts_attr = RBMAP_ATTR_RO(counts);

static struct attribute *rbmap_event_attrs[] = {
	&rbmap_event_enable_attr.attr,
	&id_attr.attr,
	&status_attr.attr,
	&source_attr.attr,
	&counts_attr.attr,
	NULL
};

/* Only events of some sources have the file counts. */
static umode_t rbmap_event_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct rbmap_event_file *event_file = rbmap_dir_data(kobj);
	const struct rbmap_source *source = event_file->event->source;

	return attr != &counts_attr.attr || (source && source->count) ? attr->mode : 0;
}

static const struct attribute_group rbmap_event_group = {
	.attrs		= rbmap_event_attrs,
	.is_visible	= rbmap_event_visible,
};

static const struct bin_attribute rbmap_event_format_attr = {
	.attr	= { .name = "format", .mode = RBMAP_MODE_RO },
	.read	= rbmap_event_format_read,
};

static const struct bin_attribute rbmap_event_filter_attr = {
	.attr	= { .name = "filter", .mode = RBMAP_MODE_RW },
	.read	= rbmap_event_filter_read,
	.write	= rbmap_event_filter_write,
};

/* events/<system>: the data pointer is a struct rbmap_system_dir. */

static ssize_t rbmap_system_enable_show(struct kobject *kobj,
					struct kobj_attribute *attr, char *buf)
{
	const struct rbmap_system_dir *dir = rbmap_dir_data(kobj);

	return sysfs_emit(buf, "%c\n",
			  rbmap_event_set_state(dir->events, dir->name));
}

static ssize_t rbmap_system_enable_store(struct kobject *kobj,
					 struct kobj_attribute *attr,
					 const char *buf, size_t len)
{
	const struct rbmap_system_dir *dir = rbmap_dir_data(kobj);
	const struct rbmap_event_match match = { .system = dir->name };
	unsigned long on;
	int err;

	err = rbmap_control_number(rbmap_dir_buffer(kobj), dir->name, buf, len, 1, &on);
	if (err)
		return err;
	err = rbmap_event_set_switch(dir->events, &match, on);
	if (err == -ENODEV)
		rbmap_warn("no event of %s is available: events/%s/*/status names the reason\n",
			   dir->name, dir->name);
	return err ? err : len;
}

static struct kobj_attribute rbmap_system_enable_attr =
	__ATTR(enable, RBMAP_MODE_RW, rbmap_system_enable_show,
	       rbmap_system_enable_store);

static ssize_t rbmap_system_filter_read(struct file *file, struct kobject *kobj,
					rbmap_bin_attribute *attr, char *buf,
					loff_t pos, size_t len)
{
	struct rbmap_system_dir *dir = rbmap_dir_data(kobj);

	return rbmap_control_text_read(rbmap_event_set_filter_text(dir->events,
						dir->name, &dir->filter),
				       buf, pos, len);
}

static ssize_t rbmap_system_filter_write(struct file *file,
					 struct kobject *kobj,
					 rbmap_bin_attribute *attr, char *buf,
					 loff_t pos, size_t len)
{
	struct rbmap_system_dir *dir = rbmap_dir_data(kobj);
	int err = rbmap_locked_down();

	if (!err)
		err = rbmap_event_set_filter(dir->events, dir->name, buf, len,
					     &dir->filter);
	rbmap_dir_retry(kobj);
	return err ? err : len;
}

static const struct bin_attribute rbmap_system_filter_attr = {
	.attr	= { .name = "filter", .mode = RBMAP_MODE_RW },
	.read	= rbmap_system_filter_read,
	.write	= rbmap_system_filter_write,
};

static struct rbmap_system_dir *
rbmap_system_dir_find(const struct rbmap_control *control, const char *name)
{
	struct rbmap_system_dir *dir;

	list_for_each_entry(dir, &control->system_dirs, list) {
		if (!strcmp(dir->name, name))
			return dir;
	}
	return NULL;
}

static struct rbmap_system_dir *
rbmap_system_dir_get(struct rbmap_control *control, const char *name)
{
	struct rbmap_system_dir *dir = rbmap_system_dir_find(control, name);
	size_t size = strlen(name) + 1;

	if (dir)
		return dir;
	dir = kzalloc(struct_size(dir, name, size), GFP_KERNEL);
	if (!dir)
		return NULL;
	/*
	 * Copy the name: the event's module may be unloaded before the system's last
	 * event.
	 */
	memcpy(dir->name, name, size);
	dir->events = control->events;
	dir->dir = rbmap_dir_create(name, control->events_dir, dir,
				    control->buffer);
	if (!dir->dir ||
	    sysfs_create_file(dir->dir, &rbmap_system_enable_attr.attr) ||
	    sysfs_create_bin_file(dir->dir, &rbmap_system_filter_attr)) {
		rbmap_dir_remove(dir->dir);
		kfree(dir);
		return NULL;
	}
	list_add_tail(&dir->list, &control->system_dirs);
	return dir;
}

static void rbmap_system_dir_put(struct rbmap_system_dir *dir)
{
	if (--dir->nr)
		return;
	rbmap_dir_remove(dir->dir);
	list_del(&dir->list);
	rbmap_event_filter_free(dir->filter);
	kfree(dir);
}

static int rbmap_event_dir_show(struct rbmap_event_file *event_file, void *data)
{
	const struct rbmap_event_type *event = event_file->event;
	struct rbmap_control *control = data;
	struct rbmap_system_dir *system;
	int err;

	system = rbmap_system_dir_get(control, event->system);
	if (!system)
		return -ENOMEM;
	system->nr++;
	event_file->dir = rbmap_dir_create(event->name, system->dir, event_file,
					   control->buffer);
	if (!event_file->dir) {
		rbmap_system_dir_put(system);
		return -ENOMEM;
	}
	err = sysfs_create_group(event_file->dir, &rbmap_event_group);
	/* The fields of an event that this kernel lacks are not known. */
	if (!err && event->fields)
		err = sysfs_create_bin_file(event_file->dir,
					    &rbmap_event_format_attr);
	if (!err && event->fields)
		err = sysfs_create_bin_file(event_file->dir,
					    &rbmap_event_filter_attr);
	return err;
}

static void rbmap_event_dir_hide(struct rbmap_event_file *event_file, void *data)
{
	struct rbmap_control *control = data;

	if (!event_file->dir)
		return;
	rbmap_dir_remove(event_file->dir);
	event_file->dir = NULL;
	rbmap_system_dir_put(rbmap_system_dir_find(control,
						   event_file->event->system));
}

static const struct rbmap_event_set_ops rbmap_event_dir_ops = {
	.show	= rbmap_event_dir_show,
	.hide	= rbmap_event_dir_hide,
};

/* events: the data pointer is a struct rbmap_control. */

static struct rbmap_control *rbmap_control_of(struct kobject *kobj)
{
	return rbmap_dir_data(kobj);
}

static ssize_t enable_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%c\n",
			  rbmap_event_set_state(rbmap_control_of(kobj)->events,
						NULL));
}

static ssize_t enable_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t len)
{
	const struct rbmap_event_match all = { 0 };
	unsigned long on;
	int err;

	err = rbmap_control_number(rbmap_dir_buffer(kobj), "events/enable", buf, len, 1, &on);
	if (!err)
		err = rbmap_event_set_switch(rbmap_control_of(kobj)->events,
					     &all, on);
	return err ? err : len;
}

/*
 * The header of a sub-buffer.  As in tracefs, `overwrite` has the offset of
 * `commit`.
 */
static ssize_t header_page_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct rbmap_sizes sizes;

	/*
	 * If the CPUs have different sizes, these are the sizes of rings of new
	 * CPUs.
	 */
	rbmap_buffer_sizes(rbmap_control_of(kobj)->buffer, RBMAP_ALL_CPUS,
			   &sizes);
	return sysfs_emit(buf,
		"\tfield: u64 timestamp;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n"
		"\tfield: local_t commit;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n"
		"\tfield: int overwrite;\toffset:%zu;\tsize:%d;\tsigned:%d;\n"
		"\tfield: char data;\toffset:%d;\tsize:%u;\tsigned:%d;\n",
		offsetof(struct rbmap_subbuf_header, time_stamp),
		sizeof_field(struct rbmap_subbuf_header, time_stamp), 0,
		offsetof(struct rbmap_subbuf_header, commit),
		sizeof_field(struct rbmap_subbuf_header, commit), 1,
		offsetof(struct rbmap_subbuf_header, commit), 1, 1,
		RBMAP_SUBBUF_HEADER_SIZE,
		sizes.subbuf_size - RBMAP_SUBBUF_HEADER_SIZE,
		rbmap_is_signed(char));
}

static ssize_t header_event_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf,
		"# compressed entry header\n"
		"\ttype_len    :    5 bits\n"
		"\ttime_delta  :   27 bits\n"
		"\tarray       :   32 bits\n"
		"\n"
		"\tpadding     : type == %d\n"
		"\ttime_extend : type == %d\n"
		"\ttime_stamp : type == %d\n"
		"\tdata max type_len  == %d\n",
		RBMAP_TYPE_PADDING, RBMAP_TYPE_TIME_EXTEND,
		RBMAP_TYPE_TIME_STAMP, RBMAP_TYPE_LEN_MAX);
}

static struct kobj_attribute enable_attr = RBMAP_ATTR_RW(enable);
static struct kobj_attribute header_page_attr = RBMAP_ATTR_RO(header_page);
static struct kobj_attribute header_event_attr = RBMAP_ATTR_RO(header_event);

static struct attribute *rbmap_events_attrs[] = {
	&enable_attr.attr,
	&header_page_attr.attr,
	&header_event_attr.attr,
	NULL
};

static umode_t rbmap_events_visible(struct kobject *kobj,
				    struct attribute *attr, int n)
{
	return attr == &enable_attr.attr && !rbmap_control_of(kobj)->events ?
	       0 : attr->mode;
}

static const struct attribute_group rbmap_events_group = {
	.attrs		= rbmap_events_attrs,
	.is_visible	= rbmap_events_visible,
};

/**
 * rbmap_control_events_init - create the directory events
 * @control: files of a buffer.  Even a buffer without events has the files that
 *	parsers need
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_events_init(struct rbmap_control *control)
{
	int err;

	control->events_dir = rbmap_dir_create("events", control->dir, control,
					       control->buffer);
	if (!control->events_dir)
		return -ENOMEM;
	err = rbmap_dir_add_group(control->events_dir, &rbmap_events_group);
	if (err || !control->events)
		return err;
	return rbmap_event_set_show(control->events, &rbmap_event_dir_ops,
				    control);
}

/**
 * rbmap_control_events_exit - remove the directory events, and stop recording events
 * @control: files of a buffer
 *
 * Context: sleeps.
 */
void rbmap_control_events_exit(struct rbmap_control *control)
{
	if (control->events)
		rbmap_event_set_hide(control->events);
	rbmap_dir_remove(control->events_dir);
	control->events_dir = NULL;
}
