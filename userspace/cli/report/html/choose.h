/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choose the tasks that get a lane of their own, and find the answers of rbmap why. The
 * function reads all events, before the page is written.
 */
#ifndef RBMAP_REPORT_HTML_CHOOSE_H
#define RBMAP_REPORT_HTML_CHOOSE_H

#include <stddef.h>

#include "html.h"

#define MOST_TASK_LANES	512

/**
 * enum interest - why a task has a lane, in the order of the lanes
 * @INTEREST_WHY: it belongs to the chain of one of the worst waits
 * @INTEREST_NAMED: the user has named it
 * @INTEREST_WORST: it had one of the longest intervals
 * @INTEREST_OTHER: there is room for it; the page hides its lane at first
 * @INTEREST_RECORDER: it is a thread of the recorder; its lane is hidden, too
 */
enum interest {
	INTEREST_WHY, INTEREST_NAMED, INTEREST_WORST, INTEREST_OTHER, INTEREST_RECORDER,
	NR_INTERESTS
};

struct chosen_task {
	int pid;
	enum interest interest;
};

/**
 * struct chosen - what was found
 * @task: the tasks with a lane, in the order of their interest
 * @without_lane: tasks that had no room
 * @why: the answers of rbmap why as JSON
 * @needs_scan: intervals are right only behind intervals_scan_recording()
 */
struct chosen {
	struct chosen_task *task;
	size_t nr;
	size_t without_lane;
	char *why;
	size_t why_size;
	bool needs_scan;
};

/*
 * Return STATUS_OK, or the status after an error that has been reported: a pattern that
 * fits no task, for example.
 */
int choose_tasks(const struct html *html, struct input *in, struct chosen *chosen);

#endif /* RBMAP_REPORT_HTML_CHOOSE_H */
