/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffer's devices: cpuN, snapshot/cpuN, marker, marker_raw, trace and error_log, in
 * /dev/rbmap or /dev/rbmap/NAME.
 */
#ifndef RBMAP_DEVICE_H
#define RBMAP_DEVICE_H

#include "buffer/buffer.h"
#include "chrdev.h"

/**
 * struct rbmap_cpu_devices - the devices of a CPU
 * @ring: cpuN
 * @snapshot: snapshot/cpuN
 */
struct rbmap_cpu_devices {
	struct rbmap_chrdev	ring;
	struct rbmap_chrdev	snapshot;
};

/**
 * struct rbmap_devices - the devices of a buffer
 * @name: name of the buffer; "" for the default buffer
 * @buffer: the buffer
 * @cpu: devices of each CPU, by CPU number
 * @marker: marker, to which user space writes texts
 * @marker_raw: marker_raw, to which user space writes other data
 * @trace: trace, which discards all events when it is truncated
 * @error_log: error_log, which has the last refusals
 */
struct rbmap_devices {
	const char		*name;
	struct rbmap_buffer	*buffer;
	struct rbmap_cpu_devices *cpu;
	struct rbmap_chrdev	marker;
	struct rbmap_chrdev	marker_raw;
	struct rbmap_chrdev	trace;
	struct rbmap_chrdev	error_log;
};

int rbmap_devices_init(struct rbmap_devices *devices, const char *name,
		       struct rbmap_buffer *buf);
void rbmap_devices_exit(struct rbmap_devices *devices);
int rbmap_devices_add_cpu(struct rbmap_devices *devices, int cpu);
int rbmap_devices_add_markers(struct rbmap_devices *devices);
int rbmap_devices_add_root(struct rbmap_devices *devices);

#endif /* RBMAP_DEVICE_H */
