/* SPDX-License-Identifier: GPL-2.0-only */
/* The description of a page's data, as JSON: names, lanes, sums, the longest intervals. */
#ifndef RBMAP_CLI_HTML_META_H
#define RBMAP_CLI_HTML_META_H

#include <stdio.h>

struct input;
struct page;

/* Write the elements with the description and the index. Return 0 or -ENOMEM. */
int meta_write(const struct page *page, const struct input *in, FILE *out);

#endif /* RBMAP_CLI_HTML_META_H */
