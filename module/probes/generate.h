/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes out of the kernel's own trace headers.
 *
 * A header like <trace/events/sched.h> says all about a tracepoint: the
 * prototype, the record, how to fill it and how to print it.  It is made to be
 * read again and again with other meanings of its macros.  What is generated
 * from it is right on each kernel, with no list of the kernels' differences:
 *
 *	#include <trace/events/sched.h>
 *
 *	#define RBMAP_PROBE_SET		sched
 *	#define RBMAP_TRACE_HEADER	<trace/events/sched.h>
 *	#define RBMAP_PROBES(event)	event(sched_switch)
 *	#include "generate.h"
 *
 * makes struct rbmap_probe_set rbmap_sched_probes.  compat/probe.sh tries
 * beforehand which probes can be compiled for this kernel and defines
 * RBMAP_FITS_<name> for them; the others are left out.
 *
 * An optional RBMAP_TRACE_ENUMS says that print formats name constants, which
 * are to be printed as numbers.
 */
#include <linux/kconfig.h>
#include <linux/stringify.h>
#include <linux/tracepoint.h>

#include "pointers.h"
#include "probes.h"
#include "strings.h"

#define RBMAP_WHEN_0(...)
#define RBMAP_WHEN_1(...)	__VA_ARGS__
#define RBMAP_WHEN(cond, ...)	__PASTE(RBMAP_WHEN_, cond)(__VA_ARGS__)
#define RBMAP_WHEN_FITS(name, ...)					\
	RBMAP_WHEN(__is_defined(RBMAP_FITS_##name), __VA_ARGS__)

/*
 * What is no event of ours has no meaning here.  The reading below defines the
 * rest: DECLARE_EVENT_CLASS, DEFINE_EVENT and the words inside of a class.
 */
#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION
#undef DECLARE_TRACE_SYSCALL
#undef DECLARE_TRACE_EVENT
#undef DECLARE_TRACE_EVENT_CONDITION
#undef DECLARE_TRACE_EVENT_SYSCALL
#undef DECLARE_EVENT_NOP
#undef DECLARE_EVENT_CLASS_NOP
#undef DEFINE_EVENT_NOP
#undef DEFINE_EVENT_PRINT
#undef TRACE_EVENT_NOP
#undef TRACE_EVENT_FLAGS
#undef TRACE_EVENT_PERF_PERM
#undef TRACE_DEFINE_ENUM
#undef TRACE_DEFINE_SIZEOF
#define DECLARE_TRACE(...)
#define DECLARE_TRACE_CONDITION(...)
#define DECLARE_TRACE_SYSCALL(...)
#define DECLARE_TRACE_EVENT(...)
#define DECLARE_TRACE_EVENT_CONDITION(...)
#define DECLARE_TRACE_EVENT_SYSCALL(...)
#define DECLARE_EVENT_NOP(...)
#define DECLARE_EVENT_CLASS_NOP(...)
#define DEFINE_EVENT_NOP(...)
#define DEFINE_EVENT_PRINT(...)
#define TRACE_EVENT_NOP(...)
#define TRACE_EVENT_FLAGS(...)
#define TRACE_EVENT_PERF_PERM(...)
#define TRACE_DEFINE_ENUM(...)
#define TRACE_DEFINE_SIZEOF(...)

/*
 * An event with a class of its own.  Conditions, and what is to be called when
 * the first probe comes, are the tracepoint's own business.
 */
#undef TRACE_EVENT
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_FN_COND
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_SYSCALL
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_CONDITION
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	RBMAP_WHEN_FITS(name,						\
		DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),	\
				    PARAMS(tstruct), PARAMS(assign),	\
				    PARAMS(print))			\
		DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args)))
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, \
			    reg, unreg)					\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print,	\
			    reg, unreg)					\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef TP_STRUCT__entry
#undef TP_fast_assign
#undef TP_printk
#define TP_STRUCT__entry(args...)	args
#define TP_fast_assign(args...)		args
#define TP_printk(fmt, args...)		"\"" fmt "\", " __stringify(args)

#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef __field
#undef __field_ext
#undef __field_struct
#undef __field_struct_ext
#undef __array
#undef __string
#undef __assign_str
#undef __get_str
#undef __entry

#define __field_ext(type, item, filter)		__field(type, item)
#define __field_struct_ext(type, item, filter)	__field_struct(type, item)

/* The header is read again each time. */
#undef TRACE_HEADER_MULTI_READ
#define TRACE_HEADER_MULTI_READ

/* First: the record */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct rbmap_record_##name {					\
		struct rbmap_record record;				\
		tstruct							\
		char strings[];						\
	};
#define DEFINE_EVENT(template, name, proto, args)
#define __field(type, item)		type item;
#define __field_struct(type, item)	type item;
#define __array(type, item, len)	type item[len];
#define __string(item, src)		u32 __data_loc_##item;

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#undef __field
#undef __field_struct
#undef __array
#undef __string

/* Second: the strings to copy into it */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct rbmap_strings_##name {					\
		tstruct							\
	};
#define __field(type, item)
#define __field_struct(type, item)
#define __array(type, item, len)
#define __string(item, src)		struct rbmap_string item;

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#undef __string

/* Third: how long the record gets */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static __always_inline u32					\
	rbmap_measure_##name(struct rbmap_strings_##name *strings, proto) \
	{								\
		u32 size = offsetof(struct rbmap_record_##name, strings); \
									\
		tstruct							\
		return max_t(u32, size,					\
			     sizeof(struct rbmap_record_##name));	\
	}
#define __string(item, src)						\
		size += rbmap_string_measure(&strings->item, src, size);

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#undef __string

/* Fourth: does it have pointers, and how to hide them? */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	enum { rbmap_pointers_##name = 0 tstruct };
#undef __field
#define __field(type, item)		+ rbmap_is_pointer(type)
#define __string(item, src)

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#undef __field

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static __always_inline void					\
	rbmap_hide_##name(struct rbmap_record_##name *__entry)		\
	{								\
		tstruct							\
	}
#define __field(type, item)						\
		rbmap_field_hide(type, __entry->item);

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#undef __field
#undef __string

/*
 * Fifth: the callback.  A record with pointers to hide is put together on the
 * stack: what is in the ring can be seen at once.
 */
#define __field(type, item)
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static notrace __maybe_unused void				\
	rbmap_probe_##name(void *__data, proto)				\
	{								\
		struct rbmap_strings_##name strings rbmap_uninitialized; \
		struct rbmap_reservation r rbmap_uninitialized;		\
		u32 offset __maybe_unused =				\
			offsetof(struct rbmap_record_##name, strings);	\
		struct rbmap_record_##name __hidden rbmap_uninitialized; \
		struct rbmap_record_##name *__record, *__entry;		\
		const bool __hide = rbmap_pointers_##name &&		\
				    !rbmap_addresses_shown();		\
		u32 size;						\
									\
		size = rbmap_measure_##name(&strings, RBMAP_ARGS(args));	\
		__record = rbmap_event_reserve(__data, &r, size);	\
		if (!__record)						\
			return;						\
		__entry = __hide ? &__hidden : __record;		\
		if (__hide)						\
			memset(&__hidden, 0, sizeof(__hidden));		\
		tstruct							\
		{ assign }						\
		if (__hide) {						\
			__hidden.record = __record->record;		\
			rbmap_hide_##name(&__hidden);			\
			memcpy(__record, &__hidden,			\
			       offsetof(struct rbmap_record_##name,	\
					strings));			\
		}							\
		rbmap_commit(&r);					\
	}
#define RBMAP_ARGS(args...)		args
#define __string(item, src)						\
		__entry->__data_loc_##item =				\
			rbmap_string_place(__record, offset, &strings.item); \
		offset += strings.item.len;
/* __string has done it, where one knows how much room there is. */
#define __assign_str(item, ...)		do { } while (0)
#define __get_str(item)							\
		((char *)__record + (__entry->__data_loc_##item & 0xffff))
/* perf's own wishes */
#undef __perf_task
#undef __perf_count
#define __perf_task(task)		(task)
#define __perf_count(count)		(count)

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#undef __field
#undef __field_struct
#undef __array
#undef __string
#undef __assign_str
#undef __get_str
#undef RBMAP_ARGS

/* Sixth: what the format file says; __get_str() is a word of its language */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static const struct rbmap_field rbmap_fields_##name[]		\
						__maybe_unused = {	\
		tstruct							\
		{}							\
	};								\
	static const char rbmap_print_##name[] __maybe_unused = print;
#define __entry				REC
#define __field(type, item)		RBMAP_FIELD(type, item),
#define __field_struct(type, item)	RBMAP_FIELD_STRUCT(type, item),
#define __array(type, item, len)	RBMAP_FIELD_ARRAY(type, item, len),
#define __string(item, src)		RBMAP_FIELD_DYNAMIC(char, item),

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef __entry
#undef __field
#undef __field_struct
#undef __array
#undef __string

/*
 * Seventh: the events.  The one that this kernel's header lacks stays empty.
 */
#define rbmap_declare(_name)	static struct rbmap_event rbmap_event_##_name;
RBMAP_PROBES(rbmap_declare)
#undef rbmap_declare

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#define DEFINE_EVENT(_template, _name, _proto, _args)			\
	RBMAP_WHEN_FITS(_name,						\
		static struct rbmap_event rbmap_event_##_name = {	\
			.fields = rbmap_fields_##_template,		\
			.print_fmt = rbmap_print_##_template,		\
			.probe = rbmap_probe_##_template,		\
		};							\
		static inline __maybe_unused void			\
		rbmap_check_##_name(void)				\
		{							\
			check_trace_callback_type_##_name(		\
				rbmap_probe_##_template);		\
		})

#include RBMAP_TRACE_HEADER

#define rbmap_entry(_name) {						\
		.name = #_name,						\
		.event = &rbmap_event_##_name,				\
		.fits = __is_defined(RBMAP_FITS_##_name),		\
	},
static const struct rbmap_probe rbmap_probes[] = {
	RBMAP_PROBES(rbmap_entry)
	{}
};
#undef rbmap_entry

#ifdef RBMAP_TRACE_ENUMS
/*
 * Eighth: the constants, where a print format has them.  Inside of a function,
 * each becomes a statement.
 */
#undef DEFINE_EVENT
#undef TRACE_DEFINE_ENUM
#define DEFINE_EVENT(template, name, proto, args)
#define TRACE_DEFINE_ENUM(_constant)					\
	do {								\
		if (len == strlen(#_constant) &&			\
		    !memcmp(name, #_constant, len)) {			\
			*value = _constant;				\
			return true;					\
		}							\
	} while (0)

static bool rbmap_enum_value(const char *name, size_t len, long *value)
{
#include RBMAP_TRACE_HEADER
	return false;
}
#else
#define rbmap_enum_value	NULL
#endif

const struct rbmap_probe_set __PASTE(__PASTE(rbmap_, RBMAP_PROBE_SET), _probes) = {
	.system		= __stringify(RBMAP_PROBE_SET),
	.probes		= rbmap_probes,
	.enum_value	= rbmap_enum_value,
};
