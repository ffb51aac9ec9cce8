// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/cli.h"
#include "kinds.h"
#include "measure.h"
#include "recording/dat_comms.h"
#include "recording/dat_read.h"

#define PROGRESS_EVENTS	4096	/* between two looks at the clock */

static bool load(struct latency *l)
{
	const struct dat_text *formats;
	size_t nr = dat_formats(l->in.reader, &formats);

	for (size_t i = 0; i < nr; i++)
		if (intervals_add_format(l->intervals, formats[i].system, formats[i].text,
					 formats[i].size))
			return false;
	dat_each_comm(l->in.reader, latency_add_comm, l);
	return !l->failed;
}

/* The user has chosen a kind: its events must have been recorded. */
static bool check_kinds(const struct latency *l)
{
	for (int kind = 0; l->some_kinds && kind < NR_INTERVAL_KINDS; kind++) {
		if (!l->kind[kind] || intervals_has_kind(l->intervals, kind))
			continue;
		complain("%s has no events for the kind %s: record -e %s -e %s",
			 l->in.path, kinds[kind].name, kinds[kind].events[0],
			 kinds[kind].events[1]);
		return false;
	}
	return true;
}

static void show_progress(struct latency *l)
{
	if (progress_due(&l->progress))
		progress_show(&l->progress, "%s: %.0f %%, %" PRIu64 " events", l->in.path,
			      100 * dat_done(l->in.reader), l->view.events);
}

/* Return 0, or an error of dat_next(). */
static int read_events(struct latency *l)
{
	struct rbmap_event ev;
	int ret;

	while ((ret = dat_next(l->in.reader, &ev)) == 1 && ev.ts <= l->in.to) {
		if (ev.ts < l->in.from)
			continue;
		if (!latency_event(l, &ev))
			return -ENOMEM;
		if (!(l->view.events % PROGRESS_EVENTS))
			show_progress(l);
	}
	for (unsigned int cpu = 0; !ret && !l->in.until && cpu < dat_cpus(l->in.reader); cpu++)
		latency_lost(l, dat_lost_last(l->in.reader, cpu));
	return ret < 0 ? ret : 0;
}

int latency_of_recording(struct latency *l)
{
	int ret, status = input_open(&l->in);

	if (status)
		return status;
	progress_begin(&l->progress);
	if (!latency_begin(l) || !load(l))
		return input_failed(&l->in, -ENOMEM);
	if (!check_kinds(l) || !input_set_times(&l->in))
		return STATUS_ERROR;
	ret = read_events(l);
	progress_end(&l->progress);
	if (!ret && !latency_end(l, dat_clock(l->in.reader)))
		ret = -ENOMEM;
	if (ret)
		return input_failed(&l->in, ret);
	if (fflush(stdout) || ferror(stdout))
		return STATUS_ERROR;	/* finish_stdout() reports the cause */
	fprintf(stderr, "%" PRIu64 " events, %s%" PRIu64 " lost\n", l->view.events,
		l->view.lost_unknown ? "more than " : "", l->view.lost);
	return input_tell_damage(&l->in, "used");
}
