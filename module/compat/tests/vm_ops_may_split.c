// SPDX-License-Identifier: GPL-2.0-only
/*
 * The callback that refuses to split a map is may_split(). It was split() before.
 * Linux 5.11: dd3b614f858d ("vm_ops: rename .split() callback to .may_split()")
 */
#include <linux/mm.h>

static int vm_ops_may_split_refuse(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

const struct vm_operations_struct vm_ops_may_split_ops = { .may_split = vm_ops_may_split_refuse };
