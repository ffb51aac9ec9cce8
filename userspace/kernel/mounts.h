/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories on which file systems are mounted, rbmap's own among them. */
#ifndef RBMAP_KERNEL_MOUNTS_H
#define RBMAP_KERNEL_MOUNTS_H

/* name of the file system of the module */
#define MOUNTS_TYPE	"rbmap"

/* Call a function for each directory with such a file system that this process can see. */
void mounts_each(const char *type, void (*see)(const char *path, void *data), void *data);

#endif /* RBMAP_KERNEL_MOUNTS_H */
