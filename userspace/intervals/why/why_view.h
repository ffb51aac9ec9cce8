/* SPDX-License-Identifier: GPL-2.0-only */
/* Print the answers of rbmap why, as text or as JSON. */
#ifndef RBMAP_INTERVALS_WHY_VIEW_H
#define RBMAP_INTERVALS_WHY_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroup_causes.h"
#include "history.h"
#include "sentence.h"
#include "stall.h"

/**
 * struct why_view - what is printed
 * @worst: most stalls
 * @by_cgroup: the causes are summed up for each cgroup, in place of the stalls
 * @table: these sums, in order
 * @named: the user has chosen tasks or a time: idle waits are printed, too
 * @selects: the user has chosen a part of the waits
 * @events, @lost: numbers of all events
 * @lost_unknown: more were lost than is known
 */
struct why_view {
	const struct time_view *time;
	struct teller teller;
	struct stalls stalls;
	uint64_t worst;
	bool by_cgroup;
	struct cgroup_table table;
	bool named;
	bool selects;
	uint64_t events, lost;
	bool lost_unknown;
};

struct json;

/* Append the worst stalls as an array of that name. Return their number; -1: no memory. */
int why_view_json_add_stalls(const struct why_view *view, struct json *j);
/* Return the number of stalls beside the @shown ones, without idle ones unless @named. */
size_t why_view_more(const struct why_view *view, size_t shown);
/* Append how many intervals had no room in memory, and where they are in the recording. */
void why_view_json_add_cut(const struct why_view *view, struct json *j);
/* Append the array "lacking": what the recording would need to show more. */
void why_view_json_add_missing(const struct why_view *view, struct json *j);

/* Print to stdout. Return false if memory is lacking. */
bool why_view_text(const struct why_view *view);
bool why_view_json(const struct why_view *view, const char *clock);

#endif /* RBMAP_INTERVALS_WHY_VIEW_H */
