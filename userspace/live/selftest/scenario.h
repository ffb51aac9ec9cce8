/* SPDX-License-Identifier: GPL-2.0-only */
/* One way of reading against all writers, in one mode, in a buffer of its own. */
#ifndef RBMAP_LIVE_SELFTEST_SCENARIO_H
#define RBMAP_LIVE_SELFTEST_SCENARIO_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ledger.h"

struct way;

/**
 * struct scenario - a scenario and its result
 * @way: the way of reading
 * @overwrite: the mode of a full ring
 * @emitted: number of events, by context
 * @received: number of events that the reader got
 * @lost: number of events that it was told are lost
 * @error: the first fault, or ""
 */
struct scenario {
	const struct way *way;
	bool overwrite;
	__u64 emitted[RBMAP_SELFTEST_CONTEXTS];
	uint64_t received;
	uint64_t lost;
	char error[LEDGER_ERROR];
};

/* Set by a signal: the scenarios end at once. */
extern volatile sig_atomic_t selftest_interrupted;

/*
 * Let the writers run for some seconds. @writers: the file of writers_open(). Return false
 * if the scenario could not be run. The error has been reported then.
 */
bool scenario_run(struct scenario *s, int writers, double seconds);

const char *scenario_mode(const struct scenario *s);

#endif /* RBMAP_LIVE_SELFTEST_SCENARIO_H */
