/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's types, as its BTF describes them: arguments of tracepoints,
 * members of structures, and both as C.
 *
 * Functions that return false have said why in @error, in one line.
 */
#ifndef RBMAP_CLI_BTF_TYPES_H
#define RBMAP_CLI_BTF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/btf.h>

struct buf;

struct btf_types_module {
	char *name;		/* NULL: the kernel's own */
	struct btf *btf;
};

struct btf_types {
	struct btf_types_module *v;	/* the kernel first */
	size_t nr;
};

/*
 * Of the running kernel and its loaded modules; or of @nr_files files, raw or
 * ELF: the kernel's first, then those of modules.
 */
bool btf_types_open(struct btf_types *types, char *const *files, size_t nr_files,
		    char *error, size_t size);
void btf_types_close(struct btf_types *types);

#define TRACEPOINT_ARGS_MAX	12	/* a probe has no more */

struct tracepoint_arg {
	char name[64];		/* argN where BTF has none */
	uint32_t type;
};

struct tracepoint_args {
	const char *name;	/* of the tracepoint */
	const struct btf *btf;
	const char *module;	/* that has it; NULL: the kernel */
	unsigned int nr;
	struct tracepoint_arg v[TRACEPOINT_ARGS_MAX];
};

/* The arguments of a tracepoint; without the void * that all probes have. */
bool btf_types_tracepoint(const struct btf_types *types, const char *name,
			  struct tracepoint_args *args, char *error, size_t size);

/* Calls @visit with the name of each tracepoint, some of them twice. */
void btf_types_each_tracepoint(const struct btf_types *types,
			       void (*visit)(void *data, const char *name),
			       void *data);

const char *ktype_name(const struct btf *btf, const struct btf_type *type);

/* A name of an integer as C has it, for the one that a compiler has given. */
const char *ktype_spelled(const char *name);

/* Without typedefs, const and the like: where they lead to. */
const struct btf_type *ktype_bare(const struct btf *btf, uint32_t id,
				uint32_t *bare_id);

/* Text is made of it. */
bool ktype_is_char(const struct btf *btf, uint32_t id);

struct member {
	const char *name;	/* NULL: a structure or union without one */
	uint32_t type;
	uint64_t offset;	/* bits */
	unsigned int bits;	/* of a bit-field; 0: it is none */
};

struct member ktype_member(const struct btf *btf, const struct btf_type *type,
			    unsigned int i);

/* Those of anonymous structures inside are members too; @visit ends it: true. */
bool ktype_each_member(const struct btf *btf, const struct btf_type *type,
		     bool (*visit)(void *data, const struct member *member),
		     void *data);

/* A declaration of @name in C: "char comm[16]"; @name may be "". */
void ktype_declare(struct buf *out, const struct btf *btf, uint32_t id,
		 const char *name);

#endif /* RBMAP_CLI_BTF_TYPES_H */
