/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of a test program, in TAP. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdint.h>

/* Each prints a result and returns whether it is good. */
bool ok(bool good, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool is(int64_t got, int64_t wanted, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Which errno, 0 for success: said by name where it is wrong. */
bool is_error(int got, int wanted, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void skip(const char *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void diag(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void bail_out(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* The plan, and the exit status. */
int done_testing(void);

/* An error number's name, the same on each machine. */
const char *error_name(int error);

#endif /* TAP_H */
