// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of system calls.  The kernel has two tracepoints for all of them, and its own
 * description of each call.  Names, fields and text are those of the format file in tracefs.
 * A call of which the kernel also records memory of the process is a foreign event.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <trace/syscall.h>

#include "compat/perf.h"
#include "event/registry.h"
#include "event/source.h"
#include "format_text.h"
#include "syscall_event.h"
#include "tracepoint.h"

/* Protects the list of events. */
static DEFINE_MUTEX(rbmap_syscall_events_lock);
static LIST_HEAD(rbmap_syscall_events);

/* Only attach() and detach() change @attached and @event, under rbmap_event_files_lock. */
static struct rbmap_syscall_point rbmap_syscall_points[] = {
	{ .name = "sys_enter", .probe = rbmap_syscall_enter },
	{ .name = "sys_exit", .probe = rbmap_syscall_exit },
};

static struct rbmap_syscall_event *rbmap_syscall_event_of(const struct rbmap_event_type *type)
{
	return container_of(type, struct rbmap_syscall_event, type);
}

/* @call: an event of the system "syscalls".  Somebody may have made a kprobe there. */
static bool rbmap_syscall_describe(struct rbmap_syscall_event *event,
				   const struct trace_event_call *call)
{
	const struct syscall_metadata *syscall = rbmap_call_is_made(call) ? NULL : call->data;

	if (!syscall || syscall->syscall_nr < 0 || syscall->syscall_nr >= NR_syscalls)
		return false;
	if (call != syscall->enter_event && call != syscall->exit_event)
		return false;
	event->call = call;
	event->nr = syscall->syscall_nr;
	event->point = &rbmap_syscall_points[call == syscall->exit_event];
	return true;
}

/* Find what the kernel knows of the call.  Its event lives as long as the kernel. */
static int rbmap_syscall_look(struct rbmap_syscall_event *event, const char *system,
			      const char *name)
{
	struct trace_event_file *file = trace_get_event_file(NULL, system, name);
	bool found;

	if (IS_ERR(file))
		return -ENOENT;
	found = rbmap_syscall_describe(event, file->event_call);
	trace_put_event_file(file);
	return found ? 0 : -ENOENT;
}

/* Is it a member of struct rbmap_syscall_record?  @i: its index */
static bool rbmap_syscall_field_fits(struct rbmap_field *field, unsigned int i,
				     unsigned int offset)
{
	const size_t args = offsetof(struct rbmap_syscall_record, args);

	field->align = field->size;
	if (!i)
		return field->size == sizeof(int) &&
		       offset == offsetof(struct rbmap_syscall_record, nr);
	return i <= RBMAP_SYSCALL_ARGS && !field->len && field->size == sizeof(long) &&
	       offset == args + (i - 1) * sizeof(long);
}

static int rbmap_syscall_fields(struct rbmap_syscall_event *event)
{
	struct rbmap_field *field = event->fields;
	char *rest = event->format;
	unsigned int i, offset;
	int more;

	for (i = 0; (more = rbmap_format_text_next(&rest, field, &offset)) > 0; i++, field++) {
		if (!rbmap_syscall_field_fits(field, i, offset))
			return -EOPNOTSUPP;
	}
	return i ? more : -EOPNOTSUPP;
}

/* The addresses in arguments are those of the process, unless they are the kernel's. */
static void rbmap_syscall_note_addresses(struct rbmap_syscall_event *event)
{
	const size_t args = offsetof(struct rbmap_syscall_record, args);
	unsigned int i;

	rbmap_record_layout_hide_kernel(&event->layout);
	for (i = 0; i < event->layout.nr_words; i++)
		event->address[(event->layout.word[i] - args) / sizeof(long)] = ULONG_MAX;
}

static int rbmap_syscall_parse(struct rbmap_syscall_event *event)
{
	int err;

	event->type.print_fmt = rbmap_format_text_split_print(event->format);
	if (!event->type.print_fmt)
		return -EOPNOTSUPP;
	err = rbmap_syscall_fields(event);
	if (err)
		return err;
	err = rbmap_record_layout_init(&event->layout, event->fields);
	if (!err)
		rbmap_syscall_note_addresses(event);
	return err;
}

static void rbmap_syscall_free(struct rbmap_syscall_event *event)
{
	kfree(event->type.system);
	kfree(event->type.name);
	free_percpu(event->count);
	kvfree(event->format);
	kvfree(event);
}

static int rbmap_syscall_fill(struct rbmap_syscall_event *event, const char *system,
			      const char *name)
{
	int err = rbmap_syscall_look(event, system, name);

	if (err)
		return err;
	event->type = (struct rbmap_event_type) {
		.system		= kstrdup(system, GFP_KERNEL),
		.name		= kstrdup(name, GFP_KERNEL),
		.fields		= event->fields,
		.source		= &rbmap_syscall_source,
		.whole		= true,
		.on_demand	= true,
	};
	event->count = alloc_percpu(u64);
	if (!event->type.system || !event->type.name || !event->count)
		return -ENOMEM;
	return rbmap_syscall_parse(event);
}

static struct rbmap_syscall_event *rbmap_syscall_create(const char *system, const char *name)
{
	char *format = rbmap_format_text(system, name);
	struct rbmap_syscall_event *event;
	int err;

	if (!format)
		return ERR_PTR(-ENOENT);
	event = kvzalloc(struct_size(event, fields, rbmap_format_text_fields_nr(format) + 1),
			 GFP_KERNEL);
	if (!event) {
		kvfree(format);
		return ERR_PTR(-ENOMEM);
	}
	event->format = format;
	err = rbmap_syscall_fill(event, system, name);
	if (err) {
		rbmap_syscall_free(event);
		return ERR_PTR(err);
	}
	return event;
}

static int rbmap_syscall_make(const char *system, const char *name)
{
	struct rbmap_syscall_event *event;
	int err;

	if (strcmp(system, "syscalls"))
		return -ENOENT;
	event = rbmap_syscall_create(system, name);
	if (IS_ERR(event))
		return PTR_ERR(event);
	mutex_lock(&rbmap_syscall_events_lock);
	err = rbmap_event_register(&event->type);
	if (!err)
		list_add_tail(&event->list, &rbmap_syscall_events);
	mutex_unlock(&rbmap_syscall_events_lock);
	if (err)
		rbmap_syscall_free(event);
	return err;
}

/* The kernel's own tracepoints do not go. */
static const char *rbmap_syscall_find(struct rbmap_event_type *type)
{
	struct rbmap_syscall_point *point = rbmap_syscall_event_of(type)->point;

	if (!point->tp)
		point->tp = rbmap_tracepoint_find(point->name);
	WRITE_ONCE(type->origin, point->tp);
	return point->tp ? NULL : "this kernel was built without the tracepoint";
}

static int rbmap_syscall_attach(const struct rbmap_event_type *type, void *data)
{
	struct rbmap_syscall_event *event = rbmap_syscall_event_of(type);
	struct rbmap_syscall_point *point = event->point;
	int err = 0;

	WRITE_ONCE(event->file, data);
	/* litmus: filter-init */
	smp_store_release(&point->event[event->nr], event);
	if (!point->attached)
		err = tracepoint_probe_register(point->tp, point->probe, point);
	if (err)
		WRITE_ONCE(point->event[event->nr], NULL);
	else
		point->attached++;
	return err;
}

static int rbmap_syscall_detach(const struct rbmap_event_type *type, void *data)
{
	struct rbmap_syscall_event *event = rbmap_syscall_event_of(type);
	struct rbmap_syscall_point *point = event->point;
	int err = 0;

	if (point->attached == 1)
		err = tracepoint_probe_unregister(point->tp, point->probe, point);
	if (err)
		return err;
	WRITE_ONCE(point->event[event->nr], NULL);
	point->attached--;
	return 0;
}

static void rbmap_syscall_count(const struct rbmap_event_type *type, int cpu,
				struct rbmap_source_count *count)
{
	count->calls = READ_ONCE(*per_cpu_ptr(rbmap_syscall_event_of(type)->count, cpu));
	count->received = count->calls;
}

static bool rbmap_syscall_prints(const struct rbmap_event_type *type,
				 const struct trace_event_call *call)
{
	return call == rbmap_syscall_event_of(type)->call;
}

const struct rbmap_source rbmap_syscall_source = {
	.name		= "syscall",
	.find		= rbmap_syscall_find,
	.attach		= rbmap_syscall_attach,
	.detach		= rbmap_syscall_detach,
	.make		= rbmap_syscall_make,
	.prints		= rbmap_syscall_prints,
	.count		= rbmap_syscall_count,
	.never_misses	= true,
};

/**
 * rbmap_syscall_events_exit - free all events of system calls
 *
 * Context: sleeps; all buffers were already removed, and no probe runs.
 */
void rbmap_syscall_events_exit(void)
{
	struct rbmap_syscall_event *event, *next;

	list_for_each_entry_safe(event, next, &rbmap_syscall_events, list) {
		rbmap_event_forget(&event->type);
		rbmap_syscall_free(event);
	}
}
