/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program of bounded fetches: the fields of a tracepoint's record, each with a
 * list of pointers to follow.  It has no loops and no jumps.
 */
#ifndef RBMAP_DYNAMIC_PROGRAM_H
#define RBMAP_DYNAMIC_PROGRAM_H

#include "arguments.h"

#define RBMAP_FETCH_FIELDS	32	/* a bit of __faults each */
#define RBMAP_FETCH_OFFSETS	8
#define RBMAP_FETCH_ELEMENTS	64
#define RBMAP_FETCH_STRINGS	15
#define RBMAP_FETCH_STRING_MAX	256	/* with the 0 at its end */
#define RBMAP_FETCH_NAME_MAX	32
#define RBMAP_DYNAMIC_NAME_MAX	64	/* no tracepoint has a longer one */

/* The first field of each record: a bit for each other one that could not be read. */
#define RBMAP_FAULTS		"__faults"

/* RBMAP_FETCH_REGISTER is a number in a register that is recorded as it is. */
enum rbmap_fetch_kind {
	RBMAP_FETCH_REGISTER,
	RBMAP_FETCH_NUMBER,
	RBMAP_FETCH_BITS,
	RBMAP_FETCH_ARRAY,
	RBMAP_FETCH_STRING,
};

/**
 * struct rbmap_fetch - a field of the record
 * @kind: enum rbmap_fetch_kind
 * @form: form of its numbers: 'u' unsigned, 's' signed, 'x' hexadecimal
 * @size: bytes of a number; for a bit-field, bytes of the containing number
 * @elements: number of elements of an array
 * @bit: lowest bit of a bit-field
 * @width: number of bits of a bit-field
 * @arg: number of the argument to begin with, from 1
 * @nr_offsets: number of pointers to follow from the argument; 0: the argument itself
 * @offset: offset to add to each pointer, innermost first
 * @at: offset of the field in the record
 * @name: name of the field
 */
struct rbmap_fetch {
	u8			kind;
	u8			arg;
	u8			size;
	u8			nr_offsets;
	u16			at;
	char			form;
	u8			elements;
	u8			bit;
	u8			width;
	s32			offset[RBMAP_FETCH_OFFSETS];
	char			name[RBMAP_FETCH_NAME_MAX + 1];
};

/* An address is a number in hexadecimal.  It must be hashed. */
static inline bool rbmap_fetch_may_be_address(const struct rbmap_fetch *fetch)
{
	return fetch->form == 'x' && fetch->size == sizeof(void *);
}

/**
 * struct rbmap_fetch_program - all fields of a record
 * @nr: number of fields
 * @nr_strings: number of strings among them
 * @reads: whether the program reads memory
 * @header: lowest offset of a field, __faults included
 * @size: bytes of the record, without the text of its strings
 * @faults: offset of __faults
 * @fetch: the fields
 */
struct rbmap_fetch_program {
	u8			nr;
	u8			nr_strings;
	bool			reads;
	u16			header;
	u16			size;
	u16			faults;
	struct rbmap_fetch	fetch[RBMAP_FETCH_FIELDS];
};

/**
 * struct rbmap_dynamic_line - a line of dynamic_events
 * @remove: the event is to be removed; only @group and @event are set
 * @group: system of the event
 * @event: name of the event
 * @tracepoint: tracepoint that the event comes from
 * @program: fields of the event
 */
struct rbmap_dynamic_line {
	bool				remove;
	char				group[RBMAP_DYNAMIC_NAME_MAX + 1];
	char				event[RBMAP_DYNAMIC_NAME_MAX + 1];
	char				tracepoint[RBMAP_DYNAMIC_NAME_MAX + 1];
	struct rbmap_fetch_program	program;
};

/**
 * struct rbmap_line_error - an error in a line
 * @at: number of bytes before the error
 * @what: cause and remedy
 */
struct rbmap_line_error {
	size_t		at;
	const char	*what;
};

/**
 * struct rbmap_fetch_strings - the strings of a record that is not reserved yet
 * @address: address of each string
 * @len: bytes of each string, with the 0 at its end
 * @fault: whether the string could not be read
 */
struct rbmap_fetch_strings {
	unsigned long	address[RBMAP_FETCH_STRINGS];
	u16		len[RBMAP_FETCH_STRINGS];
	bool		fault[RBMAP_FETCH_STRINGS];
};

/* Parse a line of dynamic_events. */
bool rbmap_dynamic_parse(const char *text, size_t len, size_t header,
			 size_t max, struct rbmap_dynamic_line *line,
			 struct rbmap_line_error *error);

/* Measure a record's fields, and fill the record. */
size_t rbmap_fetch_measure(const struct rbmap_fetch_program *program,
			   const struct rbmap_fetch_args *args,
			   struct rbmap_fetch_strings *strings);
void rbmap_fetch_fill(const struct rbmap_fetch_program *program,
		      const struct rbmap_fetch_args *args,
		      const struct rbmap_fetch_strings *strings, void *record);
void rbmap_fetch_hide_all(const void *data, void *record, size_t size);

/* The print format of a dynamic event. */
int rbmap_fetch_print_fmt(const struct rbmap_fetch_program *program, char *buf,
			  size_t size);

/* The probe of all dynamic events. */
/*
 * For any tracepoint: each has another type of function.  A pointer without a type
 * cannot be called by mistake.
 */
extern void *const rbmap_dynamic_probe;

#endif /* RBMAP_DYNAMIC_PROGRAM_H */
