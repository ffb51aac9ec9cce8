/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results of a test program, in TAP. With TAP_STOP=1 in the environment, the program ends
 * after its first failure. A program that exits after results without
 * done_testing() or bail_out() has failed, and still prints a plan. Results of its child
 * processes count, too.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdint.h>

/* Each prints a result and returns true if it is good. */
bool ok(bool good, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool is(int64_t got, int64_t wanted, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Compare errno values; 0 is success. Wrong ones are printed by name. */
bool is_error(int got, int wanted, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A program may also include cmocka.h, which has a macro of that name. */
#undef skip
void skip(const char *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print each line of the text as a comment. */
void diag(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* End the program because it cannot test anything. */
void bail_out(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* Print the plan and return the exit status: 1 after a failure, or without a result. */
int done_testing(void);

/* Return the name of an errno, which is the same on each machine. */
const char *error_name(int error);

#endif /* TAP_H */
