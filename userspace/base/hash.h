/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Hash tables of structures, with open addressing. The structures lie in the table, so that
 * a lookup takes one access to memory. A pointer to one of them is valid until the next
 * NAME_place() or NAME_remove().
 */
#ifndef RBMAP_BASE_HASH_H
#define RBMAP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/**
 * HASH_TABLE - define the structure of a table
 * @name: name of the structure
 * @type: an element, which has the member bool used
 *
 * A table of zeros is an empty one. free() of the member slot frees it.
 */
#define HASH_TABLE(name, type)						\
	struct name {							\
		type *slot;						\
		size_t nr;		/* elements */			\
		size_t nr_slots;	/* 0, or a power of two */	\
	}

/* A number that another process does not know. It is odd. */
static inline uint64_t hash_secret(void)
{
	static uint64_t secret;
	uint64_t value = __atomic_load_n(&secret, __ATOMIC_RELAXED);
	const void *random;

	if (__builtin_expect(!value, false)) {
		random = (const void *)getauxval(AT_RANDOM);
		value = 0x9e3779b97f4a7c15ULL;
		if (random)
			memcpy(&value, random, sizeof(value));
		value |= 1;
		__atomic_store_n(&secret, value, __ATOMIC_RELAXED);
	}
	return value;
}

/*
 * Hashes of keys: the lowest bits choose the slot. Keys come from recordings, and nobody can
 * make a file of keys that all have the same hash. Without the shift between the products, the
 * secret would not change which keys differ in their highest bits alone. The order of a table
 * depends on the secret: what is printed must have an order of its own.
 */
static inline size_t hash_u64(uint64_t key)
{
	uint64_t secret = hash_secret(), hash = (key ^ secret) * secret;

	return (hash ^ hash >> 32) * secret >> 32;
}

static inline size_t hash_u32(uint32_t key)
{
	return hash_u64(key);
}

/*
 * A hash of @bits bits, for tables that have 2^@bits slots, do not grow, and do not get slower
 * if keys have the same hash
 */
static inline size_t hash_u64_bits(uint64_t key, unsigned int bits)
{
	return key * 0x9e3779b97f4a7c15ULL >> (64 - bits);
}

/* FNV-1a that begins with a secret: nobody can make a file of texts that have the same hash. */
static inline size_t hash_text(const char *text)
{
	uint64_t hash = hash_secret();

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211ULL;
	return hash_u64(hash);
}

/* Go through the elements of a table. A table without slots has no array, and is skipped. */
#define hash_for_each(table, element)					\
	for ((element) = (table)->slot;					\
	     (table)->slot && (element) != (table)->slot + (table)->nr_slots; (element)++) \
		if ((element)->used)

/**
 * hash_sorted - list the elements of a table in an order that does not depend on the secret
 * @table: the table
 * @compare: function for qsort(), whose arguments point to pointers to elements
 *
 * Return: an array of pointers to all elements, which the caller frees; NULL: out of memory. The
 * pointers are valid until an element is added or removed.
 */
#define hash_sorted(table, compare) ({					\
	typeof((table)->slot[0]) **sorted_ =				\
		calloc((table)->nr + 1, sizeof(*sorted_)), *element_;	\
	size_t nr_ = 0;							\
									\
	if (sorted_) {							\
		hash_for_each(table, element_)				\
			sorted_[nr_++] = element_;			\
		qsort(sorted_, nr_, sizeof(*sorted_), compare);		\
	}								\
	sorted_;							\
})

#define HASH_FUNCTION	static inline __attribute__((unused))

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
/**
 * HASH_FUNCTIONS - define the functions of a table
 * @name, @type: those of HASH_TABLE()
 * @key_type: type of a key
 * @first: slots of the first allocation, a power of two
 * @hash: function or macro with the hash of a key
 * @is_of: function or macro: element @e, by its address, has the key @key
 * @key_of: function or macro with the key of an element
 *
 * NAME_find() returns the element of a key, or NULL.
 *
 * NAME_place() returns the slot of a key, and NULL if memory is lacking. If the slot is not
 * used, the caller writes a new element with that key, sets used, and counts it in nr.
 *
 * NAME_remove() removes an element. Elements behind its slot move, because they must still be
 * found.
 */
#define HASH_FUNCTIONS(name, type, key_type, first, hash, is_of, key_of) \
HASH_FUNCTION type *name##_slot(type *slot, size_t nr_slots, key_type key) \
{									\
	size_t i = hash(key) & (nr_slots - 1);				\
									\
	while (slot[i].used && !is_of(&slot[i], key))			\
		i = (i + 1) & (nr_slots - 1);				\
	return &slot[i];						\
}									\
									\
HASH_FUNCTION bool name##_grow(struct name *table)			\
{									\
	size_t nr = table->nr_slots ? 2 * table->nr_slots : (first);	\
	type *more = calloc(nr, sizeof(*more)), *element;		\
									\
	if (!more)							\
		return false;						\
	hash_for_each(table, element)					\
		*name##_slot(more, nr, key_of(element)) = *element;	\
	free(table->slot);						\
	table->slot = more;						\
	table->nr_slots = nr;						\
	return true;							\
}									\
									\
HASH_FUNCTION type *name##_find(const struct name *table, key_type key)	\
{									\
	type *element;							\
									\
	if (!table->nr_slots)						\
		return NULL;						\
	element = name##_slot(table->slot, table->nr_slots, key);	\
	return element->used ? element : NULL;				\
}									\
									\
HASH_FUNCTION type *name##_place(struct name *table, key_type key)	\
{									\
	if (2 * table->nr >= table->nr_slots && !name##_grow(table))	\
		return NULL;						\
	return name##_slot(table->slot, table->nr_slots, key);		\
}									\
									\
HASH_FUNCTION void name##_remove(struct name *table, type *gone)	\
{									\
	size_t mask = table->nr_slots - 1, i = gone - table->slot;	\
									\
	table->slot[i].used = false;					\
	table->nr--;							\
	for (i = (i + 1) & mask; table->slot[i].used; i = (i + 1) & mask) { \
		type moved = table->slot[i];				\
									\
		table->slot[i].used = false;				\
		*name##_slot(table->slot, table->nr_slots, key_of(&moved)) = moved; \
	}								\
}									\
struct name
/* NOLINTEND(bugprone-macro-parentheses) */

#endif /* RBMAP_BASE_HASH_H */
