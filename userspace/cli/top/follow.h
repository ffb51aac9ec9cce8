/* SPDX-License-Identifier: GPL-2.0-only */
/* The work of rbmap top: read events, count them, and show the counts. */
#ifndef RBMAP_CLI_TOP_FOLLOW_H
#define RBMAP_CLI_TOP_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "counts.h"
#include "layout.h"
#include "live/comm_events.h"
#include "live/live_events.h"
#include "recording/dat_cgroups.h"
#include "recording/write/cmdlines.h"
#include "sample.h"

struct terminal;

/**
 * struct top - the options, and what the command knows
 * @pictures: end after so many; 0: no limit
 * @rows: rows of a picture with --batch; 0: all
 * @self_cost: measure the probes meanwhile
 * @counts: the counts of this interval
 * @last: those of the interval before, which the picture shows
 * @row: rows of the picture
 * @label: "system:event" by id; NULL: not known
 * @reloads: number of next buffers of a driver whose events have their labels
 */
struct top {
	struct live_events live;
	struct private_buffer own;
	struct top_view view;
	uint64_t pictures;
	uint64_t rows;
	bool batch;
	bool as_json;
	bool self_cost;

	struct counts *counts, *last;
	struct cmdlines *names;
	struct dat_cgroups *cgroups;
	struct comm_events *comm_events;
	struct sampler sampler;
	struct sample sample;
	struct row *row;
	size_t nr_rows;
	struct terminal *terminal;
	char **label;
	size_t nr_labels;
	unsigned int reloads;
	uint64_t read;			/* in this interval */
	uint64_t all_read;
	uint64_t shown;			/* pictures */
};

/* Begin to count. On failure, report the error and return false. */
bool top_begin(struct top *top);

/* Show pictures until the end. Return false after an error, which has been reported. */
bool top_follow(struct top *top);

/* Free what top_begin() has allocated. */
void top_end(struct top *top);

#endif /* RBMAP_CLI_TOP_FOLLOW_H */
