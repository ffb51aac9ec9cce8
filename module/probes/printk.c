// SPDX-License-Identifier: GPL-2.0-only
/* Lines of the kernel log. */
#include <linux/printk.h>
#include <trace/events/printk.h>

#define RBMAP_PROBE_SET		printk
#define RBMAP_TRACE_HEADER	"trace/events/printk.h"
#define RBMAP_PROBES(event)		\
	event(console)

#include "generate.h"
