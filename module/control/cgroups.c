// SPDX-License-Identifier: GPL-2.0-only
/* set_event_cgroup: select events by the cgroup of their task. */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "control.h"
#include "dir.h"
#include "event/cgroups.h"
#include "event/event.h"
#include "files.h"
#include "lib/access.h"

static struct rbmap_event_set *rbmap_cgroups_set_of(struct kobject *kobj)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);

	return control->events;
}

static int rbmap_cgroups_refuse(struct kobject *kobj, const char *path, int err)
{
	const char *wanted;

	switch (err) {
	case -ENOSPC:
		wanted = "16 cgroups at most";
		break;
	case -EOPNOTSUPP:
		wanted = "nothing: this kernel has no cgroups";
		break;
	case -EINVAL:
		wanted = "paths of cgroups that begin with /, a line for each";
		break;
	default:
		wanted = "the path of a cgroup of version 2 that exists, as in /proc/PID/cgroup";
	}
	rbmap_control_refuse(rbmap_dir_buffer(kobj), "set_event_cgroup", path, strlen(path),
			     wanted);
	return err;
}

/* Add the cgroups of a text, whose newlines become the ends of the paths. */
static int rbmap_cgroups_parse(struct kobject *kobj, struct rbmap_cgroups *cgroups, char *text)
{
	char *path;
	int err;

	while ((path = strsep(&text, "\n"))) {
		if (!*path)
			continue;
		err = *path == '/' ? rbmap_event_cgroups_add_path(cgroups, path) : -EINVAL;
		if (err)
			return rbmap_cgroups_refuse(kobj, path, err);
	}
	return 0;
}

static int rbmap_cgroups_obey(struct kobject *kobj, char *text, bool add)
{
	struct rbmap_cgroups *cgroups = rbmap_event_cgroups_alloc();
	int err;

	if (!cgroups)
		return -ENOMEM;
	err = rbmap_cgroups_parse(kobj, cgroups, text);
	if (!err && !cgroups->nr) {
		rbmap_event_cgroups_free(cgroups);
		return add ? 0 : rbmap_event_cgroups_set(rbmap_cgroups_set_of(kobj), NULL, false);
	}
	if (!err) {
		err = rbmap_event_cgroups_set(rbmap_cgroups_set_of(kobj), cgroups, add);
		if (err)
			rbmap_cgroups_refuse(kobj, text, err);
	}
	if (err)
		rbmap_event_cgroups_free(cgroups);
	return err;
}

static ssize_t rbmap_cgroups_read(struct file *file, struct kobject *kobj,
				  rbmap_bin_attribute *attr, char *buf, loff_t pos, size_t len)
{
	return rbmap_control_text_read(rbmap_event_cgroups_text(rbmap_cgroups_set_of(kobj)),
				       buf, pos, len);
}

/*
 * A write replaces the list, as with > in a shell, or adds to it, as with >>.  A write of
 * more than a page comes in several; a part ends with a whole line, and the rest is written
 * again.
 */
static ssize_t rbmap_cgroups_write(struct file *file, struct kobject *kobj,
				   rbmap_bin_attribute *attr, char *buf, loff_t pos, size_t len)
{
	int err = rbmap_locked_down();
	char *text;

	if (err)
		return err;
	if (len == PAGE_SIZE) {
		while (len && buf[len - 1] != '\n')
			len--;
		len = len ?: PAGE_SIZE;
	}
	text = kmemdup_nul(buf, len, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	err = rbmap_cgroups_obey(kobj, text, pos || file->f_flags & O_APPEND);
	kfree(text);
	rbmap_dir_retry(kobj);
	return err ? err : len;
}

static const struct bin_attribute rbmap_set_event_cgroup_attr = {
	.attr	= { .name = "set_event_cgroup", .mode = RBMAP_MODE_RW },
	.read	= rbmap_cgroups_read,
	.write	= rbmap_cgroups_write,
};

static int rbmap_cgroups_clear(struct kobject *dir, const struct bin_attribute *list,
			       const struct file *file)
{
	int err = rbmap_locked_down();

	return err ?: rbmap_event_cgroups_set(rbmap_cgroups_set_of(dir), NULL, false);
}

/**
 * rbmap_control_cgroups_init - create the file set_event_cgroup
 * @control: files of a buffer
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_cgroups_init(struct rbmap_control *control)
{
	/* A raw buffer has no events. */
	if (!control->events)
		return 0;
	return rbmap_dir_add_list(control->dir, &rbmap_set_event_cgroup_attr,
				  rbmap_cgroups_clear);
}
