/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Prints events of the kernel's tracers that trace-cmd report prints in its own way. These
 * are stacks of any length, calls and returns of function_graph, and texts of
 * trace_printk().
 */
#ifndef RBMAP_PRINT_TRACER_EVENTS_H
#define RBMAP_PRINT_TRACER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "print/fields/printer.h"

struct constants;
struct tep_event;
struct tracer_event;

/**
 * struct tracer_return - the return of a function, from the event funcgraph_exit
 * @duration: ns
 * @value: the value that the function returned, if @has_value
 */
struct tracer_return {
	uint64_t duration;
	uint64_t value;
	bool has_value;
};

/* Return NULL if this is another event, or if memory is lacking. */
struct tracer_event *tracer_event_new(struct tep_event *event, unsigned int long_size);

/**
 * struct tracer_print - how a record is printed
 * @leaf: the function's return, if it has called no other; or NULL
 * @lines: a stack has a line for each function; otherwise all are in one line
 * @constants: formats of trace_printk()
 */
struct tracer_print {
	const struct tracer_return *leaf;
	bool lines;
	const struct constants *constants;
};

/* Append the text of a record. It is printable if tracer_event_is_plain(). */
void tracer_event_print(const struct tracer_event *event, const char *record, uint32_t size,
			const struct tracer_print *how, find_symbol_fn *find, void *data,
			struct buf *out);
bool tracer_event_is_plain(const struct tracer_event *event);

/*
 * Do two records have the call of a function and its return? @call may be NULL. Store the
 * return. The records have the bytes that their events need.
 */
bool tracer_event_is_leaf(const struct tracer_event *call, const char *call_record,
			  const struct tracer_event *end, const char *end_record,
			  struct tracer_return *leaf);
bool tracer_event_is_call(const struct tracer_event *event);

#endif /* RBMAP_PRINT_TRACER_EVENTS_H */
