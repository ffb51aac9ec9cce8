/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of a flight recorder: its lock, and recordings that an earlier recorder was
 * writing when it was killed, or the machine stopped.
 *
 * The lock is DIR/.rbmap-recorder. It also has a record of the recorder until that ends, so
 * that the next one can tell what was lost if the recorder was killed, or the machine
 * stopped.
 */
#ifndef RBMAP_CLI_RECORD_DIRECTORY_H
#define RBMAP_CLI_RECORD_DIRECTORY_H

#include <stdbool.h>

#include "live/recorder/assembly.h"

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

/*
 * Let @assembly complete all unfinished recordings of a directory that this process has
 * locked. Tell each one, and each that cannot be completed.
 */
void incident_leftovers_complete(const char *dir, struct assembly *assembly);

#endif /* RBMAP_CLI_RECORD_DIRECTORY_H */
