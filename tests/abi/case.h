/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A case: what the interface promises, by name, and what came of it.  Each
 * prints a result in TAP whose text is "NAME = OUTCOME"; the outcome is one
 * word or few, the same each time, so that two rings can be compared by it.
 */
#ifndef CASE_H
#define CASE_H

#include <stdbool.h>
#include <stdint.h>

/* A number. */
bool case_is(int64_t got, int64_t wanted, const char *name, ...)
	__attribute__((format(printf, 3, 4)));

/* An errno; 0: "works". */
bool case_error(int got, int wanted, const char *name, ...)
	__attribute__((format(printf, 3, 4)));

/* "yes" is wanted. */
bool case_ok(bool good, const char *name, ...)
	__attribute__((format(printf, 2, 3)));

bool case_text(const char *got, const char *wanted, const char *name, ...)
	__attribute__((format(printf, 3, 4)));

/* A case that this ring would not survive, or that differs by chance. */
void case_not_run(const char *name, ...)
	__attribute__((format(printf, 1, 2)));

/* What a signal is called; 0: "works". */
const char *signal_word(int signal);

#endif /* CASE_H */
