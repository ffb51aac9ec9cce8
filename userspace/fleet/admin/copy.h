/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies that get their names when they are complete, and replace no file. */
#ifndef RBMAP_FLEET_ADMIN_COPY_H
#define RBMAP_FLEET_ADMIN_COPY_H

#include <stdbool.h>

#include "base/buf.h"
#include "message/message.h"

#define COPY_NAME_SIZE	(SOURCE_NAME_SIZE + 48)	/* a file with its 0 */
#define COPY_PATH_SIZE	(HOST_NAME_SIZE + COPY_NAME_SIZE)

/* Open the directory for copies, which is made if it is not there; -1: report the error. */
int copy_directory(const char *path);

/* Open the folder of a host in it, as copy_directory(). */
int copy_folder(int dir, const char *host, const char *where);
/* Print HOST/NAME. */
void copy_path(char path[COPY_PATH_SIZE], const char *host, const char *name);

/* Return whether the directory has no such file, or report an error. @where: its name */
bool copy_is_new(int dir, const char *name, const char *where);

/*
 * Copy the file @path, if it has the SHA-256. Return STATUS_OK; STATUS_CUT: it is damaged, not
 * there or cannot be read; STATUS_ERROR: the copy cannot be written. Errors are reported.
 */
int copy_file(int dir, const char *name, const char *path, const char *sha256);

/* Write a file with the text, or report an error. */
bool copy_text(int dir, const char *name, const struct buf *text, const char *where);

#endif /* RBMAP_FLEET_ADMIN_COPY_H */
