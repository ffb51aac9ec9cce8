/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the processes that have devices open or mapped, and the modules and mounts
 * that use rbmap.
 */
#ifndef RBMAP_KERNEL_HOLDERS_H
#define RBMAP_KERNEL_HOLDERS_H

#include "base/buf.h"

/* Add the name of a process, or "?". */
void holders_add_comm(struct buf *who, const char *pid);

/* Add "comm (pid N), ..." to @who, for the devices in @dir and below it. */
void holders_find(struct buf *who, const char *dir);

/* Adds "module NAME, ..." to @who. */
void holders_find_modules(struct buf *who);

/* Adds "directory PATH, ..." to @who, for the mounts of rbmap tracefs-dir. */
void holders_find_mounts(struct buf *who);

/* Directories on which file systems are mounted, rbmap's own among them. */
/* name of the file system of the module */
#define MOUNTS_TYPE	"rbmap"

/* Call a function for each directory with such a file system that this process can see. */
void mounts_each(const char *type, void (*see)(const char *path, void *data), void *data);

#endif /* RBMAP_KERNEL_HOLDERS_H */
