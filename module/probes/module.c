// SPDX-License-Identifier: GPL-2.0-only
/* Modules come and go. */
#include <linux/module.h>
#include <trace/events/module.h>

#define RBMAP_PROBE_SET		module
#define RBMAP_TRACE_HEADER	"trace/events/module.h"
#define RBMAP_PROBES(event)		\
	event(module_load)		\
	event(module_free)

#include "generate.h"
