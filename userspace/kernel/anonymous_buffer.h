/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers that end with this process, however the process ends. One thread uses them. */
#ifndef RBMAP_KERNEL_ANONYMOUS_BUFFER_H
#define RBMAP_KERNEL_ANONYMOUS_BUFFER_H

#include <stddef.h>

#define CONTROL_DEVICE	"/dev/rbmap/control"

struct anonymous_buffer {
	char name[40];		/* "" without a buffer */
};

/*
 * Create a buffer PREFIX-PID, without events and with all events disabled. @settings is as
 * for instances/create, or "". Return 0 or a negative errno. @message gets the kernel's
 * explanation of an error, or "".
 */
int anonymous_buffer_create(struct anonymous_buffer *kept, const char *prefix,
			    const char *settings, char *message, size_t size);

/* Destroy the buffer, if there is one, together with the last one of this process. */
void anonymous_buffer_destroy(struct anonymous_buffer *kept);

#endif /* RBMAP_KERNEL_ANONYMOUS_BUFFER_H */
