/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories on which the file system rbmap is mounted. */
#ifndef RBMAP_KERNEL_MOUNTS_H
#define RBMAP_KERNEL_MOUNTS_H

/* name of the file system */
#define MOUNTS_TYPE	"rbmap"

/* Call a function for each such directory that this process can see. */
void mounts_each(void (*see)(const char *path, void *data), void *data);

#endif /* RBMAP_KERNEL_MOUNTS_H */
