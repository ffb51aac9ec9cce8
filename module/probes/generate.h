/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generate probes from the kernel's own trace headers.
 *
 * A header like <trace/events/sched.h> defines a tracepoint completely: the prototype,
 * the record, how to fill it and how to print it.  It can be included again with other
 * definitions of its macros.  The generated probe is correct on each kernel, without a
 * list of the kernels' differences:
 *
 *	#include <trace/events/sched.h>
 *
 *	#define RBMAP_PROBE_SET		sched
 *	#define RBMAP_TRACE_HEADER	"trace/events/sched.h"
 *	#define RBMAP_PROBES(event)	event(sched_switch)
 *	#include "generate.h"
 *
 * defines struct rbmap_probe_set rbmap_sched_probes.  compat/probe.sh compiles each
 * probe for this kernel first, and defines RBMAP_FITS_<name> for those that compile;
 * the others are left out.
 *
 * build.c includes the files of all sets: a file undefines what it has defined for itself.
 *
 * An optional RBMAP_TRACE_ENUMS says that print formats name constants, which
 * are to be printed as numbers.
 *
 * #define RBMAP_WITHOUT_CLASS_<class> 1 leaves out a class.  Its code uses functions or
 * structures that only the file of the kernel with CREATE_TRACE_POINTS has.
 */
#include <linux/kconfig.h>
#include <linux/stringify.h>
#include <linux/tracepoint.h>

#include "probes.h"
#include "record.h"

#define RBMAP_OF_SET(_begin, _end)	__PASTE(__PASTE(_begin, RBMAP_PROBE_SET), _end)

#define RBMAP_WHEN_0(...)
#define RBMAP_WHEN_1(...)	__VA_ARGS__
#define RBMAP_WHEN(cond, ...)	__PASTE(RBMAP_WHEN_, cond)(__VA_ARGS__)
#define RBMAP_UNLESS_0(...)	__VA_ARGS__
#define RBMAP_UNLESS_1(...)
#define RBMAP_UNLESS(cond, ...)	__PASTE(RBMAP_UNLESS_, cond)(__VA_ARGS__)
#define RBMAP_WHEN_FITS(name, ...)					\
	RBMAP_WHEN(__is_defined(RBMAP_FITS_##name), __VA_ARGS__)

/* The next trace header finds the macros as the kernel defines them. */
#pragma push_macro("DECLARE_TRACE")
#pragma push_macro("DECLARE_TRACE_CONDITION")
#pragma push_macro("DECLARE_TRACE_SYSCALL")
#pragma push_macro("DECLARE_TRACE_EVENT")
#pragma push_macro("DECLARE_TRACE_EVENT_CONDITION")
#pragma push_macro("DECLARE_TRACE_EVENT_SYSCALL")
#pragma push_macro("DECLARE_EVENT_NOP")
#pragma push_macro("DECLARE_EVENT_CLASS_NOP")
#pragma push_macro("DEFINE_EVENT_NOP")
#pragma push_macro("DEFINE_EVENT_PRINT")
#pragma push_macro("TRACE_EVENT_NOP")
#pragma push_macro("TRACE_EVENT_FLAGS")
#pragma push_macro("TRACE_EVENT_PERF_PERM")
#pragma push_macro("TRACE_DEFINE_ENUM")
#pragma push_macro("TRACE_DEFINE_SIZEOF")
#pragma push_macro("TRACE_EVENT")
#pragma push_macro("TRACE_EVENT_FN")
#pragma push_macro("TRACE_EVENT_FN_COND")
#pragma push_macro("TRACE_EVENT_CONDITION")
#pragma push_macro("TRACE_EVENT_SYSCALL")
#pragma push_macro("DEFINE_EVENT_FN")
#pragma push_macro("DEFINE_EVENT_CONDITION")
#pragma push_macro("DECLARE_EVENT_CLASS")
#pragma push_macro("DEFINE_EVENT")

/*
 * Other declarations of the header expand to nothing.  <rbmap/record.h> has the macros
 * inside of a class.
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

#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
/*
 * If no probe of the header fits, its classes are left out, too: one of them may be what
 * does not compile.
 */
#define rbmap_fits_or(_name)	__is_defined(RBMAP_FITS_##_name) ||
#if RBMAP_PROBES(rbmap_fits_or) 0
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	RBMAP_UNLESS(__is_defined(RBMAP_WITHOUT_CLASS_##name),		\
		RBMAP_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print));)
#else
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#endif
#undef rbmap_fits_or
#define DEFINE_EVENT(template, name, proto, args)			\
	RBMAP_WHEN_FITS(name,						\
		static struct rbmap_event_type rbmap_event_##name = {	\
			RBMAP_EVENT_OF_CLASS(template),			\
		};							\
		RBMAP_CHECK_PROTO(name, template, name, PARAMS(proto));)

/* The one that this kernel's header lacks stays empty. */
#define rbmap_declare(_name)	static struct rbmap_event_type rbmap_event_##_name;
RBMAP_PROBES(rbmap_declare)
#undef rbmap_declare

/* The header is read again. */
#undef TRACE_HEADER_MULTI_READ
#define TRACE_HEADER_MULTI_READ

#include RBMAP_TRACE_HEADER

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#define rbmap_entry(_name) {						\
		.name = #_name,						\
		.event = &rbmap_event_##_name,				\
		.fits = __is_defined(RBMAP_FITS_##_name),		\
	},
static const struct rbmap_probe RBMAP_OF_SET(rbmap_, _probe_list)[] = {
	RBMAP_PROBES(rbmap_entry)
	{}
};
#undef rbmap_entry

#ifdef RBMAP_TRACE_ENUMS
/*
 * Once more: the constants, where a print format has them.  Inside of a
 * function, each becomes a statement.
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

static bool RBMAP_OF_SET(rbmap_, _enum_value)(const char *name, size_t len, long *value)
{
#include RBMAP_TRACE_HEADER
	return false;
}
#endif

const struct rbmap_probe_set RBMAP_OF_SET(rbmap_, _probes) = {
	.system		= __stringify(RBMAP_PROBE_SET),
	.probes		= RBMAP_OF_SET(rbmap_, _probe_list),
#ifdef RBMAP_TRACE_ENUMS
	.enum_value	= RBMAP_OF_SET(rbmap_, _enum_value),
#endif
};

#pragma pop_macro("DECLARE_TRACE")
#pragma pop_macro("DECLARE_TRACE_CONDITION")
#pragma pop_macro("DECLARE_TRACE_SYSCALL")
#pragma pop_macro("DECLARE_TRACE_EVENT")
#pragma pop_macro("DECLARE_TRACE_EVENT_CONDITION")
#pragma pop_macro("DECLARE_TRACE_EVENT_SYSCALL")
#pragma pop_macro("DECLARE_EVENT_NOP")
#pragma pop_macro("DECLARE_EVENT_CLASS_NOP")
#pragma pop_macro("DEFINE_EVENT_NOP")
#pragma pop_macro("DEFINE_EVENT_PRINT")
#pragma pop_macro("TRACE_EVENT_NOP")
#pragma pop_macro("TRACE_EVENT_FLAGS")
#pragma pop_macro("TRACE_EVENT_PERF_PERM")
#pragma pop_macro("TRACE_DEFINE_ENUM")
#pragma pop_macro("TRACE_DEFINE_SIZEOF")
#pragma pop_macro("TRACE_EVENT")
#pragma pop_macro("TRACE_EVENT_FN")
#pragma pop_macro("TRACE_EVENT_FN_COND")
#pragma pop_macro("TRACE_EVENT_CONDITION")
#pragma pop_macro("TRACE_EVENT_SYSCALL")
#pragma pop_macro("DEFINE_EVENT_FN")
#pragma pop_macro("DEFINE_EVENT_CONDITION")
#pragma pop_macro("DECLARE_EVENT_CLASS")
#pragma pop_macro("DEFINE_EVENT")
#undef RBMAP_PROBE_SET
#undef RBMAP_TRACE_HEADER
#undef RBMAP_PROBES
#undef RBMAP_TRACE_ENUMS
#undef TRACE_HEADER_MULTI_READ
