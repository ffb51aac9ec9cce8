/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of an event, in the line format of tracefs' trace_pipe:
 *
 *	            bash-1234    [001] d..1.  123.456789: sched_switch: ...
 *
 * `stream` prints what the running module writes, `report` what a trace.dat
 * contains. They differ in the sources of formats, names of threads and
 * symbols.
 *
 * Functions that can fail return a negative errno.
 */
#ifndef RBMAP_PRINT_EVENT_FORMATTER_H
#define RBMAP_PRINT_EVENT_FORMATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rbmap.h>
#include <rbmap.h>

#include "base/buf.h"
#include "task_names.h"
#include "time_view.h"
#include "tracer_events.h"

#define NR_EVENT_IDS	65536	/* common_type has 16 bits */

struct dat_host;
struct dat_task;
struct tep_event;
struct event_formatter;

struct event_formatter *formatter_new(void);		/* NULL: out of memory */
void formatter_free(struct event_formatter *t);

/*
 * Make a formatter for another thread, or return NULL. It uses the formats, the symbols and the
 * names of @of, which must live longer. The thread may call formatter_add_event(),
 * formatter_add_body() and formatter_copy() with it, for the parts of an event that
 * formatter_parts() of @of has found. This needs formatter_keep_comms(): other names that are
 * replaced are freed.
 */
struct event_formatter *formatter_for_thread(struct event_formatter *of);

/*
 * Set the layout of the lines, before formats are added. The default is that of
 * trace_pipe: a pid has 7 columns, the flags are shown, and the name of the event has
 * as many columns as it has characters.
 */
void formatter_set_layout(struct event_formatter *t, unsigned int pid_width, bool with_flags,
			  unsigned int name_width);

/*
 * Add the format file of an event. If two systems have an event of this name, lines show
 * the systems of both from now on.
 */
int formatter_add_format(struct event_formatter *t, const char *system, const char *format,
			 size_t size);

/* Set the recording that the formats are from, for crash_guard(). The default is 0. */
void formatter_set_file(struct event_formatter *t, unsigned int file);

/*
 * Show the event @system:@name as @shown. Call this before its format is added. The strings
 * must live longer than @t. One event can have another name.
 */
void formatter_show_as(struct event_formatter *t, const char *system, const char *name,
		       const char *shown);

/* Set what stands before the id of an event without a known format; by default "event ". */
void formatter_show_unknown_as(struct event_formatter *t, const char *prefix);

/*
 * Call @ask when the format of an event is needed and unknown, once for each id. @ask
 * adds the format if there is one.
 */
typedef void ask_format_fn(void *data, int id);
void formatter_ask_formats(struct event_formatter *t, ask_format_fn *ask, void *data);

/* Ask for a format now, if it is unknown. */
void formatter_want_format(struct event_formatter *t, int id);

/* Add the name of a thread, from the table of command lines in a trace.dat. */
int formatter_add_comm(struct event_formatter *t, int pid, const char *comm);

/* Set the kernel that made the events: "SYSTEM HOST RELEASE MACHINE". The default is this one. */
void formatter_set_uname(struct event_formatter *t, const char *uname);

/* Set the bytes of a long of the recorded kernel, before formats are added. */
void formatter_set_long_size(struct event_formatter *t, unsigned int size);

/* Call @each for each known name of a thread, in any order. */
void formatter_each_comm(const struct event_formatter *t, task_name_fn *each, void *data);

/* Read the names of unknown threads from /proc. Off by default. */
void formatter_comm_from_proc(struct event_formatter *t, bool on);

/* Keep names that are replaced, for formatter_for_thread(). This comes before the first name. */
void formatter_keep_comms(struct event_formatter *t);

/*
 * Look at all events of a recording before the first one is printed. Then events have the
 * names that threads had at that time, also those before the first event with a name. A
 * name of formatter_add_comm() stays if no event has one. Return 0 or -ENOMEM.
 */
int formatter_scan(struct event_formatter *t, const struct rbmap_event *ev);
/* After the last event of all */
void formatter_scan_end(struct event_formatter *t);
/* Is there a format of an event that formatter_scan() uses? */
bool formatter_needs_scan(const struct event_formatter *t);

/*
 * Use the text of a kallsyms file, which must stay until formatter_free(). It is parsed before
 * the first event that prints a symbol.
 */
void formatter_set_kallsyms(struct event_formatter *t, const char *kallsyms, size_t size);

/*
 * Ask for the function of each address that is printed, by one thread. @ask returns NULL, or a
 * symbol that is valid while the event is printed.
 */
struct symbol;
typedef const struct symbol *ask_symbol_fn(void *data, uint64_t addr);
void formatter_ask_symbols(struct event_formatter *t, ask_symbol_fn *ask, void *data);

/* The default is times of the ring in ns, printed as seconds. */
void formatter_set_time(struct event_formatter *t, const struct time_view *view);

/*
 * Print the cgroup of each event's task before the other columns, and its number in its own
 * PID namespace: "/shop/web (7)". JSON has both as keys. The table belongs to the caller.
 */
struct dat_cgroups;
void formatter_show_cgroups(struct event_formatter *t, const struct dat_cgroups *cgroups);

/*
 * Begin the names of tasks with those of their hosts, as the names of formatter_add_comm() do,
 * and the numbers of CPUs: "web:bash-123 [web:004]". JSON has the host of each event's CPU. The
 * table belongs to the caller; NULL: no hosts.
 */
struct dat_hosts;
void formatter_set_hosts(struct event_formatter *t, const struct dat_hosts *hosts);
/* Return the host of a CPU, or NULL. */
const struct dat_host *formatter_host(const struct event_formatter *t, int cpu);
/* Append "CPU:4", or "CPU:web:4". */
void formatter_add_cpu(const struct event_formatter *t, int cpu, struct buf *out);

/*
 * Print events as the bytes of a kernel module:
 *
 *	CPU:1   123.456789: 16 bytes: 01 00 00 00 2a 00 00 00  |....*...|
 */
void formatter_raw(struct event_formatter *t, bool on);

/*
 * Use the printk section of a recording: the texts of trace_printk(), and constant strings.
 * @text ends with a 0. Return 0 or -ENOMEM.
 */
int formatter_set_constants(struct event_formatter *t, const char *text, size_t size);

/*
 * Let formatter_add_event() print a stack with a line for each function, as trace-cmd report
 * does. Off by default.
 */
void formatter_stack_lines(struct event_formatter *t, bool on);

/* Find what JSON objects need. Off by default. Call this before formats are added. */
void formatter_with_json(struct event_formatter *t, bool on);

/*
 * Load libtraceevent's plugins, which print some events in their own way, as
 * trace-cmd does. Call this before formats are added.
 */
void formatter_load_plugins(struct event_formatter *t);

/* Return the parsed format of an event, or NULL if its id has none. */
struct tep_event *formatter_event(const struct event_formatter *t, int id);
/* Append the name that lines show: with the system, if two systems have such an event. */
void formatter_add_name(const struct event_formatter *t, int id, struct buf *out);

/* Return the id of the format of @ev, or -1 if @ev is too small to have one. */
int formatter_format_id(const struct rbmap_event *ev);

/* Return whether a printer of our own prints an event: libtraceevent prints the others. */
bool formatter_has_printer(const struct event_formatter *t, int id);

/*
 * Append @ev as a line. If events were lost just before it, append "CPU:1 [LOST 412
 * EVENTS]" first. Events must come in the order of time, because names of threads are
 * learnt on the way. @ev may contain any bytes.
 */
int formatter_add_line(struct event_formatter *t, const struct rbmap_event *ev, struct buf *out);

/*
 * The parts of the line, for another layout. They are valid until the next call.
 */
struct event_info;
struct json_layout;
struct formatter_parts {
	struct rbmap_event_common common;
	const char *comm;		/* "<...>": unknown */
	const struct dat_task *task;	/* for JSON: its cgroup; NULL: not known */
	const struct dat_host *host;	/* NULL: the recording is not merged */
	const char *buffer;		/* for JSON: the name of the buffer; NULL: it has none */
	bool whole;			/* all fields are in it */
	const struct event_info *info;	/* for formatter_add_event() and formatter_add_body() */
	const struct json_layout *json;	/* for JSON; NULL: the format is unknown */
	const struct syscalls_machine *machine;	/* for names of system calls */
	bool compat;			/* a system call of a 32-bit program */
	bool is_leaf;			/* set by formatter_set_leaf() */
	struct tracer_return leaf;
};

/* Return -EINVAL if even the common fields are missing. */
int formatter_parts(struct event_formatter *t, const struct rbmap_event *ev,
		    struct formatter_parts *parts);

/* Is the event a function's call that function_graph recorded? */
bool formatter_is_call(const struct event_formatter *t, const struct rbmap_event *ev);

/*
 * If the function that is called in @call returns in @end, its next event, set this in the
 * parts of @call, and return true: then one line can show both.
 */
bool formatter_set_leaf(const struct event_formatter *t, const struct rbmap_event *call,
			const struct rbmap_event *end, struct formatter_parts *parts);

/* Append the line of an event, with its end. Return 0 or a negative errno. */
int formatter_add_event(struct event_formatter *t, const struct rbmap_event *ev,
			const struct formatter_parts *parts, struct buf *out);

/*
 * Append what the print format makes of the event, as one line without its end, even if
 * its strings contain newlines.
 */
int formatter_add_body(struct event_formatter *t, const struct rbmap_event *ev,
		       const struct formatter_parts *parts, struct buf *out);

/*
 * Return a copy of the payload with zeros behind it, so that each offset of 16 bits
 * stays in it, or NULL: out of memory. It is valid until the next call.
 */
const char *formatter_copy(struct event_formatter *t, const struct rbmap_event *ev);

#endif /* RBMAP_PRINT_EVENT_FORMATTER_H */
