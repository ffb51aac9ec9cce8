// SPDX-License-Identifier: GPL-2.0-only
/* The history of rbmap why keeps what has room, beside all intervals themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "intervals/why/history.h"

#define MOST	100
#define NR	1000
#define TASKS	7

/* The interval of a number ends at ten times that number, and tasks take turns. */
static void add(struct history *h, int i)
{
	struct interval interval = {
		.kind = INTERVAL_OFFCPU, .pid = 1 + i % TASKS, .begin = 10 * i, .end = 10 * i + 5,
		.name = "sleeping", .comm = "",
	};

	assert_true(history_add(h, &interval, true));
}

/* The lists of all tasks have exactly the pieces that are kept. */
static void check_lists(const struct history *h, int first, int last)
{
	const struct piece *piece;
	size_t sum = 0;

	assert_int_equal(history_pieces(h, &piece), last - first + 1);
	for (int i = first; i <= last; i++)
		assert_int_equal(piece[i - first].begin, 10 * i);
	for (int pid = 1; pid <= TASKS; pid++) {
		const struct piece_list *list = history_of_task(h, INTERVAL_OFFCPU, pid);

		for (size_t i = 0; i < list->nr; i++) {
			assert_int_equal(history_piece(h, list, i)->pid, pid);
			assert_true(!i || history_piece(h, list, i)->end >
						  history_piece(h, list, i - 1)->end);
		}
		sum += list->nr;
	}
	assert_int_equal(sum, last - first + 1);
}

static void newest_are_kept(void **state)
{
	struct history *h = history_new(NULL);
	struct history_cut cut;

	(void)state;
	history_keep(h, MOST);
	for (int i = 0; i < NR; i++) {
		add(h, i);
		cut = history_cut(h);
		assert_int_equal(cut.behind, 0);
		assert_true(i < MOST ? !cut.before : i + 1 - cut.before > MOST / 2);
		assert_true(i + 1 - cut.before <= MOST);
		assert_true(!cut.before || cut.since == 10 * (cut.before - 1) + 5);
		assert_int_equal(cut.until, 10 * i + 5);
		if (i % 13 == 0 || i + 1 == NR)
			check_lists(h, cut.before, i);
	}
	history_free(h);
}

static void focus_is_kept(void **state)
{
	(void)state;
	for (int focus = 0; focus < NR; focus += 37) {
		struct history *h = history_new(NULL);
		struct history_cut cut;

		history_keep(h, MOST);
		history_set_focus(h, 10 * focus + 1);
		for (int i = 0; i < NR; i++)
			add(h, i);
		cut = history_cut(h);
		assert_true((int)cut.before <= focus);
		assert_true((int)(NR - cut.behind) > focus);
		assert_int_equal(cut.until, 10 * (NR - cut.behind - 1) + 5);
		check_lists(h, cut.before, NR - cut.behind - 1);
		history_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_are_kept),
		cmocka_unit_test(focus_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
