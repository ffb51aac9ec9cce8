// SPDX-License-Identifier: GPL-2.0-only
/* Signals: sent, and delivered. */
#include <linux/signal.h>
#include <linux/sched.h>
#include <trace/events/signal.h>

#define RBMAP_PROBE_SET		signal
#define RBMAP_TRACE_HEADER	"trace/events/signal.h"
#define RBMAP_PROBES(event)		\
	event(signal_generate)		\
	event(signal_deliver)

#include "generate.h"
