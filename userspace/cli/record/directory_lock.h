/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock of a flight recorder on its directory: DIR/.rbmap-recorder. It also has a
 * record of the recorder until that ends, so that the next one can tell what was lost if
 * the recorder was killed, or the machine stopped.
 */
#ifndef RBMAP_CLI_DIRECTORY_LOCK_H
#define RBMAP_CLI_DIRECTORY_LOCK_H

#include <stdbool.h>

/*
 * Lock a directory, tell if the recorder before this one did not end, and return the
 * lock's descriptor. On failure, report the error and return -1: another recorder writes
 * to the directory, or it cannot be written.
 */
int directory_lock_take(const char *dir);

/* Record that all events until now are in a file. */
void directory_lock_saved(int fd);

/* Release the lock. @complete: all events are in files. */
void directory_lock_release(int fd, bool complete);

#endif /* RBMAP_CLI_DIRECTORY_LOCK_H */
