// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of events that no other source has.  Somebody has made them in tracefs, such as
 * kprobes, a process has made them (user_events), or they are system calls of which the kernel
 * also records memory of the process.  The kernel hands its records to perf events.  Fields and
 * text are those of the format file in tracefs.
 */
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/perf.h"
#include "compat/rcu.h"
#include "event/registry.h"
#include "event/source.h"
#include "foreign_event.h"
#include "foreign_record.h"
#include "format_text.h"
#include "kernel_event.h"

/* Protects the list of events. */
static DEFINE_MUTEX(rbmap_foreign_events_lock);
static LIST_HEAD(rbmap_foreign_events);

/* Protects the list of events whose perf events are to be released. */
static DEFINE_MUTEX(rbmap_foreign_release_lock);
static LIST_HEAD(rbmap_foreign_released);
static struct rbmap_foreign_event *rbmap_foreign_releasing;
static DECLARE_WAIT_QUEUE_HEAD(rbmap_foreign_wait);

static struct rbmap_foreign_event *rbmap_foreign_event_of(const struct rbmap_event_type *type)
{
	return container_of(type, struct rbmap_foreign_event, type);
}

static u64 rbmap_format_hash(const char *format)
{
	size_t len = strlen(format);

	return (u64)len << 32 | jhash(format, len, 0);
}

/* The smallest alignment that takes a field from @end to @offset, or 0. */
static unsigned int rbmap_field_align(unsigned int end, unsigned int offset)
{
	unsigned int align;

	for (align = 1; align <= sizeof(u64); align *= 2) {
		if (ALIGN(end, align) == offset)
			return align;
	}
	return 0;
}

static bool rbmap_foreign_gap(struct rbmap_foreign_event *event, unsigned int end,
			      unsigned int offset)
{
	if (end == offset)
		return true;
	if (event->nr_gaps == RBMAP_GAPS)
		return false;
	event->gap[event->nr_gaps++] = (struct rbmap_gap) { .at = end, .len = offset - end };
	return true;
}

/*
 * The code of a tracepoint's event copies strings, and leaves the bytes behind them unset.
 * An array of bytes may be unset as a whole, so that words in it may be addresses.
 */
static bool rbmap_foreign_note_unset(struct rbmap_foreign_event *event,
				     const struct rbmap_field *field, unsigned int offset)
{
	struct rbmap_record_layout *layout = &event->layout;
	const unsigned int at = ALIGN(offset, sizeof(u64)), end = offset + field->size;

	if (field->len < 2 || field->size != field->len)
		return true;
	if (!strcmp(field->type, "char")) {
		if (event->nr_gaps == RBMAP_GAPS)
			return false;
		event->gap[event->nr_gaps++] = (struct rbmap_gap) {
			.at	= offset,
			.len	= field->size,
			.text	= true,
		};
	} else if (at + sizeof(u64) <= end) {
		if (layout->nr_hidden == RBMAP_HIDDEN_FIELDS)
			return false;
		layout->hidden[layout->nr_hidden++] = (struct rbmap_hidden) {
			.at	= at,
			.nr	= (end - at) / sizeof(u64),
		};
	}
	return true;
}

/* Parse the fields that are not common to all events.  Store the offset behind them. */
static int rbmap_foreign_fields(struct rbmap_foreign_event *event, unsigned int *size)
{
	unsigned int end = sizeof(struct rbmap_record), offset;
	struct rbmap_field *field = event->fields;
	char *rest = event->format;
	int more;

	while ((more = rbmap_format_text_next(&rest, field, &offset)) > 0) {
		field->align = offset < end ? 0 : rbmap_field_align(end, offset);
		if (!field->align || !rbmap_foreign_gap(event, end, offset))
			return -EOPNOTSUPP;
		if (field->length)
			field->len = field->size / field->align;
		if (event->of_tracepoint && !rbmap_foreign_note_unset(event, field, offset))
			return -EOPNOTSUPP;
		end = offset + field->size;
		field++;
	}
	*size = end;
	return more;
}

static int rbmap_foreign_parse(struct rbmap_foreign_event *event)
{
	unsigned int size;
	int err;

	event->type.print_fmt = rbmap_format_text_split_print(event->format);
	if (!event->type.print_fmt)
		return -EOPNOTSUPP;
	err = rbmap_foreign_fields(event, &size);
	if (err)
		return err;
	err = rbmap_record_layout_init(&event->layout, event->fields);
	/* Not all of these records are structures, with bytes up to an alignment behind them. */
	event->layout.size = size;
	if (!event->of_tracepoint)
		rbmap_record_layout_hide_kernel(&event->layout);
	return err;
}

static void rbmap_foreign_free(struct rbmap_foreign_event *event)
{
	kfree(event->type.system);
	kfree(event->type.name);
	free_percpu(event->count);
	kvfree(event->format);
	kvfree(event);
}

/* Note whether it has a tracepoint, whether somebody has made it, and who can hear it. */
static void rbmap_foreign_note_origin(struct rbmap_foreign_event *event, const char *system,
				      const char *name)
{
	struct trace_event_file *file = trace_get_event_file(NULL, system, name);

	if (IS_ERR(file))
		return;
	event->of_tracepoint = file->event_call->flags & TRACE_EVENT_FL_TRACEPOINT &&
			       !rbmap_call_is_users(file->event_call);
	event->made = rbmap_call_is_made(file->event_call);
	event->silent = rbmap_call_is_silent(file->event_call);
	trace_put_event_file(file);
}

static struct rbmap_foreign_event *rbmap_foreign_create(const char *system, const char *name,
							 char *format)
{
	unsigned int nr = rbmap_format_text_fields_nr(format);
	struct rbmap_foreign_event *event =
		kvzalloc(struct_size(event, fields, nr + 1), GFP_KERNEL);
	int err;

	if (!event) {
		kvfree(format);
		return ERR_PTR(-ENOMEM);
	}
	event->format = format;
	event->preempt = rbmap_perf_preempt(!strcmp(system, "syscalls"));
	rbmap_foreign_note_origin(event, system, name);
	event->hash = rbmap_format_hash(format);
	event->count = alloc_percpu(struct rbmap_foreign_count);
	event->listener.handler = rbmap_foreign_overflow;
	event->listener.context = event;
	INIT_LIST_HEAD(&event->release);
	event->type = (struct rbmap_event_type) {
		.system		= kstrdup(system, GFP_KERNEL),
		.name		= kstrdup(name, GFP_KERNEL),
		.fields		= event->fields,
		.source		= &rbmap_foreign_source,
		.whole		= true,
		.replaceable	= true,
		.on_demand	= true,
	};
	err = event->count && event->type.system && event->type.name ?
	      rbmap_foreign_parse(event) : -ENOMEM;
	if (err) {
		rbmap_foreign_free(event);
		return ERR_PTR(err);
	}
	return event;
}

static int rbmap_foreign_add(struct rbmap_foreign_event *event)
{
	int err;

	mutex_lock(&rbmap_foreign_events_lock);
	err = rbmap_foreign_rooms_create();
	if (!err)
		err = rbmap_event_register(&event->type);
	if (!err)
		list_add_tail(&event->list, &rbmap_foreign_events);
	mutex_unlock(&rbmap_foreign_events_lock);
	return err;
}

static int rbmap_foreign_make(const char *system, const char *name)
{
	struct rbmap_foreign_event *event;
	char *format;
	int err;

	if (rbmap_kernel_way() == RBMAP_WAY_NONE)
		return -EOPNOTSUPP;
	format = rbmap_format_text(system, name);
	if (!format)
		return -ENOENT;
	event = rbmap_foreign_create(system, name, format);
	if (IS_ERR(event))
		return PTR_ERR(event);
	err = rbmap_foreign_add(event);
	if (err)
		rbmap_foreign_free(event);
	return err;
}

/* The event is there as long as somebody listens to it. */
static const char *rbmap_foreign_find(struct rbmap_event_type *type)
{
	if (rbmap_foreign_event_of(type)->silent)
		return "the kernel hands it to nobody but ftrace";
	WRITE_ONCE(type->origin, type);
	return NULL;
}

static bool rbmap_foreign_same_format(const struct rbmap_foreign_event *event)
{
	char *format = rbmap_format_text(event->type.system, event->type.name);
	bool same = format && rbmap_format_hash(format) == event->hash;

	kvfree(format);
	return same;
}

/* Find the number of the event, which may have been made anew. */
static int rbmap_foreign_look(struct rbmap_foreign_event *event)
{
	const struct rbmap_event_type *type = &event->type;
	struct trace_event_file *file = trace_get_event_file(NULL, type->system, type->name);
	unsigned int number;

	if (IS_ERR(file))
		return -ENODEV;
	number = file->event_call->event.type;
	trace_put_event_file(file);
	if (!rbmap_foreign_same_format(event))
		return -ESTALE;
	event->listener.type = number;
	return 0;
}

/*
 * Perf events are released so long after they were switched off, and after an event was last
 * attached.  A user who records all system calls again has them at once.  A release waits for
 * the kernel, with a lock that new perf events need, and there are hundreds of them.
 */
#define RBMAP_FOREIGN_KEPT	HZ

static void rbmap_foreign_release(struct work_struct *work);
static DECLARE_DELAYED_WORK(rbmap_foreign_release_work, rbmap_foreign_release);
static unsigned long rbmap_foreign_attached;

/* Take the next event from the list, and let others know that it is being released. */
static struct rbmap_foreign_event *rbmap_foreign_release_next(void)
{
	struct rbmap_foreign_event *event;

	mutex_lock(&rbmap_foreign_release_lock);
	event = list_first_entry_or_null(&rbmap_foreign_released, struct rbmap_foreign_event,
					 release);
	if (event && time_before(jiffies, rbmap_foreign_attached + RBMAP_FOREIGN_KEPT)) {
		mod_delayed_work(system_wq, &rbmap_foreign_release_work, RBMAP_FOREIGN_KEPT);
		event = NULL;
	}
	if (event)
		list_del_init(&event->release);
	WRITE_ONCE(rbmap_foreign_releasing, event);
	mutex_unlock(&rbmap_foreign_release_lock);
	wake_up_all(&rbmap_foreign_wait);
	return event;
}

/*
 * The kernel waits for RCU twice for each event, under a lock that all of its trace events
 * have.  So the waits cannot be shared.  Normal ones of hundreds of events take minutes.
 */
static void rbmap_foreign_release(struct work_struct *work)
{
	struct rbmap_foreign_event *event;

	rbmap_rcu_expedite();
	while ((event = rbmap_foreign_release_next()))
		rbmap_listener_stop(&event->listener);
	rbmap_rcu_unexpedite();
}

/*
 * The event may have been detached a moment ago.  If its perf events are still paused, it may
 * have them back, else they must be gone.
 */
static void rbmap_foreign_take_back(struct rbmap_foreign_event *event)
{
	mutex_lock(&rbmap_foreign_release_lock);
	rbmap_foreign_attached = jiffies;
	list_del_init(&event->release);
	mutex_unlock(&rbmap_foreign_release_lock);
	wait_event(rbmap_foreign_wait, READ_ONCE(rbmap_foreign_releasing) != event);
}

/* Listen with the paused perf events, if the event has them, or with new ones. */
static int rbmap_foreign_listen(struct rbmap_foreign_event *event, u64 type_before)
{
	struct rbmap_listener *listener = &event->listener;
	int err;

	if (listener->type == type_before && rbmap_listener_resume(listener))
		return 0;
	rbmap_listener_stop(listener);
	err = rbmap_listener_start(listener);
	if (err)
		rbmap_listener_stop(listener);
	return err;
}

/*
 * Nobody can remove the event any more.  But between the looks at it and this moment somebody
 * may have removed it, and made another one, which has got its number.
 */
static int rbmap_foreign_recheck(struct rbmap_foreign_event *event)
{
	u64 number = event->listener.type;

	if (!rbmap_foreign_look(event) && event->listener.type == number)
		return 0;
	rbmap_listener_stop(&event->listener);
	return -ENODEV;
}

static int rbmap_foreign_attach(const struct rbmap_event_type *type, void *data)
{
	struct rbmap_foreign_event *event = rbmap_foreign_event_of(type);
	u64 type_before = event->listener.type;
	int err;

	rbmap_foreign_take_back(event);
	err = rbmap_foreign_look(event);
	if (err == -ESTALE)
		event->type.unavailable = "it was made anew with other fields: name it again";
	if (err) {
		rbmap_listener_stop(&event->listener);
		return -ENODEV;
	}
	WRITE_ONCE(event->file, data);
	err = rbmap_foreign_listen(event, type_before);
	return err || !event->made ? err : rbmap_foreign_recheck(event);
}

/*
 * The release of a perf event waits for the kernel.  Somebody has made the event and wants to
 * remove it.  So its perf events are released now, and the waits, with the lock of all events
 * held, are short.  But nobody removes system calls and tracepoints.
 */
static int rbmap_foreign_detach(const struct rbmap_event_type *type, void *data)
{
	struct rbmap_foreign_event *event = rbmap_foreign_event_of(type);

	if (event->made) {
		rbmap_rcu_expedite();
		rbmap_listener_stop(&event->listener);
		rbmap_rcu_unexpedite();
		return 0;
	}
	rbmap_listener_pause(&event->listener);
	mutex_lock(&rbmap_foreign_release_lock);
	list_add_tail(&event->release, &rbmap_foreign_released);
	mutex_unlock(&rbmap_foreign_release_lock);
	mod_delayed_work(system_wq, &rbmap_foreign_release_work, RBMAP_FOREIGN_KEPT);
	return 0;
}

static void rbmap_foreign_count(const struct rbmap_event_type *type, int cpu,
				struct rbmap_source_count *count)
{
	const struct rbmap_foreign_count *here =
		per_cpu_ptr(rbmap_foreign_event_of(type)->count, cpu);

	count->calls = READ_ONCE(here->received);
	count->received = count->calls - READ_ONCE(here->missed);
}

/*
 * An event that was made anew may have the number of the former one.  The caller holds @call, so
 * the format is that of @call.
 */
static bool rbmap_foreign_prints(const struct rbmap_event_type *type,
				 const struct trace_event_call *call)
{
	const struct rbmap_foreign_event *event = rbmap_foreign_event_of(type);

	return call->event.type == event->listener.type && rbmap_call_is_held(call) &&
	       (!event->made || rbmap_foreign_same_format(event));
}

const struct rbmap_source rbmap_foreign_source = {
	.name	= "foreign",
	.find	= rbmap_foreign_find,
	.attach	= rbmap_foreign_attach,
	.detach	= rbmap_foreign_detach,
	.make	= rbmap_foreign_make,
	.prints	= rbmap_foreign_prints,
	.count	= rbmap_foreign_count,
};

/**
 * rbmap_foreign_events_exit - free all foreign events
 *
 * Context: sleeps; all buffers were already removed.
 */
void rbmap_foreign_events_exit(void)
{
	struct rbmap_foreign_event *event, *next;

	/* The work may be waiting, too. */
	rbmap_rcu_expedite();
	cancel_delayed_work_sync(&rbmap_foreign_release_work);
	list_for_each_entry_safe(event, next, &rbmap_foreign_events, list) {
		rbmap_listener_stop(&event->listener);
		/* An event that was made anew has taken its place already. */
		if (!list_empty(&event->type.list))
			rbmap_event_forget(&event->type);
		rbmap_foreign_free(event);
	}
	rbmap_rcu_unexpedite();
	rbmap_foreign_rooms_free();
}
