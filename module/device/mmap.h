/* SPDX-License-Identifier: GPL-2.0-only */
/* Map a ring, its meta-page and its slot table. */
#ifndef RBMAP_DEVICE_MMAP_H
#define RBMAP_DEVICE_MMAP_H

#include <linux/types.h>

struct rbmap_file;
struct vm_area_struct;

int rbmap_mmap(struct rbmap_file *file, struct vm_area_struct *vma);

#endif /* RBMAP_DEVICE_MMAP_H */
