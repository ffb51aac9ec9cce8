// SPDX-License-Identifier: GPL-2.0-only
/* Polls of network devices. */
#include <linux/netdevice.h>
#include <trace/events/napi.h>

#define RBMAP_PROBE_SET		napi
#define RBMAP_TRACE_HEADER	"trace/events/napi.h"
#define RBMAP_PROBES(event)		\
	event(napi_poll)

#include "generate.h"
