/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rbmap report --html: a recording as one page for a browser, which needs no network.
 *
 *	html.c -> page.c -> *_lane.c -> data/{track,events,arrows}.c -> data/store.c
 */
#ifndef RBMAP_REPORT_HTML_HTML_H
#define RBMAP_REPORT_HTML_HTML_H

#include <stdbool.h>
#include <stddef.h>

#define MOST_CHOSEN	64	/* --task and --pid options */

struct command;
struct input;

/**
 * struct html - the options
 * @command: the command that writes the page
 * @output: name of the page; NULL: the recording's name with .html; "-": standard output
 * @task: patterns for the names of tasks that get a lane of their own
 * @pid: pids of such tasks
 */
struct html {
	const struct command *command;
	const char *output;
	const char *task[MOST_CHOSEN];
	size_t nr_tasks;
	int pid[MOST_CHOSEN];
	size_t nr_pids;
};

/* Write the page, and report errors. Return the exit status. */
int html_report(struct html *html, struct input *in);

#endif /* RBMAP_REPORT_HTML_HTML_H */
