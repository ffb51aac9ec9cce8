/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Translate a user's fields of a probe to the kernel's syntax:
 *
 *	sched_switch prev->pid prev->comm
 *	t:tracepoints/sched_switch sched_switch prev_pid=+1256($arg2):s32 ...
 */
#ifndef RBMAP_LIVE_PROBE_FETCH_H
#define RBMAP_LIVE_PROBE_FETCH_H

#include "field_expr.h"
#include "btf_types.h"

#define FETCH_FIELDS_MAX	32	/* in a probe */
#define FETCH_ELEMENTS_MAX	64	/* in an array */
#define FETCH_DEREFS_MAX	8	/* in a field */

/*
 * The place that a path leads to: a register ($argN), or memory at an offset
 * from an address that the kernel fetches first.
 */
struct place {
	uint32_t type;		/* type at the place, with typedefs */
	bool memory;
	char address[192];	/* text that fetches the address, or the register */
	uint64_t offset;	/* in bits, for memory */
	unsigned int bits;	/* size of a bit-field in bits; 0: no bit-field */
	unsigned int derefs;
};

/*
 * Follow @expr->arg and its steps. If that fails, return false and store the
 * reason in @error.
 */
bool fetch_place(const struct tracepoint_args *args,
		 const struct field_expr *expr, struct place *place,
		 char *error, size_t size);

/* Append " NAME=FETCH:TYPE" for a field. */
bool fetch_field(struct buf *out, const struct tracepoint_args *args,
		 const struct field_expr *expr, char *error, size_t size);

/* Append all of @fields. Without fields, append the arguments as numbers. */
bool fetch_fields(struct buf *out, const struct tracepoint_args *args,
		  char *const *fields, size_t nr_fields, char *error,
		  size_t size);

#endif /* RBMAP_LIVE_PROBE_FETCH_H */
