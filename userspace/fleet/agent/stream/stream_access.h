/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the rings of a buffer, their clock and the formats of their events come from */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_ACCESS_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_ACCESS_H

#include <rbmap.h>
#include <stddef.h>

#include "base/buf.h"

#define SYSTEM_NAME_SIZE	64

/**
 * struct stream_access - the kernel's rings, or those of a test
 * @list: Store the CPUs that have a ring. Return their number or a negative error.
 * @open: Observe the ring of a CPU. Return 0 or a negative error.
 * @moment: Read the ring's clock with the others. Return 0 or a negative error.
 * @format: Append the format of an event, without a final 0, and store its system.
 *	Return 0 or a negative error.
 */
struct stream_access {
	int (*list)(const char *buffer, int *cpus, int most);
	int (*open)(struct rbmap_map **map, const char *buffer, int cpu);
	int (*moment)(struct rbmap_moment *moment, const char *buffer, int clock);
	int (*format)(struct buf *text, char system[SYSTEM_NAME_SIZE], const char *buffer,
		      unsigned int id);
};

extern const struct stream_access stream_access_kernel;

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_ACCESS_H */
