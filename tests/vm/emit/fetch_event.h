/* SPDX-License-Identifier: GPL-2.0-only */
/* A tracepoint with arguments of all kinds, for dynamic events that fetch them. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM emit

#if !defined(EMIT_FETCH_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define EMIT_FETCH_EVENT_H

#include <linux/tracepoint.h>

struct emit_fetched;

TRACE_EVENT(emit_fetch,
	TP_PROTO(u8 byte, s16 half, u32 word, u64 number, const char *text,
		 const struct emit_fetched *fetched, int seventh,
		 unsigned long eighth, bool ninth, u16 tenth, const void *bad,
		 s8 twelfth),
	TP_ARGS(byte, half, word, number, text, fetched, seventh, eighth,
		ninth, tenth, bad, twelfth),
	TP_STRUCT__entry(
		__field(u64, number)
	),
	TP_fast_assign(
		__entry->number = number;
	),
	TP_printk("%llu", __entry->number)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE fetch_event
#include <trace/define_trace.h>
