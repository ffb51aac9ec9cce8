/* SPDX-License-Identifier: LGPL-2.1-only */
/* A compiled print format: printer_compile.c makes it, and printer.c prints by it. */
#ifndef RBMAP_PRINT_FIELDS_PRINTER_PARTS_H
#define RBMAP_PRINT_FIELDS_PRINTER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "constants.h"
#include "expression.h"

enum string_kind { TEXT, FIXED, DYNAMIC, ADDRESS, FLAGS, SYMBOL, CHOICE };

struct named_value {
	uint64_t value;
	char *name;
};

/**
 * struct string - what "%s" prints
 * @text: TEXT: the text; FLAGS: between two flags
 * @offset: place of the field
 * @size: FIXED: bytes of the field; 0: up to the end of the record
 * @relative: DYNAMIC: the place of the text counts from the end of the field
 * @number: ADDRESS, FLAGS, SYMBOL: the number to print; CHOICE: the condition
 * @value: FLAGS, SYMBOL: the names of numbers
 * @choice: CHOICE: the string if the condition is true, and the one if it is false
 */
struct string {
	enum string_kind kind;
	char *text;
	uint32_t offset;
	uint32_t size;
	bool relative;
	struct expression *number;
	struct named_value *value;
	unsigned int nr_values;
	struct string *choice[2];
};

/*
 * The last kinds are those of plugins: "(function+0x10) " or nothing, "function/0x0", and a
 * letter for each bit.
 */
enum piece_kind {
	LITERAL, DECIMAL, UNSIGNED, HEX, POINTER, FUNCTION, STRING,
	CALL_SITE, FUNCTION_FIELD, STATES,
};

/**
 * struct piece - text or a conversion of the format
 * @text: LITERAL: the text; STATES: the letters
 * @size: bytes of @text
 * @bits: size of the number that is printed: 8, 16, 32 or 64
 * @precision: most bytes of a string
 */
struct piece {
	enum piece_kind kind;
	char *text;
	size_t size;
	struct expression *number;
	struct string *string;
	unsigned int bits;
	unsigned int width;
	size_t precision;
	bool left, zeros, prefix, upper;
	bool with_offset;		/* FUNCTION: "name+0x10" */
};

struct printer {
	struct piece *piece;
	unsigned int nr_pieces;
	uint32_t need;			/* bytes that a record must have */
	bool is_plain;			/* the text never needs to be escaped */
	const struct constants *constants;	/* strings that pointers name; or NULL */
};

/* Return a new last piece, or NULL: out of memory. */
struct piece *printer_add_piece(struct printer *printer, enum piece_kind kind);

struct tep_event;

/*
 * plugin_printer.c prints frequent events that plugins of libtraceevent print: those of sched,
 * timer and kmem. The text is the same, byte for byte. Add what the event's plugin prints.
 * Return false if libtraceevent has to print the event. *then_format: the text of the print
 * format follows.
 */
bool plugin_printer_compile(struct tep_event *event, struct printer *printer,
			    bool *then_format);

#endif /* RBMAP_PRINT_FIELDS_PRINTER_PARTS_H */
