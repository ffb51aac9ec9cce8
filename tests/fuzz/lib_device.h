/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A map without a kernel. The fuzzer's input is written to the meta-page, the slot table
 * and the sub-buffers.
 */
#ifndef FUZZ_LIB_DEVICE_H
#define FUZZ_LIB_DEVICE_H

#include "../../userspace/lib/internal.h"

#define FUZZ_META	4096
#define FUZZ_SUBBUF	128
#define FUZZ_NR		4

struct fuzz_device {
	struct rbmap_map map;		/* the first member: transports cast it back */
	unsigned char *memory;
	unsigned char *slot_table;
	const uint8_t *data;		/* input that is left */
	size_t size;
};

/* The map has a ring without events. @data: input, which must stay. */
void fuzz_device_begin(struct fuzz_device *d, int cpu, const uint8_t *data, size_t size);

/* The same for an observer. */
void fuzz_device_observe(struct fuzz_device *d, int cpu, const uint8_t *data, size_t size);

/* Free what rbmap_close() does not know. */
void fuzz_device_end(struct fuzz_device *d);

/* Write the next bytes of the input to a place that they name. Return false at the end. */
bool fuzz_device_change(struct fuzz_device *d);

/* Abort unless the event lies in the map, or in the observer's copy of a sub-buffer. */
void fuzz_device_check_event(const struct fuzz_device *d, const struct rbmap_event *ev);

#endif /* FUZZ_LIB_DEVICE_H */
