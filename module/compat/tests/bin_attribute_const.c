// SPDX-License-Identifier: GPL-2.0-only
/*
 * The callbacks of a binary attribute get a const attribute.
 * Linux 6.16: 97d06802d10a ("sysfs: constify bin_attribute argument of
 * bin_attribute::read/write()")
 */
#include <linux/sysfs.h>

static ssize_t bin_attribute_const_read_it(struct file *file, struct kobject *kobj,
					   const struct bin_attribute *attr, char *buf, loff_t pos,
					   size_t len)
{
	return 0;
}

struct bin_attribute bin_attribute_const_attribute = { .read = bin_attribute_const_read_it };
