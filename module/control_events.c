// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/rbmap/events: what there is to record, and what is recorded. */
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "control.h"
#include "event.h"
#include "log.h"

/* A directory of events/<system>. */
struct rbmap_system_dir {
	struct list_head	list;
	const char		*name;
	struct kobject		*dir;
	struct kobj_attribute	enable;
};

/* A directory of events/<system>/<event>. */
struct rbmap_event_dir {
	struct list_head	list;
	struct rbmap_event	*event;
	struct kobject		*dir;
	struct kobj_attribute	enable;
	struct kobj_attribute	id;
	struct kobj_attribute	status;
	struct bin_attribute	format;
	char			*format_text;
	size_t			format_len;
};

static struct kobject *rbmap_events_dir;
static struct rbmap_buffer *rbmap_events_buffer;
static LIST_HEAD(rbmap_system_dirs);
static LIST_HEAD(rbmap_event_dirs);

/* events/<system>/<event> */

static ssize_t rbmap_event_enable_show(struct kobject *kobj,
				       struct kobj_attribute *attr, char *buf)
{
	struct rbmap_event_dir *dir = container_of(attr, struct rbmap_event_dir,
						   enable);

	return sysfs_emit(buf, "%d\n", READ_ONCE(dir->event->enabled));
}

static ssize_t rbmap_event_enable_store(struct kobject *kobj,
					struct kobj_attribute *attr,
					const char *buf, size_t len)
{
	struct rbmap_event_dir *dir = container_of(attr, struct rbmap_event_dir,
						   enable);
	struct rbmap_event *event = dir->event;
	unsigned long on;
	int err;

	err = rbmap_control_number(event->name, buf, len, 1, &on);
	if (err)
		return err;
	err = rbmap_event_enable(event, on);
	if (err == -ENODEV)
		rbmap_warn("%s:%s is unavailable: %s\n", event->system,
			   event->name, event->unavailable);
	return err ? err : len;
}

static ssize_t rbmap_event_id_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	struct rbmap_event_dir *dir = container_of(attr, struct rbmap_event_dir,
						   id);

	return sysfs_emit(buf, "%u\n", dir->event->id);
}

static ssize_t rbmap_event_status_show(struct kobject *kobj,
				       struct kobj_attribute *attr, char *buf)
{
	struct rbmap_event_dir *dir = container_of(attr, struct rbmap_event_dir,
						   status);

	if (dir->event->unavailable)
		return sysfs_emit(buf, "unavailable: %s\n",
				  dir->event->unavailable);
	return sysfs_emit(buf, "available\n");
}

/* A binary attribute can be longer than a page. */
static ssize_t rbmap_event_format_read(struct file *file, struct kobject *kobj,
				       rbmap_bin_attribute *attr, char *buf,
				       loff_t pos, size_t len)
{
	struct rbmap_event_dir *dir = container_of(attr, struct rbmap_event_dir,
						   format);

	return memory_read_from_buffer(buf, len, &pos, dir->format_text,
				       dir->format_len);
}

static int rbmap_event_dir_format(struct rbmap_event_dir *dir)
{
	int len = rbmap_event_format(dir->event, NULL, 0);

	dir->format_text = kmalloc(len + 1, GFP_KERNEL);
	if (!dir->format_text)
		return -ENOMEM;
	dir->format_len = rbmap_event_format(dir->event, dir->format_text,
					     len + 1);
	sysfs_bin_attr_init(&dir->format);
	dir->format.attr.name = "format";
	dir->format.attr.mode = 0444;
	dir->format.read = rbmap_event_format_read;
	return sysfs_create_bin_file(dir->dir, &dir->format);
}

static const struct kobj_attribute rbmap_event_enable_attr =
	__ATTR(enable, 0644, rbmap_event_enable_show, rbmap_event_enable_store);
static const struct kobj_attribute rbmap_event_id_attr =
	__ATTR(id, 0444, rbmap_event_id_show, NULL);
static const struct kobj_attribute rbmap_event_status_attr =
	__ATTR(status, 0444, rbmap_event_status_show, NULL);

static int rbmap_event_dir_fill(struct rbmap_event_dir *dir)
{
	int err;

	dir->enable = rbmap_event_enable_attr;
	dir->id = rbmap_event_id_attr;
	dir->status = rbmap_event_status_attr;
	sysfs_attr_init(&dir->enable.attr);
	sysfs_attr_init(&dir->id.attr);
	sysfs_attr_init(&dir->status.attr);
	err = sysfs_create_file(dir->dir, &dir->enable.attr);
	if (!err)
		err = sysfs_create_file(dir->dir, &dir->id.attr);
	if (!err)
		err = sysfs_create_file(dir->dir, &dir->status.attr);
	/* Of an event that this kernel lacks nobody knows the fields. */
	if (!err && dir->event->fields)
		err = rbmap_event_dir_format(dir);
	return err;
}

/* events/<system> */

static ssize_t rbmap_system_enable_show(struct kobject *kobj,
					struct kobj_attribute *attr, char *buf)
{
	struct rbmap_system_dir *dir = container_of(attr,
						    struct rbmap_system_dir,
						    enable);

	return sysfs_emit(buf, "%c\n", rbmap_events_state(dir->name));
}

static ssize_t rbmap_system_enable_store(struct kobject *kobj,
					 struct kobj_attribute *attr,
					 const char *buf, size_t len)
{
	struct rbmap_system_dir *dir = container_of(attr,
						    struct rbmap_system_dir,
						    enable);
	unsigned long on;
	int err;

	err = rbmap_control_number(dir->name, buf, len, 1, &on);
	if (err)
		return err;
	err = rbmap_events_enable(dir->name, on);
	if (err == -ENODEV)
		rbmap_warn("no event of %s is available: events/%s/*/status says why\n",
			   dir->name, dir->name);
	return err ? err : len;
}

static struct rbmap_system_dir *rbmap_system_dir_find(const char *name)
{
	struct rbmap_system_dir *dir;

	list_for_each_entry(dir, &rbmap_system_dirs, list) {
		if (!strcmp(dir->name, name))
			return dir;
	}
	return NULL;
}

static const struct kobj_attribute rbmap_system_enable_attr =
	__ATTR(enable, 0644, rbmap_system_enable_show,
	       rbmap_system_enable_store);

static struct rbmap_system_dir *rbmap_system_dir_get(const char *name)
{
	struct rbmap_system_dir *dir = rbmap_system_dir_find(name);

	if (dir)
		return dir;
	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return NULL;
	dir->name = name;
	dir->enable = rbmap_system_enable_attr;
	sysfs_attr_init(&dir->enable.attr);
	dir->dir = kobject_create_and_add(name, rbmap_events_dir);
	if (!dir->dir || sysfs_create_file(dir->dir, &dir->enable.attr)) {
		rbmap_control_remove(dir->dir);
		kfree(dir);
		return NULL;
	}
	list_add_tail(&dir->list, &rbmap_system_dirs);
	return dir;
}

static int rbmap_event_dir_add(struct rbmap_event *event, void *data)
{
	struct rbmap_system_dir *system = rbmap_system_dir_get(event->system);
	struct rbmap_event_dir *dir;

	if (!system)
		return -ENOMEM;
	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return -ENOMEM;
	dir->event = event;
	/* From here on rbmap_control_events_exit() takes care of it. */
	list_add_tail(&dir->list, &rbmap_event_dirs);
	dir->dir = kobject_create_and_add(event->name, system->dir);
	if (!dir->dir)
		return -ENOMEM;
	return rbmap_event_dir_fill(dir);
}

/* events */

static ssize_t enable_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%c\n", rbmap_events_state(NULL));
}

static ssize_t enable_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t len)
{
	unsigned long on;
	int err;

	err = rbmap_control_number("events/enable", buf, len, 1, &on);
	if (!err)
		err = rbmap_events_enable(NULL, on);
	return err ? err : len;
}

/* The header of a sub-buffer: the data's offset is where commit stands too. */
static ssize_t header_page_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct rbmap_sizes sizes;

	/* Where the CPUs' differ: what the others have. */
	rbmap_buffer_sizes(rbmap_events_buffer, RBMAP_ALL_CPUS, &sizes);
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

static struct kobj_attribute enable_attr = __ATTR_RW(enable);
static struct kobj_attribute header_page_attr = __ATTR_RO(header_page);
static struct kobj_attribute header_event_attr = __ATTR_RO(header_event);

static struct attribute *rbmap_events_attrs[] = {
	&enable_attr.attr,
	&header_page_attr.attr,
	&header_event_attr.attr,
	NULL
};

static const struct attribute_group rbmap_events_group = {
	.attrs = rbmap_events_attrs,
};

/**
 * rbmap_control_events_init - make events
 * @root: /sys/kernel/rbmap
 * @buf: what the header files describe
 *
 * Context: may sleep.
 * Return: 0 or a negative error; then all is undone.
 */
int rbmap_control_events_init(struct kobject *root, struct rbmap_buffer *buf)
{
	int err;

	rbmap_events_buffer = buf;
	rbmap_events_dir = kobject_create_and_add("events", root);
	if (!rbmap_events_dir)
		return -ENOMEM;
	err = sysfs_create_group(rbmap_events_dir, &rbmap_events_group);
	if (!err)
		err = rbmap_events_walk(rbmap_event_dir_add, NULL);
	if (err)
		rbmap_control_events_exit();
	return err;
}

/**
 * rbmap_control_events_exit - remove events
 *
 * Context: sleeps.
 */
void rbmap_control_events_exit(void)
{
	struct rbmap_event_dir *event, *next_event;
	struct rbmap_system_dir *system, *next_system;

	list_for_each_entry_safe(event, next_event, &rbmap_event_dirs, list) {
		rbmap_control_remove(event->dir);
		list_del(&event->list);
		kfree(event->format_text);
		kfree(event);
	}
	list_for_each_entry_safe(system, next_system, &rbmap_system_dirs,
				 list) {
		rbmap_control_remove(system->dir);
		list_del(&system->list);
		kfree(system);
	}
	rbmap_control_remove(rbmap_events_dir);
}
