// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/process.h"
#include "kernel/anonymous_buffer.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"
#include "reader.h"
#include "scenario.h"
#include "writers.h"

/*
 * Small rings, and readers that sleep at times: so events are lost, and the losses are
 * reported. While the readers do not sleep they keep up, unless the machine is busy.
 */
#define RING_KB		64
#define FOLLOW_SECONDS	0.03
#define SLEEP_SECONDS	0.03
#define NAP_US		10000

volatile sig_atomic_t selftest_interrupted;

/**
 * struct side - the readers of one way, and what they got
 * @way: the way of reading
 * @ledger: a ledger for each CPU
 * @nr_ledgers: number of CPUs
 * @reader: a reader for each CPU, or one for all
 * @thread: the thread of each reader
 * @nr_opened: number of readers that were opened
 * @nr: number of threads that run
 * @stopped: the threads end, once the rings are empty
 */
struct side {
	const struct way *way;
	struct ledger *ledger;
	size_t nr_ledgers;
	struct reader *reader;
	pthread_t *thread;
	size_t nr_opened;
	size_t nr;
	bool stopped;
};

/* The argument of a thread */
struct follower {
	struct side *side;
	struct reader *reader;
};

const char *scenario_mode(const struct scenario *s)
{
	return s->overwrite ? "overwrite" : "discard";
}

static bool is_stopped(const struct side *side)
{
	return __atomic_load_n(&side->stopped, __ATOMIC_ACQUIRE);
}

static void *follow(void *data)
{
	struct follower *f = data;
	double sleep_at = now() + FOLLOW_SECONDS;

	while (!is_stopped(f->side)) {
		reader_follow(f->reader);
		if (now() < sleep_at)
			continue;
		usleep(SLEEP_SECONDS * 1e6);
		sleep_at = now() + FOLLOW_SECONDS;
	}
	reader_drain(f->reader);
	free(f);
	return NULL;
}

static void end_threads(struct side *side)
{
	__atomic_store_n(&side->stopped, true, __ATOMIC_RELEASE);
	for (size_t i = 0; i < side->nr; i++)
		pthread_join(side->thread[i], NULL);
	side->nr = 0;
}

static void end_side(struct side *side)
{
	end_threads(side);
	for (size_t i = 0; i < side->nr_opened; i++)
		reader_close(&side->reader[i]);
	free(side->ledger);
	free(side->reader);
	free(side->thread);
}

/* A merge has one reader for all ledgers, other ways have one for each. */
static bool open_readers(struct side *side)
{
	size_t nr = side->way->merged ? 1 : side->nr_ledgers;

	for (size_t i = 0; i < nr; i++) {
		struct reader *r = &side->reader[i];

		*r = (struct reader) {
			.way	= side->way,
			.ledger	= &side->ledger[i],
			.nr	= side->way->merged ? side->nr_ledgers : 1,
			.fd	= -1,
			.pipe	= { -1, -1 },
		};
		side->nr_opened++;
		if (!reader_open(r))
			return false;
	}
	return true;
}

/* On failure, report the error. */
static bool begin_side(struct side *side, const struct way *way, const struct cpustats *stats,
		       size_t nr)
{
	*side = (struct side) {
		.way		= way,
		.nr_ledgers	= nr,
		.ledger		= calloc(nr, sizeof(*side->ledger)),
		.reader		= calloc(nr, sizeof(*side->reader)),
		.thread		= calloc(nr, sizeof(*side->thread)),
	};
	if (!side->ledger || !side->reader || !side->thread) {
		complain("out of memory");
		return false;
	}
	for (size_t i = 0; i < nr; i++)
		side->ledger[i].cpu = stats[i].cpu;
	if (open_readers(side))
		return true;
	complain("%s: %s", way->name, side->ledger[side->nr_opened - 1].error);
	return false;
}

static bool start_threads(struct side *side)
{
	for (size_t i = 0; i < side->nr_opened; i++) {
		struct follower *f = malloc(sizeof(*f));

		if (f)
			*f = (struct follower){ side, &side->reader[i] };
		if (!f || pthread_create(&side->thread[i], NULL, follow, f)) {
			free(f);
			complain("cannot start a thread: out of memory");
			return false;
		}
		side->nr++;
	}
	return true;
}

static void drain(struct side *side)
{
	for (size_t i = 0; i < side->nr_opened; i++)
		reader_drain(&side->reader[i]);
}

static const char *side_error(const struct side *side)
{
	for (size_t i = 0; i < side->nr_ledgers; i++)
		if (side->ledger[i].error[0])
			return side->ledger[i].error;
	return NULL;
}

/* The ring's own counters must agree with those of the reader that consumes. */
static void check_counters(struct side *side)
{
	size_t nr;
	struct cpustats *stats = cpustats_read(&nr);

	for (size_t i = 0; stats && i < nr && i < side->nr_ledgers; i++) {
		struct ledger *l = &side->ledger[i];
		const uint64_t *v = stats[i].value;

		if (v[CPUSTAT_READ] != l->received)
			ledger_wrong(l, "%" PRIu64 " received, but the ring counts %" PRIu64 " as read",
				     l->received, v[CPUSTAT_READ]);
		if (v[CPUSTAT_LOST] != l->lost)
			ledger_wrong(l, "%" PRIu64 " reported as lost, but the ring counts %" PRIu64,
				     l->lost, v[CPUSTAT_LOST]);
	}
	free(stats);
}

/* Sum up what was emitted, and compare it with what the readers got. */
static int check_side(struct side *side, int writers, __u64 *emitted)
{
	struct rbmap_selftest_counts counts;

	for (size_t i = 0; i < side->nr_ledgers; i++) {
		struct ledger *l = &side->ledger[i];
		int ret = writers_count(writers, l->cpu, &counts);

		if (ret)
			return ret;
		if (!counts.last && sum_of_contexts(counts.emitted))
			ledger_wrong(l, "the CPU went offline meanwhile: run the selftest again");
		ledger_end(l, &counts);
		for (unsigned int c = 0; c < RBMAP_SELFTEST_CONTEXTS; c++)
			emitted[c] += counts.emitted[c];
	}
	return 0;
}

/* A test in which a context writes nothing would show nothing. */
static void check_contexts(struct scenario *s)
{
	for (unsigned int c = 0; c < RBMAP_SELFTEST_NMI; c++)
		if (!s->emitted[c] && !s->error[0])
			snprintf(s->error, sizeof(s->error),
				 "context %s has written no event: give more --seconds",
				 context_name(c));
	if (!s->received && !s->error[0])
		snprintf(s->error, sizeof(s->error), "no event came");
}

static void sum_up(struct scenario *s, const struct side *side, const struct side *consumer)
{
	const char *error = side_error(side);

	for (size_t i = 0; i < side->nr_ledgers; i++) {
		s->received += side->ledger[i].received;
		s->lost += side->ledger[i].lost;
	}
	if (!error && (error = side_error(consumer)) && consumer != side)
		snprintf(s->error, sizeof(s->error), "%s beside it: %.120s", consumer->way->name,
			 error);
	else if (error)
		snprintf(s->error, sizeof(s->error), "%s", error);
	check_contexts(s);
}

static void wait_for(double seconds)
{
	double end = now() + seconds;

	while (now() < end && !selftest_interrupted)
		usleep(NAP_US);
}

/* Drain the consumer first: a full ring in discard mode refuses the last events. */
static int write_and_read(int writers, struct side *side, struct side *consumer, double seconds)
{
	int ret = writers_start(writers, control_buffer());

	if (ret)
		return ret;
	wait_for(seconds);
	ret = writers_stop(writers);
	end_threads(consumer);
	end_threads(side);
	if (!ret)
		ret = writers_write_last(writers);
	drain(consumer);
	drain(side);
	return ret;
}

static bool run_sides(struct scenario *s, int writers, struct side *side,
		      struct side *consumer, double seconds)
{
	__u64 unused[RBMAP_SELFTEST_CONTEXTS] = { 0 };
	int ret;

	if (!start_threads(side) || (consumer != side && !start_threads(consumer)))
		return false;
	ret = write_and_read(writers, side, consumer, seconds);
	if (!ret)
		ret = check_side(side, writers, s->emitted);
	if (!ret && consumer != side)
		ret = check_side(consumer, writers, unused);
	if (ret) {
		complain("the module rbmap_selftest failed: %s: install it and this command from the same source",
			 strerror(-ret));
		return false;
	}
	check_counters(consumer);
	sum_up(s, side, consumer);
	return true;
}

static bool read_buffer(struct scenario *s, int writers, double seconds)
{
	struct side side = { 0 }, other = { 0 };
	struct cpustats *stats;
	bool observes = s->way->observes, good;
	size_t nr;

	stats = cpustats_read(&nr);
	if (!stats)
		return false;
	good = begin_side(&side, s->way, stats, nr) &&
	       (!observes || begin_side(&other, WAY_CONSUMER, stats, nr)) &&
	       run_sides(s, writers, &side, observes ? &other : &side, seconds);
	end_side(&side);
	end_side(&other);
	free(stats);
	return good;
}

static void complain_create(int error, const char *message)
{
	if (error == -EPERM || error == -EACCES) {
		if (!control_complain_lockdown())
			complain("no permission to make a buffer: run 'rbmap selftest' as root");
	} else {
		complain("cannot make a buffer for the selftest: %s%s%s", strerror(-error),
			 *message ? ": " : "", message);
	}
}

bool scenario_run(struct scenario *s, int writers, double seconds)
{
	struct anonymous_buffer kept;
	char settings[64], message[1024];
	bool good;
	int ret;

	snprintf(settings, sizeof(settings), "buffer_size_kb=%d overwrite=%d clock=local", RING_KB,
		 s->overwrite);
	ret = anonymous_buffer_create(&kept, "selftest", settings, message, sizeof(message));
	if (ret) {
		complain_create(ret, message);
		return false;
	}
	control_set_buffer(kept.name);
	good = read_buffer(s, writers, seconds);
	control_set_buffer(NULL);
	anonymous_buffer_destroy(&kept);
	return good;
}
