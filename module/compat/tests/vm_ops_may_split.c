// SPDX-License-Identifier: GPL-2.0-only
/* Refusing to split a map is called .may_split; it was .split. */
#include <linux/mm.h>

static int refuse(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

const struct vm_operations_struct ops = { .may_split = refuse };
