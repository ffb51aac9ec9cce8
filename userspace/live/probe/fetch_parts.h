/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a field that is fetched, which fetch.c and fetch_place.c share. */
#ifndef RBMAP_LIVE_PROBE_FETCH_PARTS_H
#define RBMAP_LIVE_PROBE_FETCH_PARTS_H

#include <stdlib.h>

#include "fetch.h"

struct fetch {
	const struct tracepoint_args *args;
	const struct btf *btf;
	const struct field_expr *expr;
	struct place *place;
	size_t at;		/* offset in the text of what is not followed yet */
	char *error;
	size_t size;
};

/* fetch_place.c: store an error message. Return false. */
__attribute__((format(printf, 2, 3)))
bool fetch_refuse(struct fetch *f, const char *fmt, ...);
/* Return the part of the text that was followed so far, for printf's "%.*s". */
struct word fetch_followed(const struct fetch *f);
/* Return the type as C, or NULL if memory is exhausted. The caller frees it. */
char *fetch_type_text(const struct fetch *f, uint32_t type);

/*
 * Store an error message. @fmt prints two arguments before "...": the followed
 * part of the text, and its type.
 */
#define refuse_type(f, fmt, ...) ({					\
	char *type_ = fetch_type_text(f, (f)->place->type);		\
									\
	fetch_refuse(f, "%.*s (%s) " fmt, WORD(fetch_followed(f)),		\
		     type_ ? type_ : "?", ##__VA_ARGS__);			\
	free(type_);							\
	false;								\
})

static inline const struct btf_type *bare(const struct fetch *f)
{
	return ktype_bare(f->btf, f->place->type, NULL);
}

/* Return the type of an element or of a pointer's target. */
static inline uint32_t element_of(const struct btf_type *type)
{
	return btf_is_array(type) ? btf_array(type)->type : type->type;
}

/* Return the bits of the register that holds a structure passed by value. */
static inline unsigned int register_bits(const struct btf_type *type)
{
	return type->size > 4 ? 64 : type->size > 2 ? 32 : 8 * type->size;
}

/* Write the possible next members: all of them, or those similar to @wanted. */
void fetch_members_text(const struct fetch *f, const struct btf_type *type,
			const char *wanted, char *text, size_t size);

/* Continue with the memory that the value points to. Else return false with a message. */
bool fetch_dereference(struct fetch *f, uint32_t type);
/* Follow the argument and its steps. Return false with a message if that fails. */
bool fetch_find_place(struct fetch *f);

#endif /* RBMAP_LIVE_PROBE_FETCH_PARTS_H */
