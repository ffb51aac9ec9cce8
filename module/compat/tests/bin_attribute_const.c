// SPDX-License-Identifier: GPL-2.0-only
/* Binary attributes are read-only for their callbacks. */
#include <linux/sysfs.h>

static ssize_t read_it(struct file *file, struct kobject *kobj,
		       const struct bin_attribute *attr, char *buf, loff_t pos,
		       size_t len)
{
	return 0;
}

struct bin_attribute attribute = { .read = read_it };
