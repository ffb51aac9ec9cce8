/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buffer of a driver, which ends when the driver's module is removed, and comes back
 * when it is loaded again.
 */
#ifndef RBMAP_LIVE_DRIVER_BUFFER_H
#define RBMAP_LIVE_DRIVER_BUFFER_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct driver_buffer - what is known of it
 * @module: name of the module; NULL: the buffer belongs to no module
 * @directory: inode of the buffer's control files, by which a new buffer is known
 * @gone: the buffer has ended, and no new one was seen yet
 * @since: time of now() at which the end was seen
 */
struct driver_buffer {
	char *module;
	ino_t directory;
	bool gone;
	double since;
};

void driver_buffer_begin(struct driver_buffer *driver);
void driver_buffer_end(struct driver_buffer *driver);

/* A ring has ended. Report, once, that the module has left. */
void driver_buffer_ended(struct driver_buffer *driver);

/* Return true once if there is a new buffer. Tell the user what it has lost until now. */
bool driver_buffer_is_back(struct driver_buffer *driver);

#endif /* RBMAP_LIVE_DRIVER_BUFFER_H */
