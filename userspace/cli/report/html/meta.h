/* SPDX-License-Identifier: GPL-2.0-only */
/* The description of a page's data, as JSON: names, lanes, sums, the longest intervals. */
#ifndef RBMAP_REPORT_HTML_META_H
#define RBMAP_REPORT_HTML_META_H

#include <stdio.h>

struct dat_times;
struct page;
struct time_view;

/**
 * struct origin - the recording that a page shows
 * @path: its name
 * @clock, @uname: NULL: not known
 * @why: the answers of rbmap why as JSON, or NULL
 */
struct origin {
	const char *path;
	const char *clock, *uname;
	const struct dat_times *times;
	const struct time_view *time;
	const char *why;
	size_t why_size;
};

/* Write the elements with the description and the index. Return 0 or -ENOMEM. */
int meta_write(const struct page *page, const struct origin *origin, FILE *out);

#endif /* RBMAP_REPORT_HTML_META_H */
