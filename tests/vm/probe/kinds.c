// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events with each kind of field, on a tracepoint of a module and on one of the
 * kernel.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <trace/events/syscalls.h>

#include "source.h"

#include <rbmap/probe.h>

/* The same words as in ftrace's event. */
RBMAP_PROBE(kinds_hit, source_hit, SOURCE_PROTO, SOURCE_ARGS, SOURCE_FIELDS,
	    SOURCE_ASSIGN, SOURCE_PRINT);

/*
 * A text without a terminating zero; the member behind it shows a read beyond
 * its end.
 */
static const struct {
	char	text[4];
	char	behind[8];
} kinds_whole = { "less", "endless" };

/* Fields that ftrace does not have on all kernels, and pointers. */
RBMAP_PROBE(kinds_more, source_hit, SOURCE_PROTO, SOURCE_ARGS,
	TP_STRUCT__entry(
		__field(	const void *,	pointer			)
		__field(	unsigned long,	hidden			)
		__array(	const void *,	pointers, 2		)
		__string_len(	some,		"something",	4	)
		__string(	whole,		kinds_whole.text	)
		__cpumask(	cpus					)
		__bitmask(	few,		3			)
		__dynamic_array(char,		none,		0	)
	),
	TP_fast_assign(
		unsigned long few = 5;

		__entry->pointer = text;
		__entry->pointers[0] = text;
		__entry->pointers[1] = NULL;
		__entry->hidden = __get_dynamic_array_len(none);
		__assign_str_len(some, "something", 4);
		__assign_str(whole);
		__assign_cpumask(cpus, cpumask_bits(cpumask_of(number)));
		__assign_bitmask(few, &few, 3);
		if (strcmp(__get_str(some), "some"))
			__entry->hidden = 1;
	),
	TP_printk("some=%s whole=%s hidden=%lu pointer=%lx pointers=%s few=%s cpus=%s",
		  __get_str(some), __get_str(whole), __entry->hidden, (unsigned long)__entry->pointer,
		  __print_array(__entry->pointers, 2, 8),
		  __get_bitmask(few), __get_bitmask(cpus))
);

RBMAP_PROBE(kinds_enter, sys_enter,
	TP_PROTO(struct pt_regs *regs, long id),
	TP_ARGS(regs, id),
	TP_STRUCT__entry(__field(long, id)),
	TP_fast_assign(__entry->id = id;),
	TP_printk("%ld", __entry->id)
);

RBMAP_PROBE_ENUMS(SOURCE_EVEN, SOURCE_ODD);
RBMAP_MODULE_PROBES("kinds", kinds_hit, kinds_more, kinds_enter);

MODULE_DESCRIPTION("Events with each kind of field, to test probes of rbmap");
MODULE_LICENSE("GPL");
