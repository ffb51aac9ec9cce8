// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "base/complain.h"
#include "input/input_events.h"
#include "intervals/functions.h"
#include "intervals/intervals.h"
#include "intervals/summary/kinds.h"
#include "measure.h"
#include "recording/dat_read.h"

/* The user has chosen a kind: its events must have been recorded. */
static bool check_kinds(const struct latency *l)
{
	for (int kind = 0; l->some_kinds && kind < NR_INTERVAL_KINDS; kind++) {
		if (!l->kind[kind] || intervals_has_kind(l->intervals, kind))
			continue;
		complain("%s has no events for the kind %s: record -e %s%s%s",
			 l->in.path, kinds[kind].name, kinds[kind].events[0],
			 kinds[kind].events[1] ? " -e " : "",
			 kinds[kind].events[1] ? kinds[kind].events[1] : "");
		return false;
	}
	return true;
}

/* Only rbmap records the cgroups of tasks. */
static bool has_cgroups(const struct latency *l)
{
	if (!l->has_key || l->key != ROW_CGROUP || dat_cgroups(l->in.reader))
		return true;
	complain("--by cgroup: %s does not have the cgroups of its tasks: 'rbmap record' stores them",
		 l->in.path);
	return false;
}

#define BEGIN_AGAIN	1	/* names of intervals were wrong until now: measure() begins again */
#define CHECK_EVENTS	64	/* between two looks at that: a power of two */

static int each_event(void *data, const struct rbmap_event *ev)
{
	const struct latency *l = data;

	if (!latency_event(data, ev))
		return -ENOMEM;
	if (l->view.events % CHECK_EVENTS)
		return 0;
	return intervals_wants_scan(l->intervals) ? BEGIN_AGAIN : 0;
}

static int each_lost(void *data, unsigned int cpu, uint64_t lost)
{
	(void)cpu;
	latency_lost(data, lost);
	return 0;
}

/* Forget what the buffer before had. */
static void end_buffer(struct latency *l)
{
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++) {
		summary_free(&l->summary[kind]);
		l->view.summary[kind] = NULL;
	}
	intervals_free(l->intervals);
	functions_free(l->functions);
	l->intervals = NULL;
	l->functions = NULL;
	l->view.events = 0;
	l->view.lost = 0;
	l->view.lost_unknown = false;
	l->view.left_out = 0;
}

/* Pass the events that are chosen. @scans: look at all events before. Return a status. */
static int pass_events(struct latency *l, bool scans)
{
	int ret = 0;

	if (!latency_begin(l) || !intervals_load(l->intervals, l->in.reader, &l->functions))
		return input_failed(&l->in, -ENOMEM);
	if (!check_kinds(l) || !has_cgroups(l) || !input_set_times(&l->in))
		return STATUS_ERROR;
	/* The event that tells a name may lie behind --until, or before --since. */
	if (scans || l->in.since || l->in.until)
		ret = intervals_scan_recording(l->intervals, l->in.reader, l->in.from);
	if (!ret)
		ret = input_each_event(&l->in, NULL, each_event, each_lost, l);
	return ret ? input_failed(&l->in, ret) : STATUS_OK;
}

/* Intervals of the events that are chosen. Return a status. */
static int measure(struct latency *l)
{
	int status = pass_events(l, false);

	if (!status && intervals_wants_scan(l->intervals)) {
		end_buffer(l);
		rbmap_recording_rewind(l->in.reader);
		status = pass_events(l, true);
	}
	if (!status && !latency_end(l, rbmap_recording_clock(l->in.reader)))
		status = input_failed(&l->in, -ENOMEM);
	return status;
}

/*
 * The buffers of a recording can have the same events, which would end intervals of each
 * other: each buffer has tables of its own.
 */
static int measure_buffers(struct latency *l)
{
	uint64_t events = 0, lost = 0, left_out = 0;
	bool lost_unknown = false, some = false, cut = false;
	struct rbmap_damage damage;
	int status = STATUS_OK;

	for (unsigned int i = 0; !status && i < rbmap_recording_buffers(l->in.reader); i++) {
		if (!dat_buffer_has_data(l->in.reader, i))
			continue;
		if (some && !l->as_json)
			printf("\n");
		some = true;
		rbmap_recording_choose_buffer(l->in.reader, i);
		rbmap_recording_rewind(l->in.reader);
		l->view.buffer = i ? rbmap_recording_buffer_name(l->in.reader, i) : TOP_BUFFER;
		status = measure(l);
		events += l->view.events;
		dat_sum_lost(&lost, &lost_unknown, l->view.lost);
		lost_unknown |= l->view.lost_unknown;
		left_out += l->view.left_out;
		end_buffer(l);
		damage = *rbmap_recording_damage(l->in.reader);
		/* The next buffer has damage of its own. */
		if (damage.broken)
			cut = input_tell_damage(&l->in, "used") || cut;
	}
	l->view.events = events;
	l->view.lost = lost;
	l->view.lost_unknown = lost_unknown;
	l->view.left_out = left_out;
	return status ? status : cut ? STATUS_CUT : STATUS_OK;
}

int latency_of_recording(struct latency *l)
{
	struct input *in = &l->in;
	int status = selection_begin(&in, 1);

	if (!status)
		status = input_has_buffers(&l->in) ? measure_buffers(l) : measure(l);
	if (status && status != STATUS_CUT)
		return status;
	if (fflush(stdout) || ferror(stdout))
		return STATUS_ERROR;	/* finish_stdout() reports the cause */
	input_tell_sums(&l->in, l->view.events, l->view.lost, l->view.lost_unknown,
			l->view.left_out, "intervals");
	return input_tell_damage(&l->in, "used") ? STATUS_CUT : status;
}
