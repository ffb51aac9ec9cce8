// SPDX-License-Identifier: GPL-2.0-only
/* The kernel was built without perf events, and so it fills no records for aliases. */
#include <linux/errno.h>

#include "event/source.h"
#include "foreign_event.h"
#include "kernel_event.h"
#include "syscall_event.h"

static int rbmap_kernel_event_make(const char *system, const char *name)
{
	return -ENOENT;
}

static const char *rbmap_kernel_event_way(const char **reason)
{
	*reason = "the kernel was built without CONFIG_PERF_EVENTS";
	return RBMAP_SOURCE_NO_WAY;
}

const struct rbmap_source rbmap_kernel_source = {
	.name	= "kernel",
	.make	= rbmap_kernel_event_make,
	.way	= rbmap_kernel_event_way,
};

const struct rbmap_source rbmap_syscall_source = {
	.name	= "syscall",
	.make	= rbmap_kernel_event_make,
};

const struct rbmap_source rbmap_foreign_source = {
	.name	= "foreign",
	.make	= rbmap_kernel_event_make,
};

void rbmap_foreign_events_exit(void)
{
}

void rbmap_syscall_events_exit(void)
{
}

void rbmap_kernel_events_exit(void)
{
}
