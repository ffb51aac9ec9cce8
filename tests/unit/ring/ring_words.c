// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the packed words, at their limits and where they wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <rbmap/ring/position.h>

#include <cmocka.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const u64 seqs[] = {
	0, 1, 2, (1ULL << 28) - 1, 1ULL << 28, (1ULL << 28) + 1,
	(1ULL << 43) - 1, 1ULL << 43, (1ULL << 44) - 2, (1ULL << 44) - 1,
};

static const u32 ids[] = { 0, 1, 2, 255, 256, 32767, 32768, 65534, 65535 };

static const u32 offsets[] = {
	0, 4, 8, 4096 - 16, 65536, (2 << 20) - 4, (4 << 20) - 16, (4 << 20) - 4,
};

static const u32 slots[] = {
	2, 3, 4, 5, 7, 8, 9, 352, 1000, 4095, 4096, 32767, 32768, 65533, 65534,
};

static void test_tail(void **state)
{
	size_t s, i, o;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(seqs); s++)
	for (i = 0; i < ARRAY_SIZE(ids); i++)
	for (o = 0; o < ARRAY_SIZE(offsets); o++) {
		u64 tail = rbmap_tail(seqs[s], ids[i], offsets[o]);

		assert_int_equal(rbmap_tail_seq(tail), seqs[s] % (1 << 28));
		assert_int_equal(rbmap_tail_id(tail), ids[i]);
		assert_int_equal(rbmap_tail_offset(tail), offsets[o]);
	}
	assert_true(rbmap_tail(1, 2, 12) == (1ULL << 36 | 2ULL << 20 | 3));
	assert_true(rbmap_tail((1 << 28) - 1, 65535, (4 << 20) - 4) == ~0ULL);
}

/* The fast path adds len / 4 to the whole word. */
static void test_tail_advances(void **state)
{
	const u32 last = (4 << 20) - 16;
	u64 tail = rbmap_tail((1 << 28) - 1, 65534, last - 8) + (8 >> 2);

	(void)state;
	assert_int_equal(rbmap_tail_offset(tail), last);
	assert_int_equal(rbmap_tail_id(tail), 65534);
	assert_int_equal(rbmap_tail_seq(tail), (1 << 28) - 1);
}

static void test_commit(void **state)
{
	size_t s, o;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(seqs); s++)
	for (o = 0; o < ARRAY_SIZE(offsets); o++) {
		u64 commit = rbmap_commit_word(seqs[s], offsets[o]);

		assert_true(rbmap_commit_seq(commit) == seqs[s]);
		assert_int_equal(rbmap_commit_offset(commit), offsets[o]);
	}
	assert_true(rbmap_commit_word(1, 12) == (1ULL << 20 | 3));
}

static void test_slot(void **state)
{
	size_t s, i, f;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(seqs); s++)
	for (i = 0; i < ARRAY_SIZE(ids); i++)
	for (f = 0; f < 2; f++) {
		u64 slot = rbmap_slot(seqs[s], ids[i], f);

		assert_true(rbmap_slot_seq(slot) == seqs[s]);
		assert_int_equal(rbmap_slot_id(slot), ids[i]);
		assert_int_equal(rbmap_slot_free(slot), f);
	}
	assert_true(rbmap_slot(1, 2, true) == (1ULL << 20 | 2 << 4 | 1));
}

static void test_modulus(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		u64 modulus = rbmap_seq_modulus(slots[i]);

		assert_true(modulus % slots[i] == 0);
		assert_true(modulus % (1ULL << 28) == 0);
		assert_true(modulus <= 1ULL << 44);
		assert_true(modulus > 1ULL << 43);
		/* The largest seq fits into a slot. */
		assert_true(rbmap_slot_seq(rbmap_slot(modulus - 1, 0, 0)) ==
			    modulus - 1);
	}
}

static void test_add_and_sub_wrap(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		const u64 m = rbmap_seq_modulus(slots[i]);
		u64 n;

		assert_true(rbmap_seq_add(m - 1, 1, m) == 0);
		assert_true(rbmap_seq_add(m - 2, 1, m) == m - 1);
		assert_true(rbmap_seq_add(m - 1, slots[i], m) == slots[i] - 1);
		assert_true(rbmap_seq_sub(0, 1, m) == m - 1);
		assert_true(rbmap_seq_sub(0, slots[i], m) == m - slots[i]);
		assert_true(rbmap_seq_sub(slots[i], slots[i], m) == 0);
		assert_true(rbmap_seq_sub(0, 0, m) == 0);
		assert_true(rbmap_seq_add(0, 0, m) == 0);
		for (n = 0; n < 3 * slots[i]; n++) {
			u64 from = m - slots[i];
			u64 to = rbmap_seq_add(from, n, m);

			assert_true(to < m);
			assert_true(rbmap_seq_sub(to, n, m) == from);
			/* Slots stay in step when seq wraps. */
			assert_int_equal(rbmap_seq_index(to, slots[i]),
					 n % slots[i]);
		}
	}
}

static void test_diff(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		const u64 m = rbmap_seq_modulus(slots[i]);
		const u64 from[] = { 0, 1, m / 2, m - 2, m - 1, 12345 };
		const u64 by[] = { 0, 1, 2, slots[i], 1 << 28, m / 4, m / 2 - 1 };
		size_t b;

		for (k = 0; k < ARRAY_SIZE(from); k++)
		for (b = 0; b < ARRAY_SIZE(by); b++) {
			u64 to = rbmap_seq_add(from[k], by[b], m);

			assert_true(rbmap_seq_diff(to, from[k], m) ==
				    (s64)by[b]);
			assert_true(rbmap_seq_diff(from[k], to, m) ==
				    -(s64)by[b]);
		}
	}
}

static void test_expand(void **state)
{
	size_t i, k, b;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		const u64 m = rbmap_seq_modulus(slots[i]);
		const u64 base[] = {
			0, 1, (1 << 28) - 1, 1 << 28, m - (1 << 28) - 1,
			m - (1 << 28), m - 2, m - 1, m / 2,
		};
		const u64 ahead[] = {
			0, 1, 2, slots[i], 65534, (1 << 28) - 1,
		};

		for (k = 0; k < ARRAY_SIZE(base); k++)
		for (b = 0; b < ARRAY_SIZE(ahead); b++) {
			u64 seq = rbmap_seq_add(base[k], ahead[b], m);
			u32 bits = rbmap_tail_seq(rbmap_tail(seq, 0, 0));

			assert_true(rbmap_seq_expand(bits, base[k], m) == seq);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_tail_advances),
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_slot),
		cmocka_unit_test(test_modulus),
		cmocka_unit_test(test_add_and_sub_wrap),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_expand),
	};

	return cmocka_run_group_tests_name("ring_words", tests, NULL, NULL);
}
