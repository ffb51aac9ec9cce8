// SPDX-License-Identifier: GPL-2.0-only
/* The file self_cost: whether the time of built-in probes is measured. */
#include "control.h"
#include "dir.h"
#include "event/self_cost.h"
#include "files.h"

static ssize_t self_cost_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", rbmap_self_cost_is_on());
}

static ssize_t self_cost_store(struct kobject *kobj,
			       struct kobj_attribute *attr, const char *buf,
			       size_t len)
{
	unsigned long on;
	int err = rbmap_control_number(rbmap_dir_buffer(kobj), attr->attr.name, buf, len, 1, &on);

	if (!err)
		err = rbmap_self_cost_set(on);
	return err ? err : len;
}

static struct kobj_attribute self_cost_attr = RBMAP_ATTR_RW(self_cost);

/**
 * rbmap_control_self_cost_init - create the file self_cost
 * @root: /sys/kernel/rbmap, with which the file is removed
 *
 * Return: 0 or a negative error.
 */
int rbmap_control_self_cost_init(struct kobject *root)
{
	return rbmap_dir_add_file(root, &self_cost_attr.attr);
}
