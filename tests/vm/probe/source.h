/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracepoint of a module, with macros that define an event for ftrace and for
 * rbmap.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM source

#if !defined(SOURCE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SOURCE_H

#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/version.h>

#ifndef SOURCE_ONCE
#define SOURCE_ONCE
enum source_parity {
	SOURCE_EVEN = 7,
	SOURCE_ODD,
};

struct source_pair {
	u64	a;
	char	text[8];
};

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define source_assign_str(item, src)	__assign_str(item, src)
#else
#define source_assign_str(item, src)	__assign_str(item)
#endif

/* changed.c is a later version of the module, whose record has one more field. */
#ifdef SOURCE_CHANGED
#define SOURCE_MORE_FIELD	__field(u32, more)
#define SOURCE_MORE_ASSIGN	__entry->more = source_nested(number);
static u32 source_nested(int number);
#else
#define SOURCE_MORE_FIELD
#define SOURCE_MORE_ASSIGN
#endif

#define SOURCE_PROTO	TP_PROTO(int number, const char *text, const u64 *words)
#define SOURCE_ARGS	TP_ARGS(number, text, words)

/*
 * The bitmask is copied in whole words: bits behind the 70 of the source are
 * printed as well.
 */
#define SOURCE_FIELDS							\
	TP_STRUCT__entry(						\
		__field(	int,		number	)		\
		__field(	bool,		odd	)		\
		__field(	u8,		parity	)		\
		SOURCE_MORE_FIELD					\
		__field(	s64,		negative)		\
		__field_struct(	struct source_pair, pair)		\
		__array(	char,		fixed,	6)		\
		__array(	u16,		shorts,	3)		\
		__string(	text,		text	)		\
		__dynamic_array(u64,		words,	number)		\
		__bitmask(	bits,		128	)		\
		__string(	end,		"end"	)		\
	)
#define SOURCE_ASSIGN							\
	TP_fast_assign(							\
		unsigned long source_bits[128 / BITS_PER_LONG] = {};	\
									\
		source_bits[0] = 1ul << (number & 31);			\
		source_bits[128 / BITS_PER_LONG - 1] = 1;		\
		__entry->number = number;				\
		__entry->odd = number & 1;				\
		__entry->parity = number & 1 ? SOURCE_ODD : SOURCE_EVEN; \
		SOURCE_MORE_ASSIGN					\
		__entry->negative = -number;				\
		__entry->pair.a = number;				\
		memcpy(__entry->pair.text, "PAIRPAIR", 8);		\
		memcpy(__entry->fixed, "fixed", 6);			\
		__entry->shorts[0] = number;				\
		__entry->shorts[1] = number + 1;			\
		__entry->shorts[2] = number + 2;			\
		source_assign_str(text, text);				\
		memcpy(__get_dynamic_array(words), words, number * sizeof(*words)); \
		__assign_bitmask(bits, source_bits, 128);		\
		source_assign_str(end, "end");				\
	)
#define SOURCE_PRINT							\
	TP_printk("number=%d odd=%d parity=%s negative=%lld fixed=%s shorts=%s text=%s words=%s bits=%s end=%s", \
		  __entry->number, __entry->odd,			\
		  __print_symbolic(__entry->parity,			\
				   { SOURCE_EVEN, "even" },		\
				   { SOURCE_ODD, "odd" }),		\
		  __entry->negative, __entry->fixed,			\
		  __print_array(__entry->shorts, 3, 2), __get_str(text), \
		  __print_array(__get_dynamic_array(words),		\
				__get_dynamic_array_len(words) / 8, 8),	\
		  __get_bitmask(bits), __get_str(end))
#endif /* SOURCE_ONCE */

TRACE_DEFINE_ENUM(SOURCE_EVEN);
TRACE_DEFINE_ENUM(SOURCE_ODD);

TRACE_EVENT(source_hit, SOURCE_PROTO, SOURCE_ARGS, SOURCE_FIELDS,
	    SOURCE_ASSIGN, SOURCE_PRINT);

#endif /* SOURCE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE source
#include <trace/define_trace.h>
