/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the sources of streams: BUFFER.CPU.GENERATION.INCARNATION. Each run of the agent
 * has an incarnation of its own, so that no message gets the number of another one. The
 * source BUFFER.head.0.INCARNATION has the messages HEAD and CLOCK of a buffer.
 */
#ifndef RBMAP_FLEET_MESSAGE_STREAM_SOURCE_H
#define RBMAP_FLEET_MESSAGE_STREAM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "message/names.h"

#define STREAM_BUFFER_SIZE	33	/* with the final 0 */
#define STREAM_DEFAULT_BUFFER	"default"
#define STREAM_CPUS_MAX		8192
#define STREAM_CPU_HEAD		(-1)

struct stream_source {
	char buffer[STREAM_BUFFER_SIZE];
	int cpu;
	uint32_t generation;
	uint64_t incarnation;
};

/* Return whether streams can have a buffer of this name. */
bool stream_buffer_is_valid(const char *name);

void stream_source_print(const struct stream_source *source, char name[SOURCE_NAME_SIZE]);

/* Parse a name that nobody has checked. Return false if it does not name a source. */
bool stream_source_parse(struct stream_source *source, const char *name);

#endif /* RBMAP_FLEET_MESSAGE_STREAM_SOURCE_H */
