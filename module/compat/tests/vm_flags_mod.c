// SPDX-License-Identifier: GPL-2.0-only
/* A map's flags are changed through a function that locks it. */
#include <linux/mm.h>

void change(struct vm_area_struct *vma);
void change(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTCOPY, VM_MAYWRITE);
}
