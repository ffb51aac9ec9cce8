// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the one probe function, called with the types of different tracepoints. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "dynamic_memory.h"

static struct {
	const void	*data;
	unsigned long	arg[12];
	unsigned int	calls;
} seen;

static unsigned int nr_passed;

void rbmap_dynamic_record(void *data, struct rbmap_fetch_args *args)
{
	const unsigned long *stack = (const unsigned long *)args->stack;

	assert_false(args->blind);
	seen.data = data;
	seen.calls++;
	for (unsigned int i = 0; i < nr_passed; i++)
		seen.arg[i] = i < RBMAP_REGISTER_ARGS ?
			      args->registers[i] :
			      stack[i - RBMAP_REGISTER_ARGS];
}

/* Call the probe through a pointer that the compiler cannot resolve. */
static void *volatile probe;
static int data;

static int setup(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	probe = rbmap_dynamic_probe;
	return 0;
}

static void saw(unsigned int nr)
{
	assert_ptr_equal(seen.data, &data);
	assert_int_equal(seen.calls, 1);
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(seen.arg[i], 0x1111111111111111UL * (i + 1));
	seen.calls = 0;
}

#define A(n)	(0x1111111111111111UL * (n))
#define L	unsigned long

static void test_words(void **state)
{
	(void)state;
	nr_passed = 0;
	((void (*)(void *))probe)(&data);
	saw(0);
	nr_passed = 1;
	((void (*)(void *, L))probe)(&data, A(1));
	saw(1);
	nr_passed = 5;
	((void (*)(void *, L, L, L, L, L))probe)(&data, A(1), A(2), A(3), A(4),
						 A(5));
	saw(5);
	nr_passed = 6;
	((void (*)(void *, L, L, L, L, L, L))probe)(&data, A(1), A(2), A(3),
						    A(4), A(5), A(6));
	saw(6);
	nr_passed = 12;
	((void (*)(void *, L, L, L, L, L, L, L, L, L, L, L, L))probe)(&data,
		A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9), A(10),
		A(11), A(12));
	saw(12);
}

static void test_narrow(void **state)
{
	typedef void (*narrow)(void *, char, bool, short, const void *, int,
			       unsigned char, long, unsigned int, int16_t);

	(void)state;
	nr_passed = 9;
	((narrow)probe)(&data, -1, true, -2, &data, -3, 200, -4, 4000000000U,
			-5);
	assert_int_equal((int8_t)seen.arg[0], -1);
	assert_int_equal((uint8_t)seen.arg[1], 1);
	assert_int_equal((int16_t)seen.arg[2], -2);
	assert_ptr_equal((void *)seen.arg[3], &data);
	assert_int_equal((int32_t)seen.arg[4], -3);
	assert_int_equal((uint8_t)seen.arg[5], 200);
	assert_int_equal((long)seen.arg[6], -4);
	assert_int_equal((uint32_t)seen.arg[7], 4000000000U);
	assert_int_equal((int16_t)seen.arg[8], -5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_words, setup),
		cmocka_unit_test_setup(test_narrow, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
