// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "base/terminal.h"
#include "input.h"
#include "input_events.h"
#include "print/crash_notes.h"
#include "recording/dat_read.h"

#define PROGRESS_EVENTS	4096	/* between two looks at the clock */

static void show(struct progress *progress, const struct input *in, const char *what,
		 uint64_t events)
{
	if (progress_due(progress))
		progress_show(progress, "%s: %s%s%.0f %%, %" PRIu64 " events", in->path,
			      what ? what : "", what ? ", " : "",
			      100 * rbmap_recording_done(in->reader), events);
}

/* Events come in the order of time. */
static int each_event(struct input *in, const char *what, input_event_fn *each, void *data)
{
	struct progress progress = { 0 };
	struct rbmap_event ev;
	uint64_t seen = 0;
	int ret;

	progress_begin(&progress);
	while ((ret = rbmap_recording_next(in->reader, &ev)) == 1 && ev.ts <= in->to) {
		if (!(++seen % PROGRESS_EVENTS))
			show(&progress, in, what, seen);
		if (ev.ts < in->from)
			continue;
		ret = each(data, &ev);
		if (ret)
			break;
	}
	progress_end(&progress);
	return ret < 0 ? ret : 0;
}

static int each_lost_last(struct input *in, input_lost_fn *lost_last, void *data, int ret)
{
	for (unsigned int cpu = 0; !ret && cpu < rbmap_recording_cpus(in->reader); cpu++) {
		struct dat_loss loss = dat_loss_behind(in->reader, cpu);

		if (loss.known)
			ret = lost_last(data, cpu, loss.known);
		if (!ret && loss.more)
			ret = lost_last(data, cpu, RBMAP_LOST_UNKNOWN);
	}
	return ret;
}

int input_each_event(struct input *in, const char *what, input_event_fn *each,
		     input_lost_fn *lost_last, void *data)
{
	int ret;

	crash_notes()->section = CRASH_EVENTS;
	ret = each_event(in, what, each, data);
	if (lost_last)
		ret = each_lost_last(in, lost_last, data, ret);
	crash_notes()->section = CRASH_RESULT;
	return ret;
}

void input_tell_sums(const struct input *in, uint64_t events, uint64_t lost, bool more,
		     uint64_t left_out, const char *noun)
{
	fprintf(stderr, "%" PRIu64 " events, %s%" PRIu64 " lost", events, more ? "more than " : "",
		lost);
	if (in->selector)
		fprintf(stderr, ", %" PRIu64 " %s%snot selected", left_out, noun ? noun : "",
			noun ? " " : "");
	fputc('\n', stderr);
}
