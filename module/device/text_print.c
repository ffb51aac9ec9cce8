// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print records as tracefs does.  The kernel's own function prints each event that the kernel
 * has, with the fields of the record.  It gets a struct trace_iterator of ours, and a copy
 * of the record with the kernel's number of the event.  Other events are printed by their
 * fields.
 *
 * The functions of a module are called only with a reference to the event, which keeps the
 * module.  The references are put before the reader waits, so that a file that is open
 * keeps no module.
 */
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "compat/nofault.h"
#include "compat/perf.h"
#include "compat/text.h"
#include "event/registry.h"
#include "event/source.h"
#include "marker.h"
#include "text_fields.h"
#include "text_print.h"

/* The name that tracefs prints for a task that it does not know. */
#define RBMAP_UNKNOWN_TASK	"<...>"

/**
 * rbmap_printer_create - create what prints records
 *
 * The memory is charged to the process.
 *
 * Context: may sleep.
 * Return: the printer, or NULL without memory.
 */
struct rbmap_printer *rbmap_printer_create(void)
{
	return kvzalloc(sizeof(struct rbmap_printer), GFP_KERNEL_ACCOUNT);
}

/**
 * rbmap_printer_free - free a printer
 * @printer: the printer, or NULL
 *
 * Context: may sleep.
 */
void rbmap_printer_free(struct rbmap_printer *printer)
{
	if (!printer)
		return;
	rbmap_printer_release(printer);
	rbmap_iterator_free(&printer->iter);
	kvfree(printer->record);
	kvfree(printer);
}

/**
 * rbmap_printer_make_room - make room for a record
 * @printer: the printer
 * @size: bytes of the record
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_printer_make_room(struct rbmap_printer *printer, u32 size)
{
	u32 room = roundup_pow_of_two(max_t(u32, size, PAGE_SIZE));

	if (printer->record && size <= printer->room)
		return 0;
	kvfree(printer->record);
	printer->record = kvzalloc(room + RBMAP_PRINTER_COPIES, GFP_KERNEL_ACCOUNT);
	printer->room = printer->record ? room : 0;
	return printer->record ? 0 : -ENOMEM;
}

/* ---- names of tasks */

/* Return the entry of a task, or the least recently used one of its set. */
static struct rbmap_printer_name *rbmap_printer_name(struct rbmap_printer *printer, pid_t pid)
{
	struct rbmap_printer_name *set =
		printer->names[(unsigned int)pid % RBMAP_PRINTER_NAMES];
	struct rbmap_printer_name found;
	unsigned int i = 0;

	while (i < RBMAP_PRINTER_WAYS - 1 && set[i].pid != pid)
		i++;
	found = set[i];
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = found;
	return set;
}

static void rbmap_printer_learn(struct rbmap_printer *printer, pid_t pid, const char *name)
{
	struct rbmap_printer_name *entry = rbmap_printer_name(printer, pid);

	entry->pid = pid;
	strscpy(entry->name, name, sizeof(entry->name));
}

/* litmus: thread-name */
static bool rbmap_task_name(pid_t pid, char *name)
{
	const struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	if (task)
		strscpy(name, task->comm, TASK_COMM_LEN);
	rcu_read_unlock();
	return task;
}

/* The names of /dev/rbmap/saved_cmdlines, and those that records have had. */
static const char *rbmap_printer_find_name(struct rbmap_printer *printer, pid_t pid)
{
	struct rbmap_printer_name *entry = rbmap_printer_name(printer, pid);
	char name[TASK_COMM_LEN];

	if (!pid)
		return "<idle>";
	if (rbmap_task_name(pid, name))
		rbmap_printer_learn(printer, pid, name);
	return entry->pid == pid ? entry->name : RBMAP_UNKNOWN_TASK;
}

/* ---- events */

static void rbmap_printer_forget(struct rbmap_printer_event *event)
{
	if (event->file)
		trace_put_event_file(event->file);
	*event = (struct rbmap_printer_event) {};
}

/**
 * rbmap_printer_release - put all references to events of the kernel
 * @printer: the printer
 *
 * Context: may sleep; before the caller waits, and before it accesses user memory.
 */
void rbmap_printer_release(struct rbmap_printer *printer)
{
	unsigned int i;

	for (i = 0; i < RBMAP_PRINTER_EVENTS; i++)
		rbmap_printer_forget(&printer->events[i]);
}

static const struct rbmap_printer_event *rbmap_printer_find(const struct rbmap_printer *printer,
							     u16 id)
{
	unsigned int i;

	for (i = 0; i < RBMAP_PRINTER_EVENTS; i++) {
		if (id && printer->events[i].id == id)
			return &printer->events[i];
	}
	return NULL;
}

static bool rbmap_field_is_name(const struct rbmap_field *field)
{
	return !strcmp(field->type, "char") && field->size == TASK_COMM_LEN &&
	       (!strcmp(field->name, "comm") || strstr(field->name, "_comm"));
}

/* The number of the task with the name in field @name: prev_pid beside prev_comm. */
static bool rbmap_field_is_pid_of(const struct rbmap_field *field, const struct rbmap_field *name)
{
	size_t len = strlen(name->name) - strlen("comm");

	return field->size == sizeof(pid_t) && strlen(field->name) == len + strlen("pid") &&
	       !strncmp(field->name, name->name, len) && !strcmp(field->name + len, "pid");
}

/* Find names of tasks in the records of an event. */
static void rbmap_printer_find_pairs(struct rbmap_printer_event *found,
				     const struct rbmap_field *fields)
{
	const struct rbmap_field *field, *name = NULL;
	size_t offset = sizeof(struct rbmap_record), name_at = 0;

	for (field = fields; field->name; field++) {
		offset = ALIGN(offset, field->align);
		if (rbmap_field_is_name(field)) {
			name = field;
			name_at = offset;
		} else if (name && rbmap_field_is_pid_of(field, name) &&
			   found->nr_pairs < RBMAP_PRINTER_PAIRS) {
			found->pair[found->nr_pairs].name = name_at;
			found->pair[found->nr_pairs++].pid = offset;
		}
		offset += field->size;
	}
}

static bool rbmap_field_same_as(const struct rbmap_field *field,
				const struct trace_event_fields *from)
{
	return from->type != TRACE_FUNCTION_TYPE && !strcmp(field->name, from->name) &&
	       field->size == from->size && field->align == from->align &&
	       field->is_signed == from->is_signed;
}

static bool rbmap_fields_same_as(const struct rbmap_field *field,
				 const struct trace_event_fields *from)
{
	if (!from)
		return false;
	for (; field->name && from->type; field++, from++) {
		if (!rbmap_field_same_as(field, from))
			return false;
	}
	return !field->name && !from->type;
}

/* A text that is not in the record */
static bool rbmap_field_is_pointer_to_text(const struct rbmap_field *field)
{
	return strstr(field->type, "char") && field->type[strlen(field->type) - 1] == '*';
}

/*
 * Find the pointers to texts in the records of an event.  Return whether the kernel's function
 * may print the records.  The one of a tracepoint follows the pointers, and must not follow a
 * hash.  The one of a system call prints them.
 */
static bool rbmap_printer_find_texts(const struct rbmap_printer *printer,
				     struct rbmap_printer_event *found,
				     const struct rbmap_field *field,
				     const struct trace_event_call *call)
{
	size_t offset = sizeof(struct rbmap_record);

	if (!(call->flags & TRACE_EVENT_FL_TRACEPOINT))
		return true;
	for (; field->name; field++) {
		offset = ALIGN(offset, field->align);
		if (rbmap_field_is_pointer_to_text(field)) {
			if (!printer->keeps_addresses || found->nr_texts == RBMAP_PRINTER_TEXTS)
				return false;
			found->text[found->nr_texts++] = offset;
		}
		offset += field->size;
	}
	return true;
}

/* Has the kernel's event a function that prints these records? */
static bool rbmap_event_fits(const struct rbmap_event_type *event,
			     const struct trace_event_call *call)
{
	if (!call->event.funcs || !call->event.funcs->trace)
		return false;
	if (event->source && event->source->prints)
		return event->source->prints(event, call);
	/* The function of a process's event needs a trace_array. */
	return !rbmap_call_is_users(call) &&
	       rbmap_fields_same_as(event->fields, call->class->fields_array);
}

/* Newer kernels look at an option of the trace_array for masks, and have one in any case. */
static bool rbmap_call_has_mask(const struct trace_event_call *call)
{
	return strstr(call->print_fmt, "__get_bitmask") ||
	       strstr(call->print_fmt, "__get_cpumask") ||
	       strstr(call->print_fmt, "__get_rel_bitmask") ||
	       strstr(call->print_fmt, "__get_rel_cpumask");
}

/*
 * Some functions for system calls look at the options of the trace_array.  A function of a
 * tracepoint gets none, unless it needs one, and prints addresses as printk() does.
 */
static struct trace_array *rbmap_printer_tr(const struct trace_event_file *file)
{
	const struct trace_event_call *call = file->event_call;

	return call->flags & TRACE_EVENT_FL_TRACEPOINT && !rbmap_call_has_mask(call) ?
	       NULL : file->tr;
}

/* Get the kernel's event, with a reference that keeps its module. */
static void rbmap_printer_add(struct rbmap_printer *printer, const struct rbmap_event_type *event)
{
	struct rbmap_printer_event found = {}, *place;
	struct trace_event_file *file;

	file = trace_get_event_file(NULL, event->system, event->name);
	if (IS_ERR(file))
		return;
	if (!rbmap_event_fits(event, file->event_call) ||
	    !rbmap_printer_find_texts(printer, &found, event->fields, file->event_call)) {
		trace_put_event_file(file);
		return;
	}
	found.id = event->id;
	found.file = file;
	found.tr = rbmap_printer_tr(file);
	rbmap_printer_find_pairs(&found, event->fields);
	place = &printer->events[printer->next++ % RBMAP_PRINTER_EVENTS];
	rbmap_printer_forget(place);
	*place = found;
}

/* ---- lines */

/* As the kernel prints a time of its own clocks. */
static void rbmap_print_time(struct rbmap_printer *printer, u64 time)
{
	struct trace_seq *s = rbmap_printer_text(printer);
	u64 micros = div_u64(time + 500, 1000);
	u32 rest;
	u64 seconds = div_u64_rem(micros, USEC_PER_SEC, &rest);

	if (printer->counts_cycles)
		trace_seq_printf(s, " %12llu: ", time);
	else
		trace_seq_printf(s, " %5llu.%06u: ", seconds, rest);
}

static void rbmap_print_context(struct rbmap_printer *printer, int cpu, u64 time)
{
	const struct rbmap_record *record = printer->record;
	struct trace_seq *s = rbmap_printer_text(printer);
	pid_t pid = record->common.pid;

	trace_seq_printf(s, "%16s-%-7d ", rbmap_printer_find_name(printer, pid), pid);
	trace_seq_printf(s, "[%03d] ", cpu);
	rbmap_text_flags(s, record);
	rbmap_print_time(printer, time);
}

static void rbmap_printer_learn_names(struct rbmap_printer *printer,
				      const struct rbmap_printer_event *event, u32 size)
{
	char name[TASK_COMM_LEN];
	unsigned int i;
	pid_t pid;

	for (i = 0; i < event->nr_pairs; i++) {
		if (event->pair[i].name + sizeof(name) > size ||
		    event->pair[i].pid + sizeof(pid) > size)
			continue;
		memcpy(name, printer->record + event->pair[i].name, sizeof(name));
		name[sizeof(name) - 1] = 0;
		memcpy(&pid, printer->record + event->pair[i].pid, sizeof(pid));
		if (pid)
			rbmap_printer_learn(printer, pid, name);
	}
}

/* The kernel and its modules have names for what they contain. */
static bool rbmap_address_has_name(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, address);
	return strncmp(name, "0x", 2);
}

/* Copy a text that stays as long as the kernel or the module does. */
static bool rbmap_copy_static_text(char *to, unsigned long from)
{
	unsigned int i;

	if (!rbmap_address_has_name(from))
		return false;
	for (i = 0; i < RBMAP_PRINTER_TEXT - 1; i++) {
		if (!rbmap_read_nofault(&to[i], from + i, 1))
			return false;
		if (!to[i])
			break;
	}
	to[i] = 0;
	return true;
}

/*
 * Let the record point to a copy of a text.  The pointer may be a hash, if the buffer has
 * hidden addresses before.  The text may have gone.  Then the copy has the word that tracefs
 * prints for such a pointer.
 */
static void rbmap_printer_copy_text(struct rbmap_printer *printer, u16 at, char *copy, u32 size)
{
	unsigned long address = 0;

	if (at + sizeof(address) > printer->room)
		return;
	if (at + sizeof(address) <= size)
		memcpy(&address, printer->record + at, sizeof(address));
	if (!rbmap_copy_static_text(copy, address))
		strscpy(copy, "[UNSAFE-MEMORY]", RBMAP_PRINTER_TEXT);
	memcpy(printer->record + at, &copy, sizeof(copy));
}

/* The kernel prints no text that is not in the record, so the copies count as a part of it. */
static void rbmap_print_by_kernel(struct rbmap_printer *printer,
				  const struct rbmap_printer_event *event, u32 size)
{
	struct trace_event_call *call = event->file->event_call;
	struct trace_iterator *iter = &printer->iter;
	struct rbmap_record *record = printer->record;
	char *copy = printer->record + printer->room;
	unsigned int i;

	for (i = 0; i < event->nr_texts; i++, copy += RBMAP_PRINTER_TEXT)
		rbmap_printer_copy_text(printer, event->text[i], copy, size);
	record->common.type = call->event.type;
	iter->tr = event->tr;
	iter->ent = printer->record;
	iter->ent_size = event->nr_texts ? printer->room + RBMAP_PRINTER_COPIES : size;
	call->event.funcs->trace(iter, 0, &call->event);
}

/* The text of tracefs's trace_marker. */
static void rbmap_print_marker(struct trace_seq *s, const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	trace_seq_printf(s, "tracing_mark_write: %.*s", (int)len, text);
	if (!len || text[len - 1] != '\n')
		trace_seq_putc(s, '\n');
}

static void rbmap_print_bytes(struct trace_seq *s, const u8 *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		trace_seq_printf(s, " %02x", bytes[i]);
	trace_seq_putc(s, '\n');
}

/* The text of tracefs's trace_marker_raw: an id, and the bytes after it. */
static void rbmap_print_marker_raw(struct trace_seq *s, const u8 *bytes, size_t size)
{
	u32 id;

	if (size < sizeof(id))
		return;
	memcpy(&id, bytes, sizeof(id));
	trace_seq_printf(s, "# %x buf:", id);
	rbmap_print_bytes(s, bytes + sizeof(id), size - sizeof(id));
}

/**
 * struct rbmap_print - a record that is being printed
 * @printer: the printer
 * @cpu: its CPU
 * @time: its time
 * @size: its bytes
 */
struct rbmap_print {
	struct rbmap_printer	*printer;
	int			cpu;
	u64			time;
	u32			size;
};

/* Print a record, unless the kernel has the event: then the printer knows it from now on. */
static void rbmap_print_event(const struct rbmap_event_type *event, void *data)
{
	struct rbmap_print *print = data;
	struct rbmap_printer *printer = print->printer;
	struct trace_seq *s = rbmap_printer_text(printer);
	const struct rbmap_record *record = printer->record;
	u32 size = print->size - sizeof(*record);

	if (event && event != &rbmap_marker_event && event != &rbmap_marker_raw_event)
		rbmap_printer_add(printer, event);
	if (event && rbmap_printer_find(printer, event->id))
		return;
	rbmap_print_context(printer, print->cpu, print->time);
	if (!event)
		trace_seq_printf(s, "Unknown type %u\n", record->common.type);
	else if (event == &rbmap_marker_event)
		rbmap_print_marker(s, (const char *)(record + 1), size);
	else if (event == &rbmap_marker_raw_event)
		rbmap_print_marker_raw(s, (const u8 *)(record + 1), size);
	else
		rbmap_print_fields(s, event, record, print->size);
}

/* A line that has no room is left out.  tracefs says that with these words. */
static void rbmap_printer_end(struct rbmap_printer *printer)
{
	struct trace_seq *s = rbmap_printer_text(printer);

	if (!trace_seq_has_overflowed(s))
		return;
	trace_seq_init(s);
	trace_seq_puts(s, "[LINE TOO BIG]\n");
}

/**
 * rbmap_print_lost - print that events were lost
 * @printer: the printer; its text is the line
 * @cpu: the CPU
 * @lost: number of lost events
 */
void rbmap_print_lost(struct rbmap_printer *printer, int cpu, u64 lost)
{
	struct trace_seq *s = rbmap_printer_text(printer);

	trace_seq_init(s);
	trace_seq_printf(s, "CPU:%d [LOST %llu EVENTS]\n", cpu, lost);
}

/**
 * rbmap_print_record - print the printer's record
 * @printer: the printer; its text is the line
 * @cpu: the CPU
 * @time: time of the event
 * @size: bytes of the record
 *
 * Context: may sleep.
 */
void rbmap_print_record(struct rbmap_printer *printer, int cpu, u64 time, u32 size)
{
	struct rbmap_print print = {
		.printer = printer, .cpu = cpu, .time = time, .size = size,
	};
	const struct rbmap_record *record = printer->record;
	const struct rbmap_printer_event *event;

	trace_seq_init(rbmap_printer_text(printer));
	printer->iter.cpu = cpu;
	printer->iter.ts = time;
	if (size < sizeof(*record)) {
		trace_seq_puts(rbmap_printer_text(printer), "[RECORD TOO SMALL]\n");
		return;
	}
	event = rbmap_printer_find(printer, record->common.type);
	if (!event) {
		rbmap_event_visit(record->common.type, rbmap_print_event, &print);
		event = rbmap_printer_find(printer, record->common.type);
	}
	if (event) {
		/* The names first: the switch from a task that has ended has its name. */
		rbmap_printer_learn_names(printer, event, size);
		rbmap_print_context(printer, cpu, time);
		rbmap_print_by_kernel(printer, event, size);
	}
	rbmap_printer_end(printer);
}

/**
 * rbmap_print_raw - print the printer's record of a buffer whose payloads a module defines
 * @printer: the printer; its text is the line
 * @cpu: the CPU
 * @time: time of the event
 * @size: bytes of the record
 */
void rbmap_print_raw(struct rbmap_printer *printer, int cpu, u64 time, u32 size)
{
	struct trace_seq *s = rbmap_printer_text(printer);

	trace_seq_init(s);
	trace_seq_printf(s, "[%03d]", cpu);
	rbmap_print_time(printer, time);
	trace_seq_printf(s, "raw:");
	rbmap_print_bytes(s, printer->record, size);
	rbmap_printer_end(printer);
}
