/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A session has what the lines of a recording, or of the running module, have in common: formats
 * of events, names of threads, symbols, and what is shown. line.h prints with it.
 *
 * `stream` prints what the running module writes, `report` what a trace.dat contains. They
 * differ in the sources of formats, names of threads and symbols.
 *
 * One thread uses a session at a time; only the lines of other threads read it meanwhile.
 * Functions that can fail return a negative errno.
 */
#ifndef RBMAP_PRINT_SESSION_H
#define RBMAP_PRINT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rbmap.h>
#include <rbmap.h>

#include "base/buf.h"
#include "time_view.h"
#include "tracer_events.h"

struct dat_host;
struct dat_task;
struct print_session;

struct print_session *print_session_new(void);		/* NULL: out of memory */
void print_session_free(struct print_session *s);

/*
 * Set the layout of the lines, before formats are added and lines are made. The default is
 * that of trace_pipe: a pid has 7 columns, the flags are shown, and the name of the event has
 * as many columns as it has characters.
 */
void print_session_set_layout(struct print_session *s, unsigned int pid_width, bool with_flags,
			      unsigned int name_width);

/*
 * Set the layout of rbmap report, which is that of trace-cmd report, or JSON. Call this before
 * formats are added.
 */
void print_session_set_report_layout(struct print_session *s, bool as_json);

/*
 * Set how lines print times, before they are made. The default is times of the ring in ns,
 * printed as seconds.
 */
void print_session_set_time(struct print_session *s, const struct time_view *view);

/* Set the recording that the formats are from, for crash_guard(). The default is 0. */
void print_session_set_file(struct print_session *s, unsigned int file);

/* Set what stands before the id of an event without a known format; by default "event ". */
void print_session_show_unknown_as(struct print_session *s, const char *prefix);

/* Set the kernel that made the events: "SYSTEM HOST RELEASE MACHINE". The default is this one. */
void print_session_set_uname(struct print_session *s, const char *uname);

/* Set the bytes of a long of the recorded kernel, before formats are added. */
void print_session_set_long_size(struct print_session *s, unsigned int size);

/*
 * Use the text of a kallsyms file, which must stay until print_session_free(). It is parsed
 * before the first event that prints a symbol.
 */
void print_session_set_kallsyms(struct print_session *s, const char *kallsyms, size_t size);

/*
 * Ask for the function of each address that is printed, by one thread. @ask returns NULL, or a
 * symbol that is valid while the event is printed.
 */
struct symbol;
typedef const struct symbol *ask_symbol_fn(void *data, uint64_t addr);
void print_session_ask_symbols(struct print_session *s, ask_symbol_fn *ask, void *data);

/* Return the function of an address as the session knows it, or NULL. @session: a session. */
const struct symbol *print_session_find_symbol(void *session, uint64_t addr);

/*
 * Print the cgroup of each event's task before the other columns, and its number in its own
 * PID namespace: "/shop/web (7)". JSON has both as keys. The table belongs to the caller.
 */
struct dat_cgroups;
void print_session_show_cgroups(struct print_session *s, const struct dat_cgroups *cgroups);

/*
 * Begin the names of tasks with those of their hosts, as the names of print_session_add_comm()
 * do, and the numbers of CPUs: "web:bash-123 [web:004]". JSON has the host of each event's CPU.
 * The table belongs to the caller; NULL: no hosts.
 */
struct dat_hosts;
void print_session_set_hosts(struct print_session *s, const struct dat_hosts *hosts);
/* Return the host of a CPU, or NULL. */
const struct dat_host *print_session_host(const struct print_session *s, int cpu);
/* Append "CPU:4", or "CPU:web:4". */
void print_session_add_cpu(const struct print_session *s, int cpu, struct buf *out);

/*
 * Print events as the bytes of a kernel module:
 *
 *	CPU:1   123.456789: 16 bytes: 01 00 00 00 2a 00 00 00  |....*...|
 */
void print_session_raw(struct print_session *s, bool on);

/*
 * Use the printk section of a recording: the texts of trace_printk(), and constant strings.
 * @text ends with a 0. Return 0 or -ENOMEM.
 */
int print_session_set_constants(struct print_session *s, const char *text, size_t size);

/*
 * Let print_line_add_event() print a stack with a line for each function, as trace-cmd report
 * does. Off by default.
 */
void print_session_stack_lines(struct print_session *s, bool on);

/* Find what JSON objects need. Off by default. Call this before formats are added. */
void print_session_with_json(struct print_session *s, bool on);

/*
 * Load libtraceevent's plugins, which print some events in their own way, as
 * trace-cmd does. Call this before formats are added.
 */
void print_session_load_plugins(struct print_session *s);

/* The parts of an event's line. They are valid until the parts of the next event are found. */
struct event_info;
struct json_layout;
struct event_parts {
	struct rbmap_event_common common;
	const char *comm;		/* "<...>": unknown */
	const struct dat_task *task;	/* for JSON: its cgroup; NULL: not known */
	const struct dat_host *host;	/* NULL: the recording is not merged */
	const char *buffer;		/* for JSON: the name of the buffer; NULL: it has none */
	bool whole;			/* all fields are in it */
	const struct event_info *info;	/* for print_line_add_event() and print_line_add_body() */
	const struct json_layout *json;	/* for JSON; NULL: the format is unknown */
	const struct syscalls_machine *machine;	/* for names of system calls */
	bool compat;			/* a system call of a 32-bit program */
	bool is_leaf;			/* set by print_session_set_leaf() */
	struct tracer_return leaf;
};

/*
 * Find the parts of an event. Events must come in the order of time, because names of threads
 * are learnt on the way. Return -EINVAL if even the common fields are missing.
 */
int print_session_find_parts(struct print_session *s, const struct rbmap_event *ev,
			     struct event_parts *parts);

/* Is the event a function's call that function_graph recorded? */
bool print_session_is_call(const struct print_session *s, const struct rbmap_event *ev);

/*
 * If the function that is called in @call returns in @end, its next event, set this in the
 * parts of @call, and return true: then one line can show both.
 */
bool print_session_set_leaf(const struct print_session *s, const struct rbmap_event *call,
			    const struct rbmap_event *end, struct event_parts *parts);

#endif /* RBMAP_PRINT_SESSION_H */
