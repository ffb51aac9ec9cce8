// SPDX-License-Identifier: GPL-2.0-only
/* The kernel was built without perf events, and so it fills no records for aliases. */
#include <linux/errno.h>

#include "event/source.h"
#include "kernel_event.h"

static int rbmap_kernel_event_make(const char *system, const char *name)
{
	return -ENOENT;
}

static char *rbmap_kernel_event_names(void)
{
	return NULL;
}

const struct rbmap_source rbmap_kernel_source = {
	.name	= "kernel",
	.make	= rbmap_kernel_event_make,
	.names	= rbmap_kernel_event_names,
};

void rbmap_kernel_events_exit(void)
{
}
