/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of rbmap report that belong to --html. */
#ifndef RBMAP_REPORT_HTML_HTML_OPTIONS_H
#define RBMAP_REPORT_HTML_HTML_OPTIONS_H

#include "command/options.h"
#include "html.h"

set_option_fn html_add_task;
int html_add_pid(const struct command *cmd, struct html *html, int pid);

/* The structure has members html, a struct html, and as_html, which says that it is used. */
#define HTML_OPTIONS(structure)						\
	{ .name = "html", .target = FLAG(structure, as_html),		\
	  .help = "write one page for a browser, which needs no network" }, \
	{ .name = "output", .letter = 'o', .arg = "PAGE", .kind = "file", \
	  .target = STRING(structure, html.output),			\
	  .help = "name of the page; default: FILE with .html; -: standard\n" \
		  "output" },						\
	{ .name = "task", .arg = "PATTERN", .kind = "text",		\
	  .target = OPTION_TO(html_add_task, struct html, structure, html), \
	  .help = "give tasks of such a name a lane of their own in the page;\n" \
		  "may be given more than once; default: the tasks that had\n" \
		  "the worst latencies" }

#endif /* RBMAP_REPORT_HTML_HTML_OPTIONS_H */
