/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Define your own events: a tracepoint, or a call of your driver's, the fields of a record,
 * and how to fill them.
 *
 *	#include <linux/module.h>
 *	#include <trace/events/sched.h>
 *	#include <rbmap/probe.h>
 *
 *	RBMAP_PROBE(my_exit, sched_process_exit, ...);
 *	RBMAP_MODULE_PROBES("mysystem", my_exit);
 *	MODULE_LICENSE("GPL");
 *
 * The macros inside are those of TRACE_EVENT() and have the same meaning:
 *
 *	fields	__field(type, item), __field_struct(type, item),
 *		__array(type, item, length), __string(item, source),
 *		__string_len(item, source, length),
 *		__dynamic_array(type, item, length), __bitmask(item, bits),
 *		__cpumask(item)
 *	fill	__entry->item, __assign_str(item), __get_str(item),
 *		__get_dynamic_array(item), __get_dynamic_array_len(item),
 *		__assign_bitmask(item, source, bits),
 *		__assign_cpumask(item, source)
 *	print	the macros that libtraceevent knows: __entry->item, __get_str(item),
 *		__get_bitmask(item), __print_flags(), __print_symbolic(), ...
 *
 * A string that is too long for a record is truncated.  A record with an array that
 * is too long is dropped and counted as `dropped too large`.  Pointers are hashed
 * unless the buffer has kptr=1.  `#define RBMAP_ADDRESS_item 1` declares that
 * an integer field holds an address and must be hashed as well.
 */
#ifndef RBMAP_PROBE_H
#define RBMAP_PROBE_H

#include <linux/module.h>
#include <rbmap/event.h>
#include <rbmap/record.h>

/* A constant in a print format, and its value for user space. */
struct rbmap_enum {
	const char	*name;
	long		value;
};

/* A tentative definition: RBMAP_PROBE_ENUMS() defines it, if the file has one. */
static const struct rbmap_enum *const rbmap_probe_enums __maybe_unused;

static __maybe_unused bool rbmap_probe_enum_value(const char *name, size_t len,
						  long *value);

/**
 * RBMAP_PROBE - define an event
 * @_name: name of the event; a C identifier
 * @_tracepoint: name of the tracepoint, whose header is included.  The tracepoint may
 *	belong to a module that is loaded later
 * @_proto: TP_PROTO(): the exact parameters of the tracepoint
 * @_args: TP_ARGS(): the names of the parameters
 * @_fields: TP_STRUCT__entry(): the fields of a record
 * @_assign: TP_fast_assign(): code that fills the fields, in the context of the
 *	tracepoint: it must not sleep and must not return
 * @_print: TP_printk(): format of the printed event
 *
 * RBMAP_MODULE_PROBES() or rbmap_events_register() registers the event.
 */
#define RBMAP_PROBE(_name, _tracepoint, _proto, _args, _fields, _assign, _print) \
	RBMAP_CLASS(_name, PARAMS(_proto), PARAMS(_args), PARAMS(_fields), \
		    PARAMS(_assign), PARAMS(_print));			\
	RBMAP_CHECK_PROTO(_name, _name, _tracepoint, PARAMS(_proto));	\
	static struct rbmap_event_type rbmap_event_##_name = {		\
		RBMAP_EVENT_OF_CLASS(_name),				\
		.name = #_name,						\
		.tracepoint = #_tracepoint,				\
		.enum_value = rbmap_probe_enum_value,			\
		.waits = true,						\
	}

/**
 * RBMAP_DRIVER_EVENT - define an event that a driver writes by a call
 * @_name: name of the event; a C identifier
 * @_proto: TP_PROTO(): the parameters of the function rbmap_trace_NAME()
 * @_args: TP_ARGS(): the names of the parameters
 * @_fields: TP_STRUCT__entry(): the fields of a record
 * @_assign: TP_fast_assign(): code that fills the fields; it must not sleep and must not
 *	return
 * @_print: TP_printk(): format of the printed event
 *
 * The macro defines rbmap_trace_NAME(), which can be called from any context, NMI
 * included.  It writes a record into each buffer in which the event is enabled.  It costs
 * a load and a branch if no buffer has it enabled.  A driver's own buffer has the event from
 * the beginning: struct rbmap_buffer_config names it in @events.  RBMAP_PROBE_TABLE()
 * makes that array.  No buffer gets records before, or after rbmap_buffer_destroy().
 *
 *	RBMAP_DRIVER_EVENT(request,
 *		TP_PROTO(u32 sector, u32 bytes), TP_ARGS(sector, bytes),
 *		TP_STRUCT__entry(__field(u32, sector) __field(u32, bytes)),
 *		TP_fast_assign(
 *			__entry->sector = sector;
 *			__entry->bytes = bytes;),
 *		TP_printk("%u bytes at %u", __entry->bytes, __entry->sector));
 *	RBMAP_PROBE_TABLE(my_events, request);
 */
#define RBMAP_DRIVER_EVENT(_name, _proto, _args, _fields, _assign, _print) \
	RBMAP_CLASS(_name, PARAMS(_proto), PARAMS(_args), PARAMS(_fields), \
		    PARAMS(_assign), PARAMS(_print));			\
	static struct rbmap_called *rbmap_called_##_name;		\
	static struct rbmap_event_type rbmap_event_##_name = {		\
		RBMAP_EVENT_OF_CLASS(_name),				\
		.name = #_name,						\
		.enum_value = rbmap_probe_enum_value,			\
		.called = &rbmap_called_##_name,			\
	};								\
	static notrace __maybe_unused void rbmap_trace_##_name(_proto)	\
	{								\
		const struct rbmap_called *__called =			\
			rbmap_called_begin(&rbmap_called_##_name);	\
		struct rbmap_event_file *__file;			\
		unsigned int __i;					\
									\
		for (__i = 0; __called && __i < __called->nr; __i++) {	\
			__file = rbmap_called_file(__called, __i);	\
			if (__file)					\
				rbmap_probe_##_name(__file, _args);	\
		}							\
		rbmap_called_end();					\
	}								\
	static_assert(1)

/**
 * RBMAP_MODULE_PROBES - register events while the module is loaded
 * @_system: name of their group, a string
 * @_names: names of events of RBMAP_PROBE()
 *
 * The macro replaces module_init() and module_exit().
 */
#define RBMAP_MODULE_PROBES(_system, _names...)				\
	RBMAP_PROBE_TABLE(rbmap_module_events, _names);			\
	static int __init rbmap_module_probes_init(void)		\
	{								\
		return rbmap_events_register(_system, rbmap_module_events); \
	}								\
	static void __exit rbmap_module_probes_exit(void)		\
	{								\
		rbmap_events_unregister(rbmap_module_events);		\
	}								\
	module_init(rbmap_module_probes_init);				\
	module_exit(rbmap_module_probes_exit)

/**
 * RBMAP_PROBE_TABLE - define an array of events
 * @_table: name of the array
 * @_names: names of events of RBMAP_PROBE() or RBMAP_DRIVER_EVENT()
 *
 * For rbmap_events_register() in a module that has its own init function, or for the
 * buffer of a driver.
 */
#define RBMAP_PROBE_TABLE(_table, _names...)				\
	static struct rbmap_event_type *const _table[] = {		\
		RBMAP_EACH(RBMAP_PROBE_EVENT, _names)			\
		NULL							\
	}

/**
 * RBMAP_PROBE_ENUMS - publish the values of constants in print formats
 * @_names: enumerators or macros that TP_printk() uses, for instance in
 *	__print_symbolic()
 *
 * Use it once in a file, before RBMAP_MODULE_PROBES().
 */
#define RBMAP_PROBE_ENUMS(_names...)					\
	static const struct rbmap_enum *const rbmap_probe_enums =	\
		(const struct rbmap_enum[]) {				\
			RBMAP_EACH(RBMAP_PROBE_ENUM, _names)		\
			{}						\
		}

#define RBMAP_PROBE_EVENT(_name)	&rbmap_event_##_name,
#define RBMAP_PROBE_ENUM(_name)		{ .name = #_name, .value = _name },

/* RBMAP_EACH(macro, a, b) expands to macro(a) macro(b), for up to 256 arguments. */
#define RBMAP_EACH(macro, ...)						\
	__VA_OPT__(RBMAP_AGAIN_4(RBMAP_EACH_STEP(macro, __VA_ARGS__)))
#define RBMAP_EACH_STEP(macro, first, ...)				\
	macro(first)							\
	__VA_OPT__(RBMAP_EACH_NEXT RBMAP_NOTHING() () (macro, __VA_ARGS__))
#define RBMAP_EACH_NEXT()	RBMAP_EACH_STEP
#define RBMAP_NOTHING()
#define RBMAP_AGAIN_4(...)	RBMAP_AGAIN_3(RBMAP_AGAIN_3(RBMAP_AGAIN_3(RBMAP_AGAIN_3(__VA_ARGS__))))
#define RBMAP_AGAIN_3(...)	RBMAP_AGAIN_2(RBMAP_AGAIN_2(RBMAP_AGAIN_2(RBMAP_AGAIN_2(__VA_ARGS__))))
#define RBMAP_AGAIN_2(...)	RBMAP_AGAIN_1(RBMAP_AGAIN_1(RBMAP_AGAIN_1(RBMAP_AGAIN_1(__VA_ARGS__))))
#define RBMAP_AGAIN_1(...)	__VA_ARGS__

static bool rbmap_probe_enum_value(const char *name, size_t len, long *value)
{
	const struct rbmap_enum *constant = rbmap_probe_enums;

	for (; constant && constant->name; constant++) {
		if (strlen(constant->name) == len &&
		    !memcmp(constant->name, name, len)) {
			*value = constant->value;
			return true;
		}
	}
	return false;
}

#endif /* RBMAP_PROBE_H */
