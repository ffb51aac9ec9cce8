/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of streams, in DIR/streams/HOST/BOOT/BUFFER:
 *
 *	NUMBER			messages: a size of 4 bytes (little endian), and the message
 *	head.INCARNATION	the last message HEAD of that incarnation
 *
 * The index says how much of a file is valid: a collector that was killed may have written
 * more. Names are valid names of the message format.
 */
#ifndef RBMAP_FLEET_COLLECTOR_FILES_STREAM_FILES_H
#define RBMAP_FLEET_COLLECTOR_FILES_STREAM_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/index/streams.h"
#include "files.h"

#define STREAM_FILE_SIZE	(32U << 20)	/* Then the next file begins. */

struct stream_files {
	int dir;
	unsigned int nr;
	struct {
		int64_t id;
		int fd;
	} open[FILES_OPEN_MAX];
};

/* Open DIR/streams, and make it if it is missing. Return 0 or a negative errno. */
int stream_files_open(struct stream_files *f, const char *dir);
void stream_files_close(struct stream_files *f);

/* Append a message to a file. It is on the disk after stream_files_sync(). */
int stream_files_append(struct stream_files *f, const char *host,
			struct index_stream_file *file, const void *message, size_t size);
int stream_files_sync(struct stream_files *f);
void stream_files_drop(struct stream_files *f);

/* Replace the head of an incarnation. It is on the disk then. */
int stream_files_head(struct stream_files *f, const char *host, const char *boot,
		      const struct stream_source *source, const void *message, size_t size);

/* Remove a file, and the folders that are empty then. */
int stream_files_remove(struct stream_files *f, const char *host,
			const struct index_stream_file *file);
/* Remove the heads of a buffer without files, and what a killed collector has left there. */
int stream_files_remove_buffer(struct stream_files *f, const char *host, const char *boot,
			       const char *buffer);

#endif /* RBMAP_FLEET_COLLECTOR_FILES_STREAM_FILES_H */
