/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_COMPAT_MM_H
#define RBMAP_COMPAT_MM_H

#include <linux/mm.h>

#include "compat.h"

static inline void rbmap_vm_flags_mod(struct vm_area_struct *vma,
				      unsigned long set, unsigned long clear)
{
#ifdef RBMAP_HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#ifdef RBMAP_HAVE_VM_OPS_MAY_SPLIT
#define RBMAP_VM_OPS_MAY_SPLIT	may_split
#else
#define RBMAP_VM_OPS_MAY_SPLIT	split
#endif

#endif /* RBMAP_COMPAT_MM_H */
