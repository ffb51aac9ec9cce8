/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Check the file of an incident in a process of its own. A host made the file, and must not
 * be able to stop the collector or to hold it up.
 */
#ifndef RBMAP_FLEET_COLLECTOR_FILES_FILE_CHECK_H
#define RBMAP_FLEET_COLLECTOR_FILES_FILE_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum file_verdict {
	FILE_RECORDING,		/* it has the size and the sum, and librbmap opens it */
	FILE_OTHER,		/* it has the size and the sum */
	FILE_DAMAGED,
	FILE_UNREADABLE,	/* the disk does not work, or the process was killed */
};

/* Start a check. The caller closes @fd. Return the process, or -1 with errno set. */
pid_t file_check_start(int fd, uint64_t size, const char *sha256);

/* Return the result of a process that has ended. @status: that of waitpid() */
enum file_verdict file_check_verdict(int status);

/*
 * Return whether librbmap opens the file as a recording, in a child process with limits of
 * memory and of time.
 */
bool is_recording(int fd);

#endif /* RBMAP_FLEET_COLLECTOR_FILES_FILE_CHECK_H */
