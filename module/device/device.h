/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffer's devices: cpuN, snapshot/cpuN, per_cpu/N/trace, per_cpu/N/trace_pipe,
 * per_cpu/N/snapshot, marker, marker_raw, trace, trace_pipe, snapshot/trace and error_log, in
 * /dev/rbmap or /dev/rbmap/NAME.
 */
#ifndef RBMAP_DEVICE_H
#define RBMAP_DEVICE_H

#include <linux/poll.h>

#include "buffer/buffer.h"
#include "chrdev.h"
#include "marker.h"

/**
 * struct rbmap_cpu_devices - the devices of a CPU
 * @ring: cpuN
 * @snapshot: snapshot/cpuN
 * @trace: per_cpu/N/trace
 * @trace_pipe: per_cpu/N/trace_pipe
 * @snapshot_text: per_cpu/N/snapshot
 */
struct rbmap_cpu_devices {
	struct rbmap_chrdev	ring;
	struct rbmap_chrdev	snapshot;
	struct rbmap_chrdev	trace;
	struct rbmap_chrdev	trace_pipe;
	struct rbmap_chrdev	snapshot_text;
};

/**
 * struct rbmap_devices - the devices of a buffer
 * @name: name of the buffer; "" for the default buffer
 * @buffer: the buffer
 * @cpu: devices of each CPU, by CPU number
 * @marker: marker that the next two devices write
 * @marker_text: marker, to which user space writes texts
 * @marker_raw: marker_raw, to which user space writes other data
 * @trace: trace, the unread events as text, which discards them when it is truncated
 * @trace_pipe: trace_pipe, which consumes the events as text
 * @snapshot_text: snapshot/trace, the snapshot as text, which takes and discards it
 * @is_private: whether the buffer ends with a process: udev gives its devices to no group,
 *	and its CPUs have no trace, trace_pipe and snapshot_text of their own
 * @error_log: error_log, which has the last refusals
 */
struct rbmap_devices {
	const char		*name;
	struct rbmap_buffer	*buffer;
	struct rbmap_cpu_devices *cpu;
	struct rbmap_marker	marker;
	struct rbmap_chrdev	marker_text;
	struct rbmap_chrdev	marker_raw;
	struct rbmap_chrdev	trace;
	struct rbmap_chrdev	trace_pipe;
	struct rbmap_chrdev	snapshot_text;
	bool			is_private;
	struct rbmap_chrdev	error_log;
};

int rbmap_devices_init(struct rbmap_devices *devices, const char *name,
		       struct rbmap_buffer *buf);
void rbmap_devices_exit(struct rbmap_devices *devices);
int rbmap_devices_add_cpu(struct rbmap_devices *devices, int cpu);
int rbmap_devices_add_markers(struct rbmap_devices *devices);
int rbmap_devices_add_root(struct rbmap_devices *devices);
bool rbmap_devices_shared(const char *name);

struct rbmap_file;
struct rbmap_gen;
struct rbmap_file *rbmap_file_create(struct rbmap_cpu_buffer *cpu_buf,
				     struct rbmap_gen *snapshot);
void rbmap_file_destroy(struct rbmap_file *rfile);
__poll_t rbmap_ring_poll(struct rbmap_file *rfile, struct file *file, poll_table *table);

#endif /* RBMAP_DEVICE_H */
