/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as text, in the lines of tracefs. */
#ifndef RBMAP_DEVICE_TEXT_PRINT_H
#define RBMAP_DEVICE_TEXT_PRINT_H

#include <linux/sched.h>
#include <linux/trace_events.h>

#include "event/event.h"

/* Kinds of events that a file prints without looking each one up again. */
#define RBMAP_PRINTER_EVENTS	16
/*
 * Names of tasks that it remembers after their end.  Pids that have the same remainder share
 * four entries, so that two tasks with such pids do not take the place of each other.
 */
#define RBMAP_PRINTER_NAMES	256
#define RBMAP_PRINTER_WAYS	4
/* Pairs of a name and a number of a task in a record. */
#define RBMAP_PRINTER_PAIRS	2
/* Pointers to texts in a record, bytes of the copy of such a text, and of all copies */
#define RBMAP_PRINTER_TEXTS	2
#define RBMAP_PRINTER_TEXT	64
#define RBMAP_PRINTER_COPIES	(RBMAP_PRINTER_TEXTS * RBMAP_PRINTER_TEXT)

/**
 * struct rbmap_printer_event - an event that the kernel's code prints
 * @id: its number in records; 0: the entry is unused
 * @file: the kernel's event, to which there is a reference
 * @tr: the trace_array whose options the kernel's code looks at, or NULL
 * @nr_pairs: number of tasks whose names its records have
 * @pair: offsets of the name and of the number
 * @nr_texts: number of pointers to texts in its records
 * @text: their offsets
 */
struct rbmap_printer_event {
	u16			id;
	struct trace_event_file	*file;
	struct trace_array	*tr;
	unsigned int		nr_pairs;
	struct {
		u16	name;
		u16	pid;
	} pair[RBMAP_PRINTER_PAIRS];
	unsigned int		nr_texts;
	u16			text[RBMAP_PRINTER_TEXTS];
};

struct rbmap_printer_name {
	pid_t	pid;
	char	name[TASK_COMM_LEN];
};

/**
 * struct rbmap_printer - what prints records for an open file
 * @iter: the kernel's print functions get this; @iter.seq has the text
 * @room: bytes at @record, without those of the copies of texts, which are behind
 * @record: the record, in which the kernel's number of the event replaces rbmap's
 * @keeps_addresses: the records may have the kernel's addresses, and not hashes
 * @counts_cycles: times are cycles, and not nanoseconds
 * @next: entry of @events to use next
 * @events: events that were looked up
 * @names: names of tasks, by number, those used last first
 */
struct rbmap_printer {
	struct trace_iterator		iter;
	u32				room;
	void				*record;
	bool				keeps_addresses;
	bool				counts_cycles;
	unsigned int			next;
	struct rbmap_printer_event	events[RBMAP_PRINTER_EVENTS];
	struct rbmap_printer_name	names[RBMAP_PRINTER_NAMES][RBMAP_PRINTER_WAYS];
};

struct rbmap_printer *rbmap_printer_create(void);
void rbmap_printer_free(struct rbmap_printer *printer);
int rbmap_printer_make_room(struct rbmap_printer *printer, u32 size);
void rbmap_printer_release(struct rbmap_printer *printer);
void rbmap_print_lost(struct rbmap_printer *printer, int cpu, u64 lost);
void rbmap_print_record(struct rbmap_printer *printer, int cpu, u64 time, u32 size);
void rbmap_print_raw(struct rbmap_printer *printer, int cpu, u64 time, u32 size);

static inline struct trace_seq *rbmap_printer_text(struct rbmap_printer *printer)
{
	return &printer->iter.seq;
}

#endif /* RBMAP_DEVICE_TEXT_PRINT_H */
