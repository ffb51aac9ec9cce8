// SPDX-License-Identifier: GPL-2.0-only
/* The file lockdown, which says whether the module respects lockdown. */
#include "control.h"
#include "dir.h"
#include "files.h"
#include "lib/access.h"

static ssize_t lockdown_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	if (!rbmap_lockdown_respected())
		return sysfs_emit(buf, "unknown: this kernel does not tell modules\n");
	return sysfs_emit(buf, "respected\n");
}

static struct kobj_attribute lockdown_attr = RBMAP_ATTR_RO(lockdown);

/**
 * rbmap_control_access_init - create the file lockdown
 * @root: /sys/kernel/rbmap, with which the file is removed
 *
 * Return: 0 or a negative error.
 */
int rbmap_control_access_init(struct kobject *root)
{
	return rbmap_dir_add_file(root, &lockdown_attr.attr);
}
