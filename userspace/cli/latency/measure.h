/* SPDX-License-Identifier: GPL-2.0-only */
/* Measure the intervals that the user wants, from a recording or from the kernel. */
#ifndef RBMAP_CLI_LATENCY_MEASURE_H
#define RBMAP_CLI_LATENCY_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/terminal.h"
#include "input/input.h"
#include "intervals/intervals.h"
#include "intervals/summary/summary.h"
#include "intervals/summary/view.h"
#include "live/live_events.h"
#include "live/private_buffer.h"
#include "recording/dat_cgroups.h"

#define MAX_NAMES	64	/* --name options */

/**
 * struct latency - the options, and the intervals
 * @in: the recording, or the time and its style of the kernel's events
 * @own, @live, @seconds: for the kernel's events; 0: until a signal
 * @kind: the kinds that are measured
 * @some_kinds: the user has chosen them
 * @shows_all: also the sleeps of threads without work, and of rbmap's own
 * @has_key, @key: rows of all tables
 * @name: patterns for names of intervals
 * @event: the present event, which ends intervals; NULL: no event follows
 * @failed: memory was lacking
 */
struct latency {
	struct input in;
	struct private_buffer own;
	struct live_events live;
	bool is_live;
	double seconds;
	bool kind[NR_INTERVAL_KINDS];
	bool some_kinds;
	bool shows_all;
	bool has_key;
	enum row_key key;
	const char *name[MAX_NAMES];
	size_t nr_names;
	uint64_t most_worst;
	bool as_json;
	struct view view;

	struct intervals *intervals;
	struct functions *functions;
	struct dat_cgroups *live_cgroups;	/* with --live and --by cgroup */
	struct dat_devices *live_devices;	/* with --live */
	struct module_symbols *symbols;		/* with --live; NULL: none */
	struct summary summary[NR_INTERVAL_KINDS];
	const struct rbmap_event *event;
	bool failed;
	struct progress progress;
};

/* Return false if memory is lacking. */
bool latency_begin(struct latency *l);
/* Pass an event. Return false if memory is lacking. */
bool latency_event(struct latency *l, const struct rbmap_event *ev);
void latency_lost(struct latency *l, uint64_t lost);
/* Print everything. @clock: its name, or NULL. Return false if memory is lacking. */
bool latency_end(struct latency *l, const char *clock);

/* A dat_comm_fn; @data: struct latency */
void latency_add_comm(void *data, int pid, const char *comm);

/* Read the recording, or the kernel's events. Print, and return the status. */
int latency_of_recording(struct latency *l);
int latency_of_kernel(struct latency *l);

#endif /* RBMAP_CLI_LATENCY_MEASURE_H */
