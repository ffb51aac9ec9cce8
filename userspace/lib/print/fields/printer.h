/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Prints records of one event by its print format.
 *
 * libtraceevent parses the format of each event, and prints records by walking the
 * parsed tree and calling printf() for each part. A printer is compiled once from the
 * same tree and is much faster. It knows the common kinds of fields and conversions.
 * libtraceevent prints all other events. It also prints each record in which a dynamic
 * field has its data outside of the record. The text is the same, byte for byte.
 */
#ifndef RBMAP_PRINT_FIELDS_PRINTER_H
#define RBMAP_PRINT_FIELDS_PRINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "symbols/symbols.h"

struct constants;
struct tep_event;
struct printer;

/* Return the symbol of an address, or NULL. */
typedef const struct symbol *find_symbol_fn(void *data, uint64_t addr);

/* Return NULL if the format needs libtraceevent, or if memory is lacking. */
struct printer *printer_compile(struct tep_event *event);
void printer_free(struct printer *printer);

/*
 * Append the text of a record. Return false, and append nothing, if libtraceevent has to
 * print this record.
 */
bool printer_print(const struct printer *printer, const void *record, uint32_t size,
		   find_symbol_fn *find, void *data, struct buf *out);

/* Print the string of @constants for a pointer to one. They must live longer. */
void printer_set_constants(struct printer *printer, const struct constants *constants);

/* Return whether all text is one line without control characters, whatever the record has. */
bool printer_is_plain(const struct printer *printer);

#endif /* RBMAP_PRINT_FIELDS_PRINTER_H */
