// SPDX-License-Identifier: GPL-2.0-only
/*
 * A later version of source.c: the record of its event has one more field.  While the event of
 * number 77 is recorded, another one happens, for which the kernel has no record then.  A
 * write to the parameter uncounted lets rbmap get a record without a call, as on a processor to
 * which the task has come between the two.  The parameter own_fields makes the event like those
 * of user_events: only a function of the event knows its fields.
 */
#define SOURCE_CHANGED
#include "source.c"

typedef void (*source_probe_fn)(void *data, int number, const char *text, const u64 *words);

static u32 source_nested(int number)
{
	if (number == 77)
		trace_source_hit(0, "", source_words);
	return number;
}

/* rbmap has a copy of the event's structure, and no one else is at the tracepoint. */
static int uncounted_set(const char *line, const struct kernel_param *param)
{
	const struct tracepoint_func *func;
	struct trace_event_call *call;

	preempt_disable();
	func = rcu_dereference_raw(__tracepoint_source_hit.funcs);
	if (func) {
		call = func->data;
		((source_probe_fn)call->class->perf_probe)(call, 0, "", source_words);
	}
	preempt_enable();
	return func ? 0 : -ENODEV;
}

static const struct kernel_param_ops uncounted_ops = { .set = uncounted_set };

module_param_cb(uncounted, &uncounted_ops, NULL, 0200);

static struct list_head *own_fields(struct trace_event_call *call)
{
	return &call->class->fields;
}

static int own_fields_set(const char *line, const struct kernel_param *param)
{
	event_source_hit.class->get_fields = own_fields;
	return 0;
}

static const struct kernel_param_ops own_fields_ops = { .set = own_fields_set };

module_param_cb(own_fields, &own_fields_ops, NULL, 0);
