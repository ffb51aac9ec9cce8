/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a selection in a recording, which the files that make and use it share. */
#ifndef RBMAP_INPUT_SELECTOR_H
#define RBMAP_INPUT_SELECTOR_H

#include "base/complain.h"
#include "filter/event_filter.h"
#include "input.h"

#define NR_IDS		65536	/* common_type has 16 bits */

/**
 * struct rule - what the selection does with the events of a format
 * @chosen: --event and --filter have chosen it
 * @filter: the events must fit it; NULL: all do
 * @pid, @comm: fields with the task that an event of the scheduler is about; NULL: none
 */
struct rule {
	const struct rbmap_format *format;
	bool chosen;
	struct event_filter *filter;
	const struct rbmap_format_field *pid, *comm;
};

/**
 * struct selector - what a selection chooses in one recording
 * @chooses_events: the events are those of some rules
 * @cgroups: those of the recording, with --cgroup
 * @chosen_cgroup: whether --cgroup has chosen a cgroup, by its number; NULL: all
 * @rule: by the id of the format
 */
struct selector {
	const struct selection *selection;
	struct rbmap_formats *formats;
	const struct dat_cgroups *cgroups;
	const struct dat_hosts *hosts;
	bool *chosen_cgroup;
	bool chooses_events;
	bool chooses_tasks;
	struct rule *rule[NR_IDS];
};

static inline bool out_of_memory(void)
{
	complain("out of memory");
	return false;
}

/*
 * selection_events.c: find the formats that --event and --filter choose, and compile the
 * filter in each. On failure, report the error and return false.
 */
bool selection_choose_events(const struct selection *s, struct input *const *in, unsigned int nr);
bool selection_compile(const struct selection *s, struct input *const *in, unsigned int nr);
/* Return the rule of a format, which may be a new one; NULL: no memory. */
struct rule *selector_rule_of_format(struct selector *selector, const struct rbmap_format *format);

#endif /* RBMAP_INPUT_SELECTOR_H */
