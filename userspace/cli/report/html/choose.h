/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choose the tasks that get a lane of their own. The function reads all events, before the
 * page is written, unless the user has named pids alone.
 */
#ifndef RBMAP_REPORT_HTML_CHOOSE_H
#define RBMAP_REPORT_HTML_CHOOSE_H

#include "html.h"

#define MOST_CHOSEN_PIDS	64

struct chosen {
	int pid[MOST_CHOSEN_PIDS];
	unsigned int nr;
};

/*
 * Return STATUS_OK, or the status after an error that has been reported: a pattern that
 * fits no task, for example.
 */
int choose_tasks(const struct html *html, struct input *in, struct chosen *chosen);

#endif /* RBMAP_REPORT_HTML_CHOOSE_H */
