/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The parts of a session: session.c has its settings, session_formats.c its formats,
 * session_names.c the names of its threads. line.c reads them.
 */
#ifndef RBMAP_PRINT_SESSION_PARTS_H
#define RBMAP_PRINT_SESSION_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "columns.h"
#include "event_label.h"
#include "print/fields/syscalls.h"
#include "session_formats.h"
#include "task_fields.h"

#define MAX_NAMES	2	/* sched_switch names two threads */
#define UNKNOWN_COMM	"<...>"
#define NR_FOUND	64	/* names of threads that are at hand: a power of two */
#define NR_ASKED	4096	/* a power of two */

/*
 * The fields that contain a thread's name. @before: the name that it had before the event. @pid:
 * offset of the number. @is_path: the name is the last part of a path, and the one before is not
 * known.
 */
struct name_fields {
	struct task_field comm, before;
	uint32_t pid;
	bool is_path;
};

struct event_info {
	struct tep_event *event;
	struct printer *printer;	/* NULL: libtraceevent prints the event */
	struct syscalls_event *syscall;	/* instead, for events of system calls */
	struct tracer_event *tracer;	/* instead, for events of tracers */
	struct array_lengths *lengths;	/* for libtraceevent */
	struct json_layout *json;	/* NULL: JSON is not wanted */
	int size;			/* size of the fields that are always there */
	bool is_plain;			/* the text is one line without control characters */
	struct event_label label;
	uint64_t mark;			/* identifies the format */
	unsigned int nr_names;
	struct name_fields name[MAX_NAMES];
};

/* @ts: time of the event for which /proc was asked */
struct asked {
	int pid;
	uint64_t ts;
};

/* The name that a search for a pid has found, in that version of the names. */
struct found_comm {
	int pid;
	unsigned int version;
	const char *comm;
};

struct print_session {
	/* formats */
	struct tep_handle *tep;
	pthread_mutex_t library;	/* libtraceevent works for one thread at a time */
	struct tep_plugin_list *plugins;
	struct event_info *event[NR_EVENT_IDS];
	struct event_labels labels;
	unsigned int file;		/* for crash_guard() */
	ask_format_fn *ask_format;
	void *ask_data;
	bool format_asked[NR_EVENT_IDS];	/* once for each id */
	struct {
		const char *system, *name, *shown;
	} other;			/* the event that is shown by another name */

	/* names of threads, and their system calls */
	struct task_names *names;
	unsigned int names_version;	/* changes with each name */
	bool keeps_names;
	struct found_comm found[NR_FOUND];	/* indexed by the low bits of the pid */
	struct syscalls_machine machine;
	struct syscall_states *syscalls;
	bool comm_from_proc;
	bool asks_proc;			/* /proc has the numbers of events */
	uint64_t now;			/* ns, whatever the clock; for comm_from_proc */
	struct asked asked[NR_ASKED];	/* indexed by the low bits of the pid */

	/* symbols and constants */
	struct constants *constants;
	struct symbols *symbols;
	pthread_mutex_t symbols_lock;	/* for the thread that parses them */
	bool symbols_parsed;
	const char *kallsyms;		/* NULL: none */
	size_t kallsyms_size;
	ask_symbol_fn *ask_symbol;	/* NULL: there is nobody to ask */
	void *ask_symbol_data;

	/* the text of lines */
	struct columns layout;		/* each line begins with a copy */
	const char *unknown;		/* stands before the id of an unknown event */
	const struct dat_cgroups *cgroups;	/* NULL: they are not printed */
	const struct dat_hosts *hosts;		/* NULL: the recording is that of one host */
	bool raw;
	bool stack_lines;
	bool with_json;
};

#endif /* RBMAP_PRINT_SESSION_PARTS_H */
