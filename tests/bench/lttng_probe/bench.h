/* SPDX-License-Identifier: GPL-2.0-only */
/* The benchmark's events for LTTng. bench_trace.h defines them for ftrace. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM bench

#if !defined(LTTNG_TRACE_BENCH_H) || defined(TRACE_HEADER_MULTI_READ)
#define LTTNG_TRACE_BENCH_H

#include <lttng/tracepoint-event.h>

LTTNG_TRACEPOINT_EVENT(bench_hit,
	TP_PROTO(u64 first, u64 second),
	TP_ARGS(first, second),
	TP_FIELDS(
		ctf_integer(u64, first, first)
		ctf_integer(u64, second, second)
	)
)

LTTNG_TRACEPOINT_EVENT(bench_0,
	TP_PROTO(const void *payload),
	TP_ARGS(payload),
	TP_FIELDS()
)

LTTNG_TRACEPOINT_EVENT(bench_8,
	TP_PROTO(const void *payload),
	TP_ARGS(payload),
	TP_FIELDS(ctf_array(u8, payload, payload, 8))
)

LTTNG_TRACEPOINT_EVENT(bench_16,
	TP_PROTO(const void *payload),
	TP_ARGS(payload),
	TP_FIELDS(ctf_array(u8, payload, payload, 16))
)

LTTNG_TRACEPOINT_EVENT(bench_32,
	TP_PROTO(const void *payload),
	TP_ARGS(payload),
	TP_FIELDS(ctf_array(u8, payload, payload, 32))
)

LTTNG_TRACEPOINT_EVENT(bench_64,
	TP_PROTO(const void *payload),
	TP_ARGS(payload),
	TP_FIELDS(ctf_array(u8, payload, payload, 64))
)

LTTNG_TRACEPOINT_EVENT(bench_128,
	TP_PROTO(const void *payload),
	TP_ARGS(payload),
	TP_FIELDS(ctf_array(u8, payload, payload, 128))
)

LTTNG_TRACEPOINT_EVENT(bench_256,
	TP_PROTO(const void *payload),
	TP_ARGS(payload),
	TP_FIELDS(ctf_array(u8, payload, payload, 256))
)

#endif /* LTTNG_TRACE_BENCH_H */

#include <lttng/define_trace.h>
