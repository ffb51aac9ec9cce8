/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of rbmap top, line by line: on a terminal and with --batch. */
#ifndef RBMAP_CLI_TOP_LAYOUT_H
#define RBMAP_CLI_TOP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/terminal.h"
#include "rows.h"
#include "sample.h"

#define SEARCH_SIZE	64

/**
 * struct top_view - what the user has chosen
 * @key, @sort: an enum row_key and an enum row_sort
 * @interval: seconds from one picture to the next
 * @search: only rows with a name that contains this; "": all
 * @first: number of rows above the first one that is shown
 * @paused: the picture stays as it is
 * @help: the keys are shown in place of the rows
 * @asks: the user types @search
 */
struct top_view {
	int key;
	int sort;
	double interval;
	char search[SEARCH_SIZE];
	size_t first;
	bool paused;
	bool help;
	bool asks;
};

/**
 * struct picture - what is shown
 * @row: the rows; NULL: the first interval has not ended
 */
struct picture {
	const struct top_view *view;
	const struct sample *sample;
	const struct row *row;
	size_t nr_rows;
};

/* Show a line of at most the width that layout_draw() got. */
typedef void layout_put_fn(void *data, int line, enum colour colour, const char *text);

/*
 * Show the head and the rows. @width: columns. @height: lines; 0: as many as there are rows.
 * With a height, the last line tells the keys.
 */
void layout_draw(const struct picture *picture, int width, int height, layout_put_fn *put,
		 void *data);

/* Return how many rows a picture of this height has. */
int layout_rows(int height);

/* rbmap top --batch: text or JSON for files and pipes. */

/*
 * Print a picture with at most @most rows, or all: 0; how many more there are; and an empty
 * line.
 */
void batch_text(const struct picture *picture, uint64_t most);

/*
 * Print an interval as a line of JSON, with the rows by event, task and CPU. Return false
 * if memory is lacking.
 */
bool batch_json(const struct sample *sample, const struct counts *counts,
		const struct row_names *names);

#endif /* RBMAP_CLI_TOP_LAYOUT_H */
