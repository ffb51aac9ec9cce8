/* SPDX-License-Identifier: LGPL-2.1-only */
/* Make one complete recording of the files that a recorder has written. */
#ifndef RBMAP_RECORDING_ASSEMBLE_DAT_ASSEMBLE_H
#define RBMAP_RECORDING_ASSEMBLE_DAT_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbol_use.h"

struct rbmap_recording;

/* Called often; @done goes from 0 to 1. Return false to stop. */
typedef bool dat_go_on_fn(void *data, double done);

/*
 * Lock an unfinished recording, and return its descriptor, to be closed after
 * dat_assemble(). Return a negative errno or an enum dat_error: DAT_ERR_BUSY, if a process
 * writes the recording; DAT_ERR_COMPLETE, if nothing is to be assembled.
 */
int dat_lock(const char *path);

/*
 * Rename an unfinished recording that still has its temporary name, and lock it; return
 * as dat_lock(). -EEXIST: there is a file @path already, and nothing has changed.
 */
int dat_adopt(const char *temporary, const char *path);

struct dat_assembly {
	int fd;			/* the locked descriptor, of dat_lock() or dat_finish() */
	bool compress;		/* write version 7, compressed by zstd; else version 6 */
	symbols_read_fn *read;	/* symbols of the addresses; NULL: keep the file's symbols */
	dat_go_on_fn *go_on;
	void *data;		/* for @go_on */
	int compress_error;	/* result: why the recording is not compressed, or 0 */
	int symbols_error;	/* result: why @read gave no symbols, or 0 */
	uint64_t left_out;	/* result: addresses and bytes of symbols without place */
};

/*
 * Assemble a recording that the caller has locked, and remove the files of its CPUs. If it
 * cannot be compressed, it becomes one of version 6. Return 0, 1 if @go_on has stopped the
 * work, a negative errno or an enum dat_error. Unless this returns 0, the files still have
 * all events, can be read, and can be assembled later. -ESTALE: @path is another file
 * than the locked one; -EPERM: a file of a CPU has another owner, or another name.
 */
int dat_assemble(const char *path, struct dat_assembly *assembly);


/*
 * Replace a recording of version 6 by one of version 7, compressed by zstd. The recording
 * stays as it is until the other one is complete. Return 0, 1 if @a->go_on has stopped the
 * work, or a negative errno; only 0 changes the recording.
 */
int dat_compress(struct rbmap_recording *r, struct dat_assembly *a);

#endif /* RBMAP_RECORDING_ASSEMBLE_DAT_ASSEMBLE_H */
