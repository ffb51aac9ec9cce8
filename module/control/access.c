// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files lockdown and kptr: whether lockdown is respected, and addresses shown.
 */
#include "access.h"
#include "control.h"
#include "dir.h"
#include "lib/access.h"

static ssize_t lockdown_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	if (!rbmap_lockdown_respected())
		return sysfs_emit(buf, "unknown: this kernel does not tell modules\n");
	return sysfs_emit(buf, "respected\n");
}

static ssize_t kptr_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%d\n", rbmap_addresses_shown());
}

static struct kobj_attribute lockdown_attr = RBMAP_ATTR_RO(lockdown);
static struct kobj_attribute kptr_attr = RBMAP_ATTR_RO(kptr);

static struct attribute *rbmap_access_attrs[] = {
	&lockdown_attr.attr,
	&kptr_attr.attr,
	NULL
};

static const struct attribute_group rbmap_access_group = {
	.attrs = rbmap_access_attrs,
};

/**
 * rbmap_control_access_init - create the files lockdown and kptr
 * @root: /sys/kernel/rbmap, with which the files are removed
 *
 * Return: 0 or a negative error.
 */
int rbmap_control_access_init(struct kobject *root)
{
	return rbmap_dir_add_group(root, &rbmap_access_group);
}
