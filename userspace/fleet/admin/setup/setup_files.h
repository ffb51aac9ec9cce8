/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of a setup. A file is there as a whole or not at all, also after a loss of power. */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_FILES_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Open a folder below @dir, and make it if it is not there. Return -1 after an error. */
int files_folder(int dir, const char *name);

bool files_have(int dir, const char *name);

/*
 * Write a file. Without @replace, a file that is there stays, and the result is false.
 * Errors are reported.
 */
bool files_write(int dir, const char *name, const void *data, size_t size, mode_t mode,
		 bool replace);

/* Copy a small file to another folder, over what is there. */
bool setup_file_copy(int from, const char *name, int to);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_FILES_H */
