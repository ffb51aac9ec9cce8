/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a converted recording on their way to a file or to a pipe. */
#ifndef RBMAP_CLI_CONVERT_OUTPUT_H
#define RBMAP_CLI_CONVERT_OUTPUT_H

#include "base/buf.h"

/**
 * struct output - bytes that were not written yet
 * @data: the caller appends here, and calls output_go_on()
 * @fd: where the bytes go; -1: nowhere
 * @error: a negative errno, once writing has failed
 */
struct output {
	struct buf data;
	int fd;
	int error;
};

/* Write the bytes if there are many. Return 0 or a negative errno. */
int output_go_on(struct output *out);
/* Write all bytes. */
int output_flush(struct output *out);

#endif /* RBMAP_CLI_CONVERT_OUTPUT_H */
