// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/process.h"
#include "intervals/summary/kinds.h"
#include "kernel/module_symbols.h"
#include "live/machine.h"
#include "live/task_cgroups.h"
#include "measure.h"
#include "recording/dat_read.h"
#include "recording/write/cmdlines.h"
#include "symbols/symbols.h"

#define WAIT_MS		100	/* events below the watermark wake no reader */
#define NAMES_LIMIT	(16 << 20)	/* in bytes */

/* Several kinds need the same events. */
static void choose_event(struct patterns *p, const char *name)
{
	size_t i = 0;

	while (i < p->nr && strcmp(p->pattern[i], name))
		i++;
	if (i == p->nr)
		p->pattern[p->nr++] = (char *)name;
}

static void choose_events(struct latency *l)
{
	for (int kind = 0; kind < NR_INTERVAL_KINDS; kind++)
		for (int event = 0; l->kind[kind] && event < KIND_EVENTS &&
				    kinds[kind].events[event]; event++)
			choose_event(&l->live.patterns, kinds[kind].events[event]);
	/* A task that executes a program says its new name when it leaves its CPU, or here. */
	choose_event(&l->live.patterns, "task:task_rename");
}

static bool load_formats(struct latency *l)
{
	for (size_t i = 0; i < l->live.events.nr; i++) {
		const struct control_event *event = &l->live.events.v[i];
		char *format;
		int ret;

		if (!event->selected)
			continue;
		format = live_events_format(event);
		ret = format ? intervals_add_format(l->intervals, event->system, format,
						    strlen(format)) : 0;
		free(format);
		if (ret)
			return false;
	}
	return true;
}

/* Events name the other tasks. */
static void load_comms(struct latency *l)
{
	struct cmdlines *cmdlines = cmdlines_new();
	struct buf text = { 0 };

	if (!cmdlines)
		return;
	cmdlines_scan(cmdlines, COMM_TS_BEGIN);
	cmdlines_print(cmdlines, &text, NAMES_LIMIT);
	buf_add(&text, "", 1);
	if (!text.failed)
		dat_parse_comms(text.data, latency_add_comm, l);
	buf_free(&text);
	cmdlines_free(cmdlines);
}

/* The intervals keep the names until the end. */
static const char *function_name(void *data, uint64_t addr)
{
	const struct symbol *symbol = module_symbols_find(data, addr);

	return symbol ? symbol->name : NULL;
}

static bool start(struct latency *l)
{
	if (!live_events_open(&l->live))
		return false;
	live_events_tell_selection(&l->live);
	if (!live_events_enable(&l->live))
		return false;
	l->symbols = module_symbols_new();
	if (l->symbols)
		intervals_set_symbols(l->intervals, function_name, l->symbols);
	if (load_formats(l))
		load_comms(l);
	else
		l->failed = true;
	return true;
}

static bool each_event(void *data, const struct rbmap_event *ev)
{
	return latency_event(data, ev);
}

static bool follow(struct latency *l)
{
	double deadline = l->seconds ? now() + l->seconds : 1e18, left;

	while (!live_events_interrupted() && (left = deadline - now()) > 0) {
		if (!live_events_drain(&l->live, deadline, each_event, l))
			return false;
		live_events_look(&l->live);
		if (progress_due(&l->progress))
			progress_show(&l->progress, "%" PRIu64 " events, until Ctrl-C",
				      l->view.events);
		if (!live_events_interrupted() &&
		    !live_events_wait(&l->live,
				      left * 1000 < WAIT_MS ? left * 1000 + 1 : WAIT_MS))
			return false;
	}
	/* Disable the events before the last ones are read. */
	live_events_disable(&l->live);
	live_events_continue();
	rbmap_merge_set_hold(l->live.merge, 0);
	return live_events_drain(&l->live, live_events_last_deadline(&l->live), each_event, l);
}

static bool measure(struct latency *l)
{
	struct dat_times times = { 0 };
	char *clock = control_clock();
	struct live_loss loss;
	uint64_t first;
	bool ok;

	moment_take(&times.begin, moment_clock());
	ok = follow(l);
	moment_take(&times.end, moment_clock());
	/* With --relative, latency_event() has stored the time of the first event. */
	first = l->in.time.ring;
	time_view_init(&l->in.time, &times, clock_is_counter(clock));
	if (l->in.relative)
		l->in.time.ring = first;
	l->in.time.style = input_time_style(&l->in);
	progress_end(&l->progress);
	/* Events do not carry the losses behind the last one, and what the kernel missed. */
	loss = live_events_loss(&l->live);
	l->view.lost = loss.sum.total;
	l->view.lost_unknown |= loss.more;
	ok = ok && latency_end(l, clock);
	free(clock);
	fflush(stdout);
	ok = ok && live_events_print_loss(&l->live, l->view.events, &loss);
	if (l->failed)
		complain("out of memory");
	return ok && !l->failed;
}

int latency_of_kernel(struct latency *l)
{
	bool ok;

	live_events_catch_signals();
	if (selection_begin_live(&l->in))
		return STATUS_ERROR;
	if (!latency_begin(l)) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	l->live_cgroups = dat_cgroups_new();
	l->live_devices = dat_devices_new();
	if (!l->live_cgroups || !l->live_devices) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	task_cgroups_scan(l->live_cgroups);
	intervals_set_cgroups(l->intervals, l->live_cgroups);
	block_devices_scan(l->live_devices);
	intervals_set_devices(l->intervals, l->live_devices);
	choose_events(l);
	l->live.own = &l->own;
	progress_begin(&l->progress);
	ok = start(l) && measure(l);
	live_events_disable(&l->live);
	live_events_close(&l->live);
	module_symbols_free(l->symbols);
	l->symbols = NULL;
	dat_cgroups_free(l->live_cgroups);
	dat_devices_free(l->live_devices);
	return ok ? STATUS_OK : STATUS_ERROR;
}
