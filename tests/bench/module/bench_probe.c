// SPDX-License-Identifier: GPL-2.0-only
/* The benchmark's events for rbmap, defined by the macros of ftrace's definition. */
#include <linux/module.h>

#include "bench_trace.h"

#include <rbmap/probe.h>

RBMAP_PROBE(custom, bench_hit, BENCH_PROTO, BENCH_ARGS, BENCH_FIELDS,
	    BENCH_ASSIGN, BENCH_PRINT);

#define PAYLOAD_PROBE(_size)						\
	RBMAP_PROBE(payload_##_size, bench_##_size, BENCH_PAYLOAD_PROTO, \
		    BENCH_PAYLOAD_ARGS, BENCH_PAYLOAD_FIELDS(_size),	\
		    BENCH_PAYLOAD_ASSIGN(_size), BENCH_PAYLOAD_PRINT)

RBMAP_PROBE(payload_0, bench_0, BENCH_PAYLOAD_PROTO, BENCH_PAYLOAD_ARGS,
	    TP_STRUCT__entry(), TP_fast_assign(), TP_printk("%s", "nothing"));
PAYLOAD_PROBE(8);
PAYLOAD_PROBE(16);
PAYLOAD_PROBE(32);
PAYLOAD_PROBE(64);
PAYLOAD_PROBE(128);
PAYLOAD_PROBE(256);

RBMAP_MODULE_PROBES("bench", custom, payload_0, payload_8, payload_16, payload_32,
		    payload_64, payload_128, payload_256);

MODULE_DESCRIPTION("Events of the benchmark");
MODULE_LICENSE("GPL");
