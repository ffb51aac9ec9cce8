/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Formats of events come from files, which can contain anything. libtraceevent pads
 * numbers to any width, and reads arrays of any length.
 */
#ifndef RBMAP_PRINT_FIELDS_FORMAT_CHECK_H
#define RBMAP_PRINT_FIELDS_FORMAT_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct array_lengths;
struct tep_event;

/* Return whether all fields, common ones too, are within the first 64 KiB of a record. */
bool format_has_sane_fields(const struct tep_event *event);

/*
 * Find the lengths of the arrays that libtraceevent prints. Return false if one is not
 * known, if a width is not a small constant, or if memory is lacking. *lengths is NULL if
 * there are no arrays.
 */
bool format_find_lengths(struct tep_event *event, struct array_lengths **lengths);
void array_lengths_free(struct array_lengths *lengths);

/* Return whether all arrays of a record have less than 64 KiB. @record has @size bytes. */
bool array_lengths_are_sane(const struct array_lengths *lengths, const char *record,
			    uint32_t size);

#endif /* RBMAP_PRINT_FIELDS_FORMAT_CHECK_H */
