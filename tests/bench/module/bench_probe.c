// SPDX-License-Identifier: GPL-2.0-only
/* What an event of one's own is with rbmap: in the words of ftrace's. */
#include <linux/module.h>

#include "bench_trace.h"

#include <rbmap/probe.h>

RBMAP_PROBE(custom, bench_hit, BENCH_PROTO, BENCH_ARGS, BENCH_FIELDS,
	    BENCH_ASSIGN, BENCH_PRINT);

RBMAP_MODULE_PROBES("bench", custom);

MODULE_DESCRIPTION("An event, to see what it costs");
MODULE_LICENSE("GPL");
