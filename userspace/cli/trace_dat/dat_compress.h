/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_CLI_DAT_COMPRESS_H
#define RBMAP_CLI_DAT_COMPRESS_H

#include <stdbool.h>

/* Called often; @done goes from 0 to 1. Return false to stop. */
typedef bool dat_go_on_fn(void *data, double done);

/*
 * Replace a finished recording of version 6 by one of version 7, compressed by zstd. The
 * file stays as it is until the other one is complete. Return 0, 1 if @go_on has stopped
 * the work, a negative errno or an enum dat_error; only 0 changes the file.
 */
int dat_compress(const char *path, dat_go_on_fn *go_on, void *data);

#endif /* RBMAP_CLI_DAT_COMPRESS_H */
