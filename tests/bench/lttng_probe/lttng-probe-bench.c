// SPDX-License-Identifier: GPL-2.0-only
/* LTTng's probes of the benchmark's tracepoints, built as one of its probe modules. */
#include <linux/module.h>
#include <lttng/tracer.h>

#include "bench_trace.h"

#include <wrapper/tracepoint.h>

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#undef TRACE_INCLUDE_FILE
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH instrumentation/events
#include <instrumentation/events/bench.h>

MODULE_DESCRIPTION("LTTng probes of the benchmark's events");
MODULE_LICENSE("GPL");
