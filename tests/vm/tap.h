/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of a test program, in TAP. */
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

void skip(const char *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void diag(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void bail_out(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* Print the plan and return the exit status. */
int done_testing(void);

/* Return the name of an errno, which is the same on each machine. */
const char *error_name(int error);

#endif /* TAP_H */
