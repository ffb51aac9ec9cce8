/* SPDX-License-Identifier: GPL-2.0-only */
/* All ways of reading, in both modes, against writers in all contexts. */
#ifndef RBMAP_LIVE_SELFTEST_SUITE_H
#define RBMAP_LIVE_SELFTEST_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario.h"

#define SELFTEST_SECONDS	10.0
#define MAX_SCENARIOS		16

/**
 * struct selftest - what is to be done, and the results
 * @seconds: time for all scenarios
 * @module: file of the module, or NULL
 * @done: is called after each scenario, the last one of @scenario; may be NULL
 * @scenario: the scenarios that ran
 * @nr: their number
 */
struct selftest {
	double seconds;
	const char *module;
	void (*done)(const struct selftest *t);
	struct scenario scenario[MAX_SCENARIOS];
	size_t nr;
};

/*
 * Run all scenarios. If that is impossible or was interrupted, report why and return
 * false.
 */
bool selftest_run(struct selftest *t);

/* Return the first scenario that failed, or NULL. */
const struct scenario *selftest_failed(const struct selftest *t);

/* Return how many events NMIs have written in all scenarios. */
uint64_t selftest_nmis(const struct selftest *t);

#endif /* RBMAP_LIVE_SELFTEST_SUITE_H */
