// SPDX-License-Identifier: GPL-2.0-only
/* Idle states and frequencies. */
#include <linux/device.h>
#include <linux/pm_qos.h>
#include <trace/events/power.h>

#define RBMAP_PROBE_SET		power
#define RBMAP_TRACE_HEADER	"trace/events/power.h"
#define RBMAP_PROBES(event)		\
	event(cpu_idle)		\
	event(cpu_frequency)

#include "generate.h"
