/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The numbers that a print format computes from a record: "REC->flags & 0xff".
 *
 * libtraceevent has parsed the format. An expression is compiled once from its tree,
 * and has the value that libtraceevent would compute.
 */
#ifndef RBMAP_PRINT_FIELDS_EXPRESSION_H
#define RBMAP_PRINT_FIELDS_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

struct expression;
struct tep_event;
struct tep_format_field;
struct tep_print_arg;

/* A field that has a fixed place in each record of the event. */
bool field_is_fixed(const struct tep_format_field *field);

/* Return the field of an argument, or NULL: the event has no such field. */
struct tep_format_field *field_of(struct tep_event *event, const char *name,
				  struct tep_format_field *field);

/*
 * Return NULL if the tree has a node that is not known here, or if memory is lacking.
 * Each record must have the bytes up to *@need, which grows by this.
 */
struct expression *expression_compile(struct tep_event *event,
				      const struct tep_print_arg *arg,
				      uint32_t *need);
void expression_free(struct expression *e);

/*
 * Return the value. Sets *@failed if the value depends on bytes outside of the record,
 * or on a division by 0.
 */
uint64_t expression_value(const struct expression *e, const char *record,
			  uint32_t size, bool *failed);

/*
 * Return whether the value depends on one field and on constants alone. Store the place
 * of the field. *@offset must be EXPRESSION_NO_FIELD, or the field of other expressions.
 */
#define EXPRESSION_NO_FIELD	UINT32_MAX
bool expression_has_one_field(const struct expression *e, uint32_t *offset);

/*
 * Store the place of a dynamic array. Return false if the place is not in the record.
 * Such an array is empty for libtraceevent, or begins elsewhere.
 */
bool dynamic_place(const char *record, uint32_t size, uint32_t field, bool relative,
		   uint32_t *offset, uint32_t *len);

#endif /* RBMAP_PRINT_FIELDS_EXPRESSION_H */
