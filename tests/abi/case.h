/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A case is one promise of the interface, with a name and an outcome. Each case
 * prints a result in TAP whose text is "NAME = OUTCOME". The outcome is one
 * word or few, and the same in each run, so that ./compare can compare two
 * rings.
 */
#ifndef CASE_H
#define CASE_H

#include <stdbool.h>
#include <stdint.h>

/* Print a number. */
bool case_is(int64_t got, int64_t wanted, const char *name, ...)
	__attribute__((format(printf, 3, 4)));

/* Print an errno by its name; 0 is printed as "works". */
bool case_error(int got, int wanted, const char *name, ...)
	__attribute__((format(printf, 3, 4)));

/* Print "yes" or "no"; "yes" is expected. */
bool case_ok(bool good, const char *name, ...)
	__attribute__((format(printf, 2, 3)));

bool case_text(const char *got, const char *wanted, const char *name, ...)
	__attribute__((format(printf, 3, 4)));

/* A case that this ring would not survive, or whose outcome differs by chance. */
void case_not_run(const char *name, ...)
	__attribute__((format(printf, 1, 2)));

/* The name of a signal; "works" for 0. */
const char *signal_word(int signal);

#endif /* CASE_H */
