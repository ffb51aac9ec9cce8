// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger of rbmap selftest finds each kind of fault that a ring can have.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/selftest/ledger.h"
#include "rbmap.h"

#define CPU	3

/* One event, in the memory of the last one */
struct written {
	struct rbmap_event event;
	union {
		struct rbmap_selftest_event payload;
		char bytes[sizeof(struct rbmap_selftest_event) + 4 * RBMAP_SELFTEST_WORDS + 12];
	};
};

static struct written *event_of(uint32_t context, uint32_t number)
{
	static struct written w;
	uint32_t words = rbmap_selftest_words(CPU, context, number);
	uint32_t *word = (uint32_t *)(w.bytes + sizeof(w.payload));

	memset(&w, 0, sizeof(w));
	w.payload.cpu = CPU;
	w.payload.context = context;
	w.payload.number = number;
	for (uint32_t i = 0; i < words; i++)
		word[i] = rbmap_selftest_word(CPU, context, number, i);
	w.event.data = &w.payload;
	w.event.size = sizeof(w.payload) + 4 * words;
	w.event.ts = 1000 + number;
	return &w;
}

static void got(struct ledger *l, uint32_t context, uint32_t number, uint64_t lost)
{
	struct written *w = event_of(context, number);

	w->event.lost = lost;
	ledger_event(l, &w->event);
}

/* All contexts but one have written nothing. */
static void end(struct ledger *l, uint32_t context, uint64_t emitted)
{
	struct rbmap_selftest_counts counts = { .cpu = CPU };

	counts.emitted[context] = emitted;
	ledger_end(l, &counts);
}

static void test_balance(void **state)
{
	struct ledger l = { .cpu = CPU };

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		got(&l, RBMAP_SELFTEST_TASK, i, 0);
	/* 100 and 101 were lost, and 103 after the last event. */
	got(&l, RBMAP_SELFTEST_TASK, 102, 2);
	ledger_lost(&l, 1);
	end(&l, RBMAP_SELFTEST_TASK, 104);
	assert_string_equal(l.error, "");
	assert_int_equal(l.received, 101);
	assert_int_equal(l.lost, 3);
}

static void test_uncounted(void **state)
{
	struct ledger l = { .cpu = CPU };

	(void)state;
	got(&l, RBMAP_SELFTEST_IRQ, 0, 0);
	got(&l, RBMAP_SELFTEST_IRQ, 2, 0);
	end(&l, RBMAP_SELFTEST_IRQ, 3);
	assert_string_equal(l.error, "CPU 3: 2 received + 0 lost is not 3 emitted");
}

static void test_counted_twice(void **state)
{
	struct ledger l = { .cpu = CPU };

	(void)state;
	got(&l, RBMAP_SELFTEST_IRQ, 2, 3);
	end(&l, RBMAP_SELFTEST_IRQ, 3);
	assert_string_equal(l.error, "CPU 3: 1 received + 3 lost is not 3 emitted");
}

static void test_unknown_number(void **state)
{
	struct ledger l = { .cpu = CPU };

	(void)state;
	got(&l, RBMAP_SELFTEST_TASK, 0, RBMAP_LOST_UNKNOWN);
	assert_string_equal(l.error, "CPU 3: a loss was reported without its number");
}

/* The number of a context does not restrict the others. */
static void test_twice(void **state)
{
	struct ledger l = { .cpu = CPU };

	(void)state;
	got(&l, RBMAP_SELFTEST_NMI, 7, 7);
	got(&l, RBMAP_SELFTEST_SOFTIRQ, 7, 7);
	assert_string_equal(l.error, "");
	l.ts = 0;
	got(&l, RBMAP_SELFTEST_NMI, 7, 0);
	assert_string_equal(l.error, "CPU 3: event 7 of context nmi came twice or too late");
}

static void test_never_written(void **state)
{
	struct ledger l = { .cpu = CPU };

	(void)state;
	got(&l, RBMAP_SELFTEST_TASK, 5, 0);
	end(&l, RBMAP_SELFTEST_TASK, 1);
	assert_string_equal(l.error, "CPU 3: event 5 of context task came, but only 1 were written");
}

static void test_damaged(void **state)
{
	struct written *w;
	uint32_t number = 0;

	(void)state;
	while (rbmap_selftest_words(CPU, RBMAP_SELFTEST_TASK, number) < 2)
		number++;
	w = event_of(RBMAP_SELFTEST_TASK, number);
	for (uint32_t at = sizeof(w->payload); at < w->event.size; at++) {
		struct ledger l = { .cpu = CPU };

		w = event_of(RBMAP_SELFTEST_TASK, number);
		w->bytes[at] ^= 1;
		ledger_event(&l, &w->event);
		assert_non_null(strstr(l.error, "of context task is damaged"));
	}
}

/* A ring rounds sizes up by at most 11 bytes. */
static void test_size(void **state)
{
	static const struct {
		int more;
		bool good;
	} sizes[] = { { -4, false }, { 0, true }, { 11, true }, { 12, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct written *w = event_of(RBMAP_SELFTEST_TASK, 1);
		struct ledger l = { .cpu = CPU };

		w->event.size += sizes[i].more;
		ledger_event(&l, &w->event);
		assert_int_equal(!l.error[0], sizes[i].good);
	}
}

static void test_of_others(void **state)
{
	struct ledger l = { .cpu = CPU + 1 };

	(void)state;
	got(&l, RBMAP_SELFTEST_TASK, 0, 0);
	assert_non_null(strstr(l.error, "that the writers of this CPU did not write"));
	l = (struct ledger){ .cpu = CPU };
	got(&l, RBMAP_SELFTEST_CONTEXTS, 0, 0);
	assert_non_null(strstr(l.error, "that the writers of this CPU did not write"));
}

static void test_time(void **state)
{
	struct ledger l = { .cpu = CPU, .ts = 1005 };

	(void)state;
	got(&l, RBMAP_SELFTEST_TASK, 2, 2);
	assert_string_equal(l.error,
			    "CPU 3: event 2 of context task is 3 ns older than the one before it");
}

/* The first fault is the one that is reported. */
static void test_first(void **state)
{
	struct ledger l = { .cpu = CPU };

	(void)state;
	got(&l, RBMAP_SELFTEST_TASK, 0, RBMAP_LOST_UNKNOWN);
	got(&l, RBMAP_SELFTEST_TASK, 0, 0);
	end(&l, RBMAP_SELFTEST_TASK, 9);
	assert_string_equal(l.error, "CPU 3: a loss was reported without its number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance),
		cmocka_unit_test(test_uncounted),
		cmocka_unit_test(test_counted_twice),
		cmocka_unit_test(test_unknown_number),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_never_written),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_of_others),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
