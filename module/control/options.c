// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_options: settings that are on or off, a line for each, as in tracefs.  Each has a
 * file of its own, too.
 */
#include <linux/string.h>
#include <linux/sysfs.h>

#include "control.h"
#include "dir.h"
#include "event/event.h"
#include "event/pids.h"
#include "files.h"
#include "lib/access.h"

static bool rbmap_overwrite_get(const struct rbmap_control *control)
{
	return rbmap_buffer_mode(control->buffer) == RBMAP_MODE_OVERWRITE;
}

static int rbmap_overwrite_set(const struct rbmap_control *control, bool on)
{
	rbmap_buffer_set_mode(control->buffer,
			      on ? RBMAP_MODE_OVERWRITE : RBMAP_MODE_DISCARD);
	return 0;
}

static bool rbmap_event_fork_get(const struct rbmap_control *control)
{
	return READ_ONCE(control->events->follow);
}

static int rbmap_event_fork_set(const struct rbmap_control *control, bool on)
{
	return rbmap_event_pids_follow(control->events, on);
}

static bool rbmap_copy_marker_get(const struct rbmap_control *control)
{
	return READ_ONCE(*control->copies_marker);
}

static int rbmap_copy_marker_set(const struct rbmap_control *control, bool on)
{
	WRITE_ONCE(*control->copies_marker, on);
	return 0;
}

static const struct rbmap_option {
	const char	*name;
	bool		(*get)(const struct rbmap_control *control);
	int		(*set)(const struct rbmap_control *control, bool on);
} rbmap_options[] = {
	{ "overwrite", rbmap_overwrite_get, rbmap_overwrite_set },
	{ "event-fork", rbmap_event_fork_get, rbmap_event_fork_set },
	{ "copy_trace_marker", rbmap_copy_marker_get, rbmap_copy_marker_set },
};

static ssize_t trace_options_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	const struct rbmap_control *control = rbmap_dir_data(kobj);
	int i, len = 0;

	for (i = 0; i < ARRAY_SIZE(rbmap_options); i++)
		len += sysfs_emit_at(buf, len, "%s%s\n",
				     rbmap_options[i].get(control) ? "" : "no",
				     rbmap_options[i].name);
	return len;
}

static ssize_t trace_options_store(struct kobject *kobj,
				   struct kobj_attribute *attr, const char *buf,
				   size_t len)
{
	bool on = strncmp(buf, "no", 2);
	int err = rbmap_locked_down();
	int i;

	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(rbmap_options); i++) {
		if (!sysfs_streq(on ? buf : buf + 2, rbmap_options[i].name))
			continue;
		err = rbmap_options[i].set(rbmap_dir_data(kobj), on);
		return err ? err : len;
	}
	return rbmap_control_refuse(rbmap_dir_buffer(kobj), attr->attr.name, buf, len,
				    "an option that the file lists, after 'no' to turn it off");
}

static struct kobj_attribute trace_options_attr = RBMAP_ATTR_RW(trace_options);

/**
 * rbmap_control_options_init - create the file trace_options
 * @control: files of a buffer; the file is removed with its @dir
 *
 * Context: may sleep.
 * Return: 0 or a negative error.
 */
int rbmap_control_options_init(struct rbmap_control *control)
{
	/* A raw buffer has no events. */
	if (!control->events)
		return 0;
	return rbmap_dir_add_file(control->dir, &trace_options_attr.attr);
}
