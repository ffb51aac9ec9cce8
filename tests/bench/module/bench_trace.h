/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracepoint with two numbers, a tracepoint for each payload size, and their events
 * for ftrace and perf.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM bench

#if !defined(BENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define BENCH_TRACE_H

#include <linux/tracepoint.h>
#include <linux/types.h>

#define BENCH_PROTO	TP_PROTO(u64 first, u64 second)
#define BENCH_ARGS	TP_ARGS(first, second)
#define BENCH_FIELDS							\
	TP_STRUCT__entry(						\
		__field(	u64,		first	)		\
		__field(	u64,		second	)		\
	)
#define BENCH_ASSIGN							\
	TP_fast_assign(							\
		__entry->first = first;					\
		__entry->second = second;				\
	)
#define BENCH_PRINT							\
	TP_printk("first=%llu second=%llu", __entry->first, __entry->second)

TRACE_EVENT(bench_hit, BENCH_PROTO, BENCH_ARGS, BENCH_FIELDS, BENCH_ASSIGN, BENCH_PRINT);

#define BENCH_PAYLOAD_PROTO	TP_PROTO(const void *payload)
#define BENCH_PAYLOAD_ARGS	TP_ARGS(payload)
#define BENCH_PAYLOAD_FIELDS(_size)					\
	TP_STRUCT__entry(						\
		__array(	u8,		payload, _size	)	\
	)
#define BENCH_PAYLOAD_ASSIGN(_size)					\
	TP_fast_assign(							\
		memcpy(__entry->payload, payload, _size);		\
	)
#define BENCH_PAYLOAD_PRINT	TP_printk("begins with %u", __entry->payload[0])
#define BENCH_PAYLOAD(_size)						\
	TRACE_EVENT(bench_##_size, BENCH_PAYLOAD_PROTO, BENCH_PAYLOAD_ARGS, \
		    BENCH_PAYLOAD_FIELDS(_size), BENCH_PAYLOAD_ASSIGN(_size), \
		    BENCH_PAYLOAD_PRINT)

TRACE_EVENT(bench_0, BENCH_PAYLOAD_PROTO, BENCH_PAYLOAD_ARGS,
	    TP_STRUCT__entry(), TP_fast_assign(), TP_printk("%s", "nothing"));
BENCH_PAYLOAD(8);
BENCH_PAYLOAD(16);
BENCH_PAYLOAD(32);
BENCH_PAYLOAD(64);
BENCH_PAYLOAD(128);
BENCH_PAYLOAD(256);

#endif /* BENCH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE bench_trace
#include <trace/define_trace.h>
