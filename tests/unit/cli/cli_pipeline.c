// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batches that several threads work on: each one once, the results in order, and errors.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/pipeline.h"

#define MOST_BATCHES	(2 * PIPELINE_THREADS)

struct batch {
	unsigned int number;
	unsigned int worked;
};

/* @busy: set by a worker while it works; it is not atomic on purpose */
struct run {
	unsigned int finished;
	unsigned int fails_in_work;	/* the number of that batch; 0: none */
	unsigned int fails_in_finish;
	unsigned int threads;
	unsigned int busy[PIPELINE_THREADS];
};

static int work(void *data, void *arg, unsigned int worker)
{
	struct run *run = data;
	struct batch *batch = arg;

	assert_true(worker < run->threads);
	assert_int_equal(run->busy[worker]++, 0);
	/* Batches end in another order than they begin. */
	for (unsigned int i = 0; i < batch->number % 3; i++)
		sched_yield();
	batch->worked++;
	assert_int_equal(--run->busy[worker], 0);
	return batch->number == run->fails_in_work ? -ENOMEM : 0;
}

static int finish(void *data, void *arg)
{
	struct run *run = data;
	const struct batch *batch = arg;

	assert_int_equal(batch->worked, 1);
	assert_int_equal(batch->number, ++run->finished);
	return batch->number == run->fails_in_finish ? -EIO : 0;
}

/* Put so many batches, and return the first error. */
static int put(struct pipeline *p, unsigned int nr)
{
	struct batch *batch;
	int ret = 0;

	for (unsigned int i = 1; i <= nr && !ret; i++) {
		ret = pipeline_get(p, (void **)&batch);
		if (ret)
			break;
		batch->number = i;
		batch->worked = 0;
		pipeline_put(p);
	}
	return ret;
}

static int run(struct run *r, unsigned int threads, unsigned int nr)
{
	static const struct pipeline_ops ops = { work, finish };
	struct batch batches[MOST_BATCHES];
	void *batch[MOST_BATCHES];
	struct pipeline *p;
	int ret, error;

	for (unsigned int i = 0; i < MOST_BATCHES; i++)
		batch[i] = &batches[i];
	r->threads = threads;
	r->finished = 0;
	p = pipeline_new(&ops, r, batch, threads);
	assert_non_null(p);
	ret = put(p, nr);
	error = pipeline_flush(p);
	pipeline_free(p);
	return ret ? ret : error;
}

static void test_order(void **state)
{
	static const unsigned int number[] = { 0, 1, 2, 3, 4, 5, 100, 1000 };
	static const unsigned int threads[] = { 1, 2, 3, 4, 7, PIPELINE_THREADS };
	struct run r = { 0 };

	(void)state;
	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
		for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
			assert_int_equal(run(&r, threads[t], number[i]), 0);
			assert_int_equal(r.finished, number[i]);
		}
	}
}

/* The batches before the failure are finished, and none after it. */
static void test_errors(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads < 6; threads++) {
		for (unsigned int at = 1; at < 20; at++) {
			struct run in_work = { .fails_in_work = at };
			struct run in_finish = { .fails_in_finish = at };

			assert_int_equal(run(&in_work, threads, 30), -ENOMEM);
			assert_int_equal(in_work.finished, at - 1);
			assert_int_equal(run(&in_finish, threads, 30), -EIO);
			assert_int_equal(in_finish.finished, at);
		}
	}
}

/* A pipeline may be freed while its threads work. */
static void test_early_end(void **state)
{
	static const struct pipeline_ops ops = { work, finish };
	struct batch batches[MOST_BATCHES];
	void *batch[MOST_BATCHES];

	(void)state;
	for (unsigned int i = 0; i < MOST_BATCHES; i++)
		batch[i] = &batches[i];
	for (unsigned int nr = 0; nr < 8; nr++) {
		struct run r = { .threads = 4 };
		struct pipeline *p = pipeline_new(&ops, &r, batch, r.threads);

		assert_non_null(p);
		assert_int_equal(put(p, nr), 0);
		pipeline_free(p);
		assert_true(r.finished <= nr);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_early_end),
	};

	return cmocka_run_group_tests_name("cli_pipeline", tests, NULL, NULL);
}
