/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of an event, in the line format of tracefs' trace_pipe:
 *
 *	            bash-1234    [001] d..1.  123.456789: sched_switch: ...
 *
 * `stream` prints what the running module writes, `report` what a trace.dat
 * holds: they differ in where formats, command names and symbols come from.
 *
 * Functions that can fail return a negative errno.
 */
#ifndef RBMAP_CLI_TEXT_H
#define RBMAP_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/rbmap.h>
#include <rbmap.h>

struct text;

struct text *text_new(void);		/* NULL: out of memory */
void text_free(struct text *t);

/* The format file of one event. */
int text_add_format(struct text *t, const char *system, const char *format,
		    size_t size);

/*
 * Every events/<system>/<event>/format below @events_dir, for instance
 * /sys/kernel/rbmap/events.  Returns how many were understood.
 */
int text_load_formats(struct text *t, const char *events_dir);

/* The name of a thread, as a trace.dat's table of command lines says it. */
int text_add_comm(struct text *t, int pid, const char *comm);

/* Ask /proc for threads that are not known yet.  Off at first. */
void text_comm_from_proc(struct text *t, bool on);

/* A thread that has a name keeps it, whatever events say.  Off at first. */
void text_comm_keep(struct text *t, bool on);

/* Symbols: the text of a kallsyms file, copied. */
int text_add_kallsyms(struct text *t, const char *kallsyms, size_t size);

/* Read /proc/kallsyms, at the first event that prints a symbol.  Off at first. */
void text_symbols_from_proc(struct text *t, bool on);

/*
 * Times are nanoseconds and printed as seconds (the default), or a counter
 * and printed as they are (the x86-tsc clock).
 */
void text_time_is_counter(struct text *t, bool on);

/*
 * Events are a kernel module's own bytes, and printed as such:
 *
 *	CPU:1   123.456789: 16 bytes: 01 00 00 00 2a 00 00 00  |....*...|
 */
void text_raw(struct text *t, bool on);

/*
 * libtraceevent's plugins print some events in ways of their own, as trace-cmd
 * does.  Before formats are added.
 */
void text_load_plugins(struct text *t);

/* What @ev is called: "sched_switch", or NULL if its format is not known. */
const char *text_event_name(struct text *t, const struct rbmap_event *ev);
const char *text_event_system(struct text *t, const struct rbmap_event *ev);

/*
 * Print @ev as one line, and a line "CPU:1 [LOST 412 EVENTS]" before it if
 * events were lost just before it.  Events must come in the order of time:
 * names of threads are learnt on the way.  Any bytes are safe to print.
 */
int text_print(struct text *t, const struct rbmap_event *ev, FILE *out);

/* The same in parts, for another layout; valid until the next call. */
struct tep_event;
struct text_parts {
	struct rbmap_event_common common;
	const char *comm;		/* "<...>": not known */
	const char *body;
	struct tep_event *event;	/* NULL: its format is not known */
	const void *record;		/* the payload, with zeros behind it */
	bool whole;			/* all fields are in it */
};

/* -EINVAL: not even the common fields are there. */
int text_parts(struct text *t, const struct rbmap_event *ev,
	       struct text_parts *parts);

/* " 1234.567890: " */
void text_print_time(const struct text *t, uint64_t ts, FILE *out);

#endif /* RBMAP_CLI_TEXT_H */
