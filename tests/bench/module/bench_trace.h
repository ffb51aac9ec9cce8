/* SPDX-License-Identifier: GPL-2.0-only */
/* A tracepoint with two numbers, and ftrace's event of it, which perf has, too. */
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

#endif /* BENCH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE bench_trace
#include <trace/define_trace.h>
