// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of the kernel's own trace events.  The kernel has a function for each of them
 * that fills a record for perf.  It gets a struct trace_event_call, and hands the record to
 * the listeners that this structure names.  An alias is a copy of the structure with
 * listeners of our own.  So each event has ftrace's fields, and needs no definition here.
 */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat/context.h"
#include "compat/perf.h"
#include "event/registry.h"
#include "event/source.h"
#include "kernel_event.h"
#include "kernel_record.h"
#include "lib/log.h"
#include "listeners.h"
#include "self_check.h"
#include "tracefs_text.h"
#include "tracepoint.h"

/* Protects the list and the number of aliases; taken before the registry's lock. */
static DEFINE_MUTEX(rbmap_kernel_events_lock);
static LIST_HEAD(rbmap_kernel_events);
static unsigned int rbmap_aliases_nr;

/* Found by the first use, for as long as the module is loaded */
static enum rbmap_way rbmap_way;
static const char *rbmap_way_reason;
static bool rbmap_way_checked;

static struct rbmap_listener rbmap_quiet = { .handler = rbmap_alias_overflow };
static struct hlist_head __percpu *rbmap_quiet_list;

static struct rbmap_kernel_event *rbmap_kernel_event_of(const struct rbmap_event_type *type)
{
	return container_of(type, struct rbmap_kernel_event, type);
}

/* Has the kernel a tracepoint and a function that fills a record for it? */
static bool rbmap_call_suits(const struct trace_event_call *call)
{
	return call->flags & TRACE_EVENT_FL_TRACEPOINT && !rbmap_call_is_custom(call) &&
	       !rbmap_call_is_users(call) && call->tp && call->class->perf_probe &&
	       call->class->fields_array;
}

static unsigned int rbmap_call_fields(const struct trace_event_call *call)
{
	const struct trace_event_fields *from = call->class->fields_array;
	unsigned int nr = 0;

	while (from[nr].type)
		nr++;
	return nr;
}

static bool rbmap_call_has_callback(const struct trace_event_call *call)
{
	const struct trace_event_fields *from = call->class->fields_array;

	for (; from->type; from++) {
		if (from->type == TRACE_FUNCTION_TYPE)
			return true;
	}
	return false;
}

/*
 * Elements of an array, from its type such as "char[16]" or "u8[0x10]".  Return 0 if the
 * length is a constant's name or an expression.
 */
static int rbmap_array_elements(const char *bracket)
{
	int elements;
	char end;

	return sscanf(bracket, "[%i%c", &elements, &end) == 2 && end == ']' ? elements : 0;
}

static int rbmap_field_set_length(struct rbmap_field *to,
				  const struct trace_event_fields *from,
				  const char *bracket)
{
	to->len = rbmap_array_elements(bracket);
	if (to->len)
		return 0;
	to->len = from->size / (from->align ?: 1);
	if (!RBMAP_LENGTH_AS_WRITTEN)
		return 0;
	to->length = kstrndup(bracket + 1, strcspn(bracket + 1, "]"), GFP_KERNEL);
	return to->length ? 0 : -ENOMEM;
}

static int rbmap_field_copy(struct rbmap_field *to, const struct trace_event_fields *from)
{
	const char *bracket = strchr(from->type, '[');

	if (strstarts(from->type, "__data_loc"))
		bracket = NULL;
	to->type = bracket ? kstrndup(from->type, bracket - from->type, GFP_KERNEL) :
			     kstrdup(from->type, GFP_KERNEL);
	to->name = kstrdup(from->name, GFP_KERNEL);
	to->size = from->size;
	to->align = from->align;
	to->is_signed = from->is_signed;
	if (bracket && rbmap_field_set_length(to, from, bracket))
		return -ENOMEM;
	return to->type && to->name ? 0 : -ENOMEM;
}

static bool rbmap_field_is_array(const struct trace_event_fields *from)
{
	return strchr(from->type, '[') &&
	       !strstarts(from->type, "__data_loc");
}

static bool rbmap_field_same(const struct rbmap_field *field,
			     const struct trace_event_fields *from)
{
	size_t len = strcspn(from->type, rbmap_field_is_array(from) ? "[" : "");

	return strlen(field->type) == len && !memcmp(field->type, from->type, len) &&
	       !strcmp(field->name, from->name) && field->size == from->size &&
	       field->align == from->align && field->is_signed == from->is_signed;
}

/* A module may come again with another record. */
static bool rbmap_kernel_event_same(const struct rbmap_kernel_event *event,
				    const struct trace_event_call *call)
{
	const struct trace_event_fields *from = call->class->fields_array;
	const struct rbmap_field *field = event->fields;

	for (; field->name && from->type; field++, from++) {
		if (!rbmap_field_same(field, from))
			return false;
	}
	return !field->name && !from->type;
}

static void rbmap_kernel_event_free(struct rbmap_kernel_event *event)
{
	struct rbmap_field *field;

	for (field = event->fields; field->type || field->name; field++) {
		kfree(field->type);
		kfree(field->name);
		kfree(field->length);
	}
	kfree(event->type.system);
	kfree(event->type.name);
	kfree(event->type.tracepoint);
	kvfree(event->type.print_fmt);
	free_percpu(event->count);
	kvfree(event);
}

static char *rbmap_kvstrdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = kvmalloc(size, GFP_KERNEL);

	return copy ? memcpy(copy, text, size) : NULL;
}

static int rbmap_kernel_event_copy(struct rbmap_kernel_event *event, const char *system,
				   const char *name, const struct trace_event_call *call)
{
	const struct trace_event_fields *from = call->class->fields_array;
	struct rbmap_field *field;
	int err;

	event->count = alloc_percpu(struct rbmap_alias_count);
	event->type = (struct rbmap_event_type) {
		.system		= kstrdup(system, GFP_KERNEL),
		.name		= kstrdup(name, GFP_KERNEL),
		.tracepoint	= kstrdup(call->tp->name, GFP_KERNEL),
		.print_fmt	= rbmap_kvstrdup(call->print_fmt),
		.fields		= event->fields,
		.source		= &rbmap_kernel_source,
		.waits		= true,
		.whole		= true,
		.replaceable	= true,
		.on_demand	= true,
	};
	if (!event->count || !event->type.system || !event->type.name ||
	    !event->type.tracepoint || !event->type.print_fmt)
		return -ENOMEM;
	for (field = event->fields; from->type; field++, from++) {
		err = rbmap_field_copy(field, from);
		if (err)
			return err;
	}
	return rbmap_record_layout_init(&event->layout, event->fields);
}

/*
 * The copies must stay valid without the module that has the event: it may be unloaded, and
 * come again.
 */
static struct rbmap_kernel_event *rbmap_kernel_event_create(const char *system,
							     const char *name,
							     const struct trace_event_call *call)
{
	struct rbmap_kernel_event *event;
	unsigned int nr;
	int err;

	if (!rbmap_call_suits(call) || rbmap_call_has_callback(call))
		return ERR_PTR(-EOPNOTSUPP);
	nr = rbmap_call_fields(call);
	event = kvzalloc(struct_size(event, fields, nr + 1), GFP_KERNEL);
	if (!event)
		return ERR_PTR(-ENOMEM);
	err = rbmap_kernel_event_copy(event, system, name, call);
	if (err) {
		rbmap_kernel_event_free(event);
		return ERR_PTR(err);
	}
	return event;
}

/* Give the event a number, and let the registry have it. */
static int rbmap_kernel_event_add(struct rbmap_kernel_event *event)
{
	int err;

	lockdep_assert_held(&rbmap_kernel_events_lock);
	if (rbmap_aliases_nr == RBMAP_ALIASES_MAX)
		return -ENOSPC;
	event->number = RBMAP_ALIAS_FIRST - rbmap_aliases_nr;
	err = rbmap_event_register(&event->type);
	if (err)
		return err;
	WRITE_ONCE(rbmap_aliases[rbmap_aliases_nr++], event);
	list_add_tail(&event->list, &rbmap_kernel_events);
	return 0;
}

/*
 * The listeners of aliases listen to an event of the kernel that happens only during boot,
 * so that its list hears nothing but records of aliases.  It cannot be an event of this
 * module, which would then hold a reference to itself.
 */
static int rbmap_quiet_find(struct rbmap_listener *listener, struct hlist_head __percpu **list)
{
	struct trace_event_file *file = trace_get_event_file(NULL, "initcall", "initcall_level");

	if (IS_ERR(file))
		return PTR_ERR(file);
	listener->type = file->event_call->event.type;
	*list = file->event_call->perf_events;
	trace_put_event_file(file);
	return 0;
}

static int rbmap_quiet_start(void)
{
	struct hlist_head __percpu *list;
	int err;

	/* The search goes through all events of the kernel: not again for each that is made. */
	if (rbmap_quiet_list)
		return rbmap_listener_start(&rbmap_quiet);
	err = rbmap_quiet_find(&rbmap_quiet, &list);
	if (!err)
		err = rbmap_listener_start(&rbmap_quiet);
	/* The kernel makes the list for the first listener. */
	return err ?: rbmap_quiet_find(&rbmap_quiet, &rbmap_quiet_list);
}

/* Let @event->call be a copy of the kernel's structure, with listeners of our own. */
static void rbmap_kernel_event_alias(struct rbmap_kernel_event *event,
				     const struct trace_event_call *call)
{
	event->perf_probe = call->class->perf_probe;
	event->call = *call;
	event->call.event.type = event->number;
	event->call.perf_events = rbmap_quiet_list;
	RCU_INIT_POINTER(event->call.prog_array, NULL);
}

/* A kernel with control-flow integrity checks the type of the probe that it calls. */
static void *rbmap_alias_probe(const struct rbmap_kernel_event *event)
{
#if RBMAP_COUNTS_CALLS
	return rbmap_alias_count_call;
#else
	return event->perf_probe;
#endif
}

static u64 rbmap_alias_calls(const struct rbmap_kernel_event *event)
{
	u64 calls = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		calls += per_cpu_ptr(event->count, cpu)->calls;
	return calls;
}

/* Check an alias of the event that happens only during boot. */
static const char *rbmap_alias_check(struct rbmap_kernel_event *event,
				     struct trace_event_call *call)
{
	const u64 calls = rbmap_alias_calls(event);
	const char *wrong;

	event->number = RBMAP_CHECK_NUMBER;
	rbmap_kernel_event_alias(event, call);
	wrong = rbmap_self_check(rbmap_alias_probe(event), &event->call, event->number,
				 rbmap_tracepoint_preempt(call->tp), &event->layout);
	if (!wrong && RBMAP_COUNTS_CALLS && rbmap_alias_calls(event) != calls + RBMAP_CHECK_CALLS)
		wrong = "a call was not counted";
	return wrong;
}

/* Check the event itself: a perf event for each CPU and event gets such records. */
static const char *rbmap_perf_check(struct rbmap_kernel_event *event,
				    struct trace_event_call *call)
{
	return rbmap_self_check(call->class->perf_probe, call, call->event.type,
				rbmap_tracepoint_preempt(call->tp), &event->layout);
}

/* A CPU that has come on line a moment ago has no listener yet: try again. */
static const char *rbmap_way_try(struct rbmap_kernel_event *event,
				 struct trace_event_call *call,
				 const char *(*check)(struct rbmap_kernel_event *event,
						      struct trace_event_call *call))
{
	const char *wrong = NULL;
	unsigned int tries;

	for (tries = 0; tries < 3; tries++) {
		rbmap_listeners_settle();
		wrong = check(event, call);
		if (!wrong)
			break;
	}
	return wrong;
}

static void rbmap_way_set(enum rbmap_way way, const char *reason)
{
	lockdep_assert_held(&rbmap_kernel_events_lock);
	if (rbmap_way != way && reason)
		rbmap_warn("the kernel's own events %s: %s\n", way == RBMAP_WAY_PERF ?
			   "need a perf event for each event and CPU" :
			   "cannot be recorded", reason);
	rbmap_way_reason = reason;
	WRITE_ONCE(rbmap_way, way);
}

static void rbmap_way_find(struct rbmap_kernel_event *event, struct trace_event_call *call)
{
	const char *wrong = rbmap_way_try(event, call, rbmap_alias_check);

	if (!wrong)
		rbmap_way_set(RBMAP_WAY_ALIAS, NULL);
	else if (!rbmap_way_try(event, call, rbmap_perf_check))
		rbmap_way_set(RBMAP_WAY_PERF, wrong);
	else
		rbmap_way_set(RBMAP_WAY_NONE, wrong);
	rbmap_way_checked = true;
}

static int rbmap_way_check(void)
{
	struct trace_event_file *file = trace_get_event_file(NULL, "initcall", "initcall_level");
	struct rbmap_kernel_event *event;

	if (IS_ERR(file))
		return PTR_ERR(file);
	event = rbmap_kernel_event_create("initcall", "initcall_level", file->event_call);
	if (!IS_ERR(event)) {
		rbmap_way_find(event, file->event_call);
		rbmap_kernel_event_free(event);
	}
	trace_put_event_file(file);
	return PTR_ERR_OR_ZERO(event);
}

static int rbmap_kernel_events_start(void)
{
	struct rbmap_kernel_event **aliases;
	int err;

	lockdep_assert_held(&rbmap_kernel_events_lock);
	if (!rbmap_aliases) {
		aliases = kvcalloc(RBMAP_ALIASES_MAX, sizeof(*aliases), GFP_KERNEL);
		if (!aliases)
			return -ENOMEM;
		/* No record of an alias comes before the first alias. */
		WRITE_ONCE(rbmap_aliases, aliases);
	}
	err = rbmap_quiet_start();
	if (rbmap_way_checked)
		return err;
	if (!err)
		err = rbmap_way_check();
	if (err && err != -ENOMEM)
		rbmap_way_set(RBMAP_WAY_NONE, "the kernel refuses perf events of initcall:initcall_level");
	return err;
}

static int rbmap_kernel_event_make_locked(const char *system, const char *name)
{
	struct rbmap_kernel_event *event;
	struct trace_event_file *file;
	int err;

	lockdep_assert_held(&rbmap_kernel_events_lock);
	file = trace_get_event_file(NULL, system, name);
	if (IS_ERR(file))
		return -ENOENT;
	event = rbmap_kernel_event_create(system, name, file->event_call);
	trace_put_event_file(file);
	if (IS_ERR(event))
		return PTR_ERR(event);
	err = rbmap_kernel_event_add(event);
	if (err)
		rbmap_kernel_event_free(event);
	return err;
}

static int rbmap_kernel_event_make(const char *system, const char *name)
{
	int err;

	mutex_lock(&rbmap_kernel_events_lock);
	err = rbmap_kernel_events_start();
	if (!err)
		err = rbmap_way == RBMAP_WAY_ALIAS ?
		      rbmap_kernel_event_make_locked(system, name) : -ENOENT;
	mutex_unlock(&rbmap_kernel_events_lock);
	return err;
}

/*
 * The tracepoint is not freed while the registry's lock is held, and the module of the
 * event holds the rest as long as there is a reference to it.
 */
static const char *rbmap_kernel_event_find(struct rbmap_event_type *type)
{
	struct rbmap_kernel_event *event = rbmap_kernel_event_of(type);
	struct tracepoint *tp = rbmap_tracepoint_find(type->tracepoint);
	const struct trace_event_call *call;
	struct trace_event_file *file;
	const char *refused = NULL;

	WRITE_ONCE(type->origin, NULL);
	if (!tp)
		return NULL;
	file = trace_get_event_file(NULL, type->system, type->name);
	if (IS_ERR(file))
		return NULL;
	call = file->event_call;
	if (!rbmap_call_suits(call) || rbmap_call_has_callback(call) ||
	    !rbmap_kernel_event_same(event, call)) {
		refused = "the event's module has come again with other fields: name it again";
	} else if (call->tp == tp) {
		rbmap_kernel_event_alias(event, call);
		WRITE_ONCE(type->origin, tp);
	}
	trace_put_event_file(file);
	return refused;
}

static int rbmap_kernel_event_attach(const struct rbmap_event_type *type, void *data)
{
	struct rbmap_kernel_event *event = rbmap_kernel_event_of(type);

	WRITE_ONCE(event->file, data);
	return tracepoint_probe_register(type->origin, rbmap_alias_probe(event),
					 &event->call);
}

static int rbmap_kernel_event_detach(const struct rbmap_event_type *type, void *data)
{
	struct rbmap_kernel_event *event = rbmap_kernel_event_of(type);

	return tracepoint_probe_unregister(type->origin, rbmap_alias_probe(event),
					   &event->call);
}

/*
 * A call that runs now counts as missed until its record is there.  Where calls are not
 * counted, each one seems to be received.
 */
static void rbmap_kernel_event_count(const struct rbmap_event_type *type, int cpu,
				     struct rbmap_source_count *count)
{
	const struct rbmap_alias_count *here =
		per_cpu_ptr(rbmap_kernel_event_of(type)->count, cpu);

	count->received = READ_ONCE(here->received);
	count->calls = RBMAP_COUNTS_CALLS ? READ_ONCE(here->calls) : count->received;
}

/**
 * rbmap_kernel_way - how records of the kernel's own events arrive
 *
 * Context: any.
 * Return: the way.
 */
enum rbmap_way rbmap_kernel_way(void)
{
	return READ_ONCE(rbmap_way);
}

static char *rbmap_kernel_event_names(void)
{
	return rbmap_kernel_way() == RBMAP_WAY_NONE ? NULL : rbmap_tracefs_events();
}

static const char *rbmap_kernel_event_way(const char **reason)
{
	static const char *const names[] = {
		[RBMAP_WAY_UNCHECKED]	= "unchecked",
		[RBMAP_WAY_ALIAS]	= "alias",
		[RBMAP_WAY_PERF]	= "perf",
		[RBMAP_WAY_NONE]	= RBMAP_SOURCE_NO_WAY,
	};
	enum rbmap_way way;

	mutex_lock(&rbmap_kernel_events_lock);
	way = rbmap_way;
	*reason = rbmap_way_reason;
	mutex_unlock(&rbmap_kernel_events_lock);
	return names[way];
}

const struct rbmap_source rbmap_kernel_source = {
	.name	= "kernel",
	.find	= rbmap_kernel_event_find,
	.attach	= rbmap_kernel_event_attach,
	.detach	= rbmap_kernel_event_detach,
	.make	= rbmap_kernel_event_make,
	.names	= rbmap_kernel_event_names,
	.way	= rbmap_kernel_event_way,
	.count	= rbmap_kernel_event_count,
};

/**
 * rbmap_kernel_events_exit - free all events of the kernel
 *
 * Context: sleeps; all buffers were already removed.
 */
void rbmap_kernel_events_exit(void)
{
	struct rbmap_kernel_event *event, *next;

	list_for_each_entry(event, &rbmap_kernel_events, list) {
		/* An event with the fields of a later module has taken its place already. */
		if (!list_empty(&event->type.list))
			rbmap_event_forget(&event->type);
	}
	rbmap_listener_stop(&rbmap_quiet);
	rbmap_listeners_exit();
	rbmap_tracefs_text_exit();
	list_for_each_entry_safe(event, next, &rbmap_kernel_events, list)
		rbmap_kernel_event_free(event);
	kvfree(rbmap_aliases);
}
