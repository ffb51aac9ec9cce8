/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From what users write for a probe to what the kernel takes:
 *
 *	sched_switch prev->pid prev->comm
 *	t:tracepoints/sched_switch sched_switch prev_pid=+1256($arg2):s32 ...
 */
#ifndef RBMAP_CLI_FETCH_H
#define RBMAP_CLI_FETCH_H

#include "field_expr.h"
#include "btf_types.h"

#define FETCH_FIELDS_MAX	32	/* of a probe */
#define FETCH_ELEMENTS_MAX	64	/* of an array */
#define FETCH_DEREFS_MAX	8	/* of a field */

/*
 * Where a path leads: a register, $argN, or memory at an offset from an address
 * that is fetched before.
 */
struct place {
	uint32_t type;		/* of what is there, typedefs included */
	bool memory;
	char address[192];	/* what is to be fetched before, or the register */
	uint64_t offset;	/* bits, of memory */
	unsigned int bits;	/* of a bit-field; 0: it is none */
	unsigned int derefs;
};

/* Follows @expr->arg and its steps; false: @error says why. */
bool fetch_place(const struct tracepoint_args *args,
		 const struct field_expr *expr, struct place *place,
		 char *error, size_t size);

/* Adds " NAME=FETCH:TYPE" for a field. */
bool fetch_field(struct buf *out, const struct tracepoint_args *args,
		 const struct field_expr *expr, char *error, size_t size);

/* All of @fields, or the arguments as they are if there are none. */
bool fetch_fields(struct buf *out, const struct tracepoint_args *args,
		  char *const *fields, size_t nr_fields, char *error,
		  size_t size);

#endif /* RBMAP_CLI_FETCH_H */
