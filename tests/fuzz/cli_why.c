// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes arbitrary events to rbmap why, and prints the answers. The causes of a wait must
 * sum to it.
 *
 * fuzz_events.h explains the input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_events.h"
#include "intervals/why/why_view.h"

#define MOST_CHECKED	64	/* stalls of an input */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct answer {
	struct intervals *intervals;
	struct history *history;
	struct fuzz_events events;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* Reports of the sanitizers go to stderr. */
	if (!freopen("/dev/null", "w", stdout))
		abort();
	return 0;
}

static void keep(void *data, const struct interval *interval)
{
	struct answer *answer = data;

	if (!history_add(answer->history, interval, true))
		abort();
}

static void add_format(void *data, unsigned int event, const char *format)
{
	struct answer *answer = data;

	if (intervals_add_format(answer->intervals, interval_events[event].system, format,
				 strlen(format)))
		abort();
}

static void add_event(void *data, const struct rbmap_event *ev)
{
	struct answer *answer = data;

	if (intervals_event(answer->intervals, ev))
		abort();
}

static bool yes(void *data, const struct piece *piece)
{
	(void)data;
	return piece->pid >= 0;
}

static bool no(void *data, const struct piece *piece)
{
	(void)data;
	return piece->pid < 0;
}

static void check(const struct answer *answer, const struct stalls *stalls)
{
	struct analysis *analysis = malloc(sizeof(*analysis));

	for (size_t i = 0; i < stalls->nr && i < MOST_CHECKED; i++) {
		uint64_t sum;

		stall_analyse(answer->history, &stalls->stall[i], analysis);
		sum = analysis->others;
		for (unsigned int j = 0; j < analysis->nr_causes; j++)
			sum += analysis->cause[j].time;
		if (sum != analysis->time || analysis->root >= MOST_CAUSES)
			abort();
	}
	free(analysis);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer answer = {
		.events = { .format = add_format, .event = add_event, .data = &answer, .now = 1 },
	};
	const struct stall_choice choice = { .is_wanted = yes, .is_kernel = no };
	struct time_view time = { 0 };
	struct why_view view = { .time = &time, .worst = MOST_CHECKED, .named = true };

	answer.intervals = intervals_new(keep, &answer);
	answer.history = history_new(NULL);
	intervals_pass_sleepers(answer.intervals);
	intervals_keep_comms(answer.intervals);
	fuzz_events_pass(&answer.events, data, size);
	intervals_end(answer.intervals);
	if (!stalls_find(&view.stalls, answer.history, &choice))
		abort();
	check(&answer, &view.stalls);
	view.teller = (struct teller){ .intervals = answer.intervals, .history = answer.history,
				       .time = &time };
	if (!why_view_text(&view) || !why_view_json(&view, "local"))
		abort();
	stalls_free(&view.stalls);
	history_free(answer.history);
	intervals_free(answer.intervals);
	return 0;
}
