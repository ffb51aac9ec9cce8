/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read the kernel's types from its BTF: the arguments of tracepoints and the
 * members of structures, and write both as C.
 *
 * A function that returns false has stored the reason in @error, as one line.
 */
#ifndef RBMAP_LIVE_PROBE_BTF_TYPES_H
#define RBMAP_LIVE_PROBE_BTF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/btf.h>

struct buf;

struct btf_types_module {
	char *name;		/* NULL: the kernel itself */
	struct btf *btf;
};

struct btf_types {
	struct btf_types_module *v;	/* the kernel comes first */
	size_t nr;
};

/*
 * Open the BTF of the running kernel and of its loaded modules. If @nr_files is
 * not 0, open these files instead, raw BTF or ELF: the kernel's first, then
 * those of modules.
 */
bool btf_types_open(struct btf_types *types, char *const *files, size_t nr_files,
		    char *error, size_t size);
void btf_types_close(struct btf_types *types);

#define TRACEPOINT_ARGS_MAX	12	/* limit of the kernel */

struct tracepoint_arg {
	char name[64];		/* argN if BTF has no name */
	uint32_t type;
};

struct tracepoint_args {
	const char *name;	/* name of the tracepoint */
	const struct btf *btf;
	const char *module;	/* module that defines it; NULL: the kernel */
	unsigned int nr;
	struct tracepoint_arg v[TRACEPOINT_ARGS_MAX];
};

/*
 * Store the arguments of a tracepoint, without the void * that each probe has.
 */
bool btf_types_tracepoint(const struct btf_types *types, const char *name,
			  struct tracepoint_args *args, char *error, size_t size);

/* Call @visit with the name of each tracepoint. Some names come twice. */
void btf_types_each_tracepoint(const struct btf_types *types,
			       void (*visit)(void *data, const char *name),
			       void *data);

const char *ktype_name(const struct btf *btf, const struct btf_type *type);

/*
 * Return the C spelling of an integer's name, which compilers spell
 * differently.
 */
const char *ktype_spelled(const char *name);

/* Follow typedefs, const and the like to the type behind them. */
const struct btf_type *ktype_bare(const struct btf *btf, uint32_t id,
				uint32_t *bare_id);

/* Return whether the type is a character, so that arrays of it are text. */
bool ktype_is_char(const struct btf *btf, uint32_t id);

struct member {
	const char *name;	/* NULL: a structure or union without a name */
	uint32_t type;
	uint64_t offset;	/* in bits */
	unsigned int bits;	/* size of a bit-field in bits; 0: no bit-field */
};

struct member ktype_member(const struct btf *btf, const struct btf_type *type,
			    unsigned int i);

/*
 * Call @visit for each member, also for those of anonymous structures inside.
 * Stop if @visit returns true.
 */
bool ktype_each_member(const struct btf *btf, const struct btf_type *type,
		     bool (*visit)(void *data, const struct member *member),
		     void *data);

/* Write a declaration of @name in C: "char comm[16]". @name may be "". */
void ktype_declare(struct buf *out, const struct btf *btf, uint32_t id,
		 const char *name);

#endif /* RBMAP_LIVE_PROBE_BTF_TYPES_H */
