// SPDX-License-Identifier: GPL-2.0-only
/* The hash table and the growing array of base/, beside plain arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/hash.h"

#define KEYS	300
#define STEPS	20000

struct element {
	bool used;
	int key;
	int value;
};

static int key_of(const struct element *e)
{
	return e->key;
}

static bool is_of(const struct element *e, int key)
{
	return e->key == key;
}

/* Only a few hashes, the last slots among them: elements form chains that go round. */
static size_t crowded(int key)
{
	return (size_t)0 - key % 3;
}

static size_t spread(int key)
{
	return hash_u32(key);
}

HASH_TABLE(crowded_table, struct element);
HASH_FUNCTIONS(crowded_table, struct element, int, 4, crowded, is_of, key_of);
HASH_TABLE(spread_table, struct element);
HASH_FUNCTIONS(spread_table, struct element, int, 4, spread, is_of, key_of);

#define CHECK_TABLE(name)						\
static void check_##name(const struct name *table, const int *value, size_t nr) \
{									\
	const struct element *e;					\
	size_t seen = 0;						\
									\
	hash_for_each(table, e) {					\
		assert_int_equal(e->value, value[e->key]);		\
		seen++;							\
	}								\
	assert_int_equal(seen, nr);					\
	assert_int_equal(table->nr, nr);				\
	for (int key = 0; key < KEYS; key++) {				\
		e = name##_find(table, key);				\
		assert_int_equal(!!e, !!value[key]);			\
		if (e)							\
			assert_int_equal(e->value, value[key]);		\
	}								\
}									\
									\
static void test_##name(void **state)					\
{									\
	struct name table = { 0 };					\
	int value[KEYS] = { 0 };					\
	size_t nr = 0;							\
									\
	(void)state;							\
	check_##name(&table, value, nr);				\
	for (int step = 1; step <= STEPS; step++) {			\
		/* The table is filled and emptied by turns. */		\
		int key = random() % KEYS;				\
		bool fill = step / 1000 % 2 ? random() % 8 == 0 : random() % 8; \
		struct element *e;					\
									\
		if (fill) {						\
			e = name##_place(&table, key);			\
			assert_non_null(e);				\
			assert_int_equal(e->used, !!value[key]);	\
			if (!e->used) {					\
				table.nr++;				\
				nr++;					\
			}						\
			*e = (struct element){ true, key, step };	\
			value[key] = step;				\
		} else if (value[key]) {				\
			name##_remove(&table, name##_find(&table, key)); \
			value[key] = 0;					\
			nr--;						\
		}							\
		if (step % 50 == 0)					\
			check_##name(&table, value, nr);		\
	}								\
	free(table.slot);						\
}									\
struct name

CHECK_TABLE(crowded_table);
CHECK_TABLE(spread_table);

#define HOSTILE_KEYS	20000

/* Return in how many slots a search of all keys looks. */
static size_t slots_of_searches(const struct spread_table *table)
{
	const struct element *e;
	size_t sum = 0;

	hash_for_each(table, e)
		sum += ((e - table->slot - spread(e->key)) & (table->nr_slots - 1)) + 1;
	return sum;
}

/* Keys that differ in some bits alone, anywhere, do not have the same slots. */
static void test_spread(void **state)
{
	(void)state;
	for (unsigned int shift = 0; shift <= 16; shift++) {
		struct spread_table table = { 0 };

		for (unsigned int i = 1; i <= HOSTILE_KEYS; i++) {
			int key = (unsigned int)i << shift;
			struct element *e = spread_table_place(&table, key);

			assert_non_null(e);
			table.nr += !e->used;
			*e = (struct element){ true, key, 0 };
		}
		assert_int_equal(table.nr, HOSTILE_KEYS);
		/* Random slots of a table that is half full are about 1.5 for each key. */
		assert_true(slots_of_searches(&table) < 3 * HOSTILE_KEYS);
		free(table.slot);
	}
}

#define NR_HASHES	4096

/* Nobody who does not know the secret knows what has the same hash. */
static void test_secret(void **state)
{
	static bool has[NR_HASHES];
	size_t nr = 0;

	(void)state;
	/* All of these had the same 32 bits in the product with the golden ratio. */
	for (uint64_t i = 0; i < NR_HASHES; i++) {
		bool *slot = &has[hash_u64(i * 0xf1de83e19937733dULL) % NR_HASHES];

		nr += !*slot;
		*slot = true;
	}
	/* Random hashes would be in 63 % of the slots. */
	assert_true(nr > NR_HASHES / 2);
}

/* A sanitizer finds an element outside of the memory. */
static void check_array(size_t first)
{
	uint64_t *v = NULL;
	size_t nr = 0;

	for (int step = 0; step < STEPS; step++) {
		if (random() % 1000 == 0)
			nr -= nr ? random() % (nr + 1) : 0;
		assert_true(array_grow_from(v, nr, first));
		v[nr] = nr;
		nr++;
		for (size_t i = nr > 9 ? nr - 9 : 0; i < nr; i++)
			assert_int_equal(v[i], i);
	}
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(v[i], i);
	free(v);
}

static void test_array(void **state)
{
	(void)state;
	for (size_t first = 1; first <= 1024; first *= 4)
		check_array(first);
}

/* Emptied by turns, with several elements at once */
static void test_reserve(void **state)
{
	size_t nr = 0, room = 0, had;
	uint64_t *v = NULL;

	(void)state;
	for (int step = 0; step < STEPS; step++) {
		size_t more = random() % 9;

		if (random() % 1000 == 0)
			nr = 0;
		had = room;
		assert_true(array_reserve(v, room, nr + more));
		assert_true(room >= nr + more);
		assert_true(room == had || room >= 2 * had);
		for (size_t end = nr + more; nr < end; nr++)
			v[nr] = nr;
		for (size_t i = nr > 9 ? nr - 9 : 0; i < nr; i++)
			assert_int_equal(v[i], i);
	}
	free(v);
}

static void test_extend(void **state)
{
	uint64_t *v = NULL;
	size_t nr = 0;

	(void)state;
	for (size_t least = 1; least < 2000; least += 1 + random() % 30) {
		assert_true(array_extend(v, nr, least));
		assert_int_equal(nr, least);
		for (size_t i = 0; i < nr; i++)
			assert_true(!v[i] || v[i] == i);
		assert_int_equal(v[nr - 1], 0);
		v[nr - 1] = nr - 1;
		assert_true(array_extend(v, nr, least / 2));
		assert_int_equal(nr, least);
	}
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowded_table),
		cmocka_unit_test(test_spread_table),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_secret),
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_extend),
	};

	srandom(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
