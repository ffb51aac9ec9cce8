// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/process.h"
#include "kernel/control.h"
#include "reader.h"
#include "suite.h"
#include "writers.h"

#define MODES		2

/* All contexts have written on a slow machine after this time. */
#define LEAST_SECONDS	0.2

static void interrupt(int sig)
{
	(void)sig;
	selftest_interrupted = 1;
}

/* The module is removed also if the user ends the command. */
static void catch_signals(void)
{
	struct sigaction act = { .sa_handler = interrupt, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (!hangup_is_ignored())
		sigaction(SIGHUP, &act, NULL);
}

static bool run_scenario(struct selftest *t, int writers, double seconds)
{
	struct scenario *s = &t->scenario[t->nr];

	*s = (struct scenario) {
		.way		= &ways[t->nr / MODES],
		.overwrite	= t->nr % MODES == 0,
	};
	if (!scenario_run(s, writers, seconds))
		return false;
	if (selftest_interrupted) {
		complain("interrupted");
		return false;
	}
	t->nr++;
	if (t->done)
		t->done(t);
	return true;
}

/* Each scenario gets its part of the time that is left, and enough to mean something. */
static bool run_all(struct selftest *t, int writers)
{
	size_t nr = nr_ways * MODES;
	double end = now() + t->seconds;

	for (size_t i = 0; i < nr; i++) {
		double seconds = (end - now()) / (double)(nr - i);

		if (!run_scenario(t, writers, seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS))
			return false;
	}
	return true;
}

bool selftest_run(struct selftest *t)
{
	int writers;
	bool good;

	t->nr = 0;
	if (!control_present())
		return false;
	if (geteuid()) {
		complain("no permission to load a module: run 'rbmap selftest' as root");
		return false;
	}
	catch_signals();
	writers = writers_open(t->module);
	if (writers < 0)
		return false;
	good = run_all(t, writers);
	writers_close(writers);
	return good;
}

const struct scenario *selftest_failed(const struct selftest *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->scenario[i].error[0])
			return &t->scenario[i];
	return NULL;
}

uint64_t selftest_nmis(const struct selftest *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nr; i++)
		sum += t->scenario[i].emitted[RBMAP_SELFTEST_NMI];
	return sum;
}
