// SPDX-License-Identifier: GPL-2.0-only
/* set_event_pid and options/event-fork: whose events are recorded. */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/sysfs.h>

#include "access.h"
#include "compat/sysfs.h"
#include "control.h"
#include "event.h"
#include "event_pids.h"

static struct rbmap_event_set *rbmap_tasks_of(struct kobject *kobj)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return control->events;
}

static ssize_t rbmap_set_event_pid_read(struct file *file, struct kobject *kobj,
					rbmap_bin_attribute *attr, char *buf,
					loff_t pos, size_t len)
{
	return rbmap_event_pids_read(rbmap_tasks_of(kobj), buf, pos, len);
}

/*
 * In place of those before, as > of a shell has it, or beside them, as with >>.
 * More than a page comes in parts, the first of which must not end within a
 * number: its digits come again.
 */
static ssize_t rbmap_set_event_pid_write(struct file *file,
					 struct kobject *kobj,
					 rbmap_bin_attribute *attr, char *buf,
					 loff_t pos, size_t len)
{
	int err = rbmap_locked_down();

	if (err)
		return err;
	if (len == PAGE_SIZE) {
		while (len && !isspace(buf[len - 1]))
			len--;
		len = len ?: PAGE_SIZE;
	}
	err = rbmap_event_pids_write(rbmap_tasks_of(kobj), buf, len,
				     pos || file->f_flags & O_APPEND);
	return err ? err : len;
}

static const struct bin_attribute rbmap_set_event_pid_attr = {
	.attr	= { .name = "set_event_pid", .mode = RBMAP_MODE_RW },
	.read	= rbmap_set_event_pid_read,
	.write	= rbmap_set_event_pid_write,
};

static ssize_t rbmap_event_fork_show(struct kobject *kobj,
				     struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(rbmap_tasks_of(kobj)->follow));
}

static ssize_t rbmap_event_fork_store(struct kobject *kobj,
				      struct kobj_attribute *attr,
				      const char *buf, size_t len)
{
	unsigned long on;
	int err;

	err = rbmap_control_number("options/event-fork", buf, len, 1, &on);
	if (!err)
		err = rbmap_event_pids_follow(rbmap_tasks_of(kobj), on);
	return err ? err : len;
}

static struct kobj_attribute rbmap_event_fork_attr = {
	.attr	= { .name = "event-fork", .mode = RBMAP_MODE_RW },
	.show	= rbmap_event_fork_show,
	.store	= rbmap_event_fork_store,
};

/**
 * rbmap_control_tasks_init - make set_event_pid and options/event-fork
 * @control: of a buffer
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_tasks_init(struct rbmap_control *control)
{
	int err;

	/* A raw buffer has no events. */
	if (!control->events)
		return 0;
	err = sysfs_create_bin_file(control->dir, &rbmap_set_event_pid_attr);
	if (err)
		return err;
	control->options_dir = rbmap_dir_create("options", control->dir,
						control);
	if (!control->options_dir)
		return -ENOMEM;
	return sysfs_create_file(control->options_dir,
				 &rbmap_event_fork_attr.attr);
}

/**
 * rbmap_control_tasks_exit - remove options; set_event_pid goes with the directory
 * @control: of a buffer
 *
 * Context: sleeps until nobody is in its files.
 */
void rbmap_control_tasks_exit(struct rbmap_control *control)
{
	rbmap_dir_remove(control->options_dir);
	control->options_dir = NULL;
}
