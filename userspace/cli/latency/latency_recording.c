// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "common/cli.h"
#include "kinds.h"
#include "measure.h"
#include "recording/dat_comms.h"
#include "recording/dat_read.h"
#include "show/input_events.h"

static bool load(struct latency *l)
{
	const struct dat_text *formats;
	size_t nr = dat_formats(l->in.reader, &formats);

	for (size_t i = 0; i < nr; i++)
		if (intervals_add_format(l->intervals, formats[i].system, formats[i].text,
					 formats[i].size))
			return false;
	intervals_set_uname(l->intervals, dat_uname(l->in.reader));
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

static int each_event(void *data, const struct rbmap_event *ev)
{
	return latency_event(data, ev) ? 0 : -ENOMEM;
}

static int each_lost(void *data, unsigned int cpu, uint64_t lost)
{
	(void)cpu;
	latency_lost(data, lost);
	return 0;
}

int latency_of_recording(struct latency *l)
{
	int ret;

	if (!latency_begin(l) || !load(l))
		return input_failed(&l->in, -ENOMEM);
	if (!check_kinds(l) || !input_set_times(&l->in))
		return STATUS_ERROR;
	ret = input_each_event(&l->in, NULL, each_event, each_lost, l);
	if (!ret && !latency_end(l, dat_clock(l->in.reader)))
		ret = -ENOMEM;
	if (ret)
		return input_failed(&l->in, ret);
	if (fflush(stdout) || ferror(stdout))
		return STATUS_ERROR;	/* finish_stdout() reports the cause */
	input_tell_sums(l->view.events, l->view.lost, l->view.lost_unknown);
	return input_tell_damage(&l->in, "used");
}
