// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flags of a map are changed by functions that lock it.
 * Linux 6.3: bc292ab00f6c ("mm: introduce vma->vm_flags wrapper functions")
 */
#include <linux/mm.h>

void vm_flags_mod_change(struct vm_area_struct *vma);
void vm_flags_mod_change(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTCOPY, VM_MAYWRITE);
}
