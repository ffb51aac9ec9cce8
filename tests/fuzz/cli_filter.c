// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filter records by an expression, with a damaged format: the input is the expression, the lines
 * of the format's fields and a record, each ended by a 0. An accepted expression is safe to run on any
 * record of any size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/event_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Take the bytes up to the next 0 as a string, which the caller frees. */
static char *take_string(const uint8_t **data, size_t *size)
{
	size_t len = strnlen((const char *)*data, *size);
	char *text = malloc(len + 1);

	memcpy(text, *data, len);
	text[len] = '\0';
	len += len < *size;
	*data += len;
	*size -= len;
	return text;
}

static void match_all(const struct event_filter *filter, const uint8_t *data, size_t size)
{
	/* The record ends where its memory ends. */
	for (size_t cut = 0; cut <= size && cut < 64; cut++) {
		size_t left = size - cut;
		void *record = malloc(left + !left);
		struct rbmap_event ev = { .data = record, .size = left };

		memcpy(record, data, left);
		event_filter_match(filter, &ev, "bash");
		free(record);
	}
}

/* Put the head of a format before the lines of its fields, and free these. */
static char *format_of(char *fields)
{
	char *text = NULL;

	if (asprintf(&text, "name: made\nID: 7\nformat:\n"
		     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		     "%s\nprint fmt: \"\"\n", fields) < 0)
		abort();
	free(fields);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *expression = take_string(&data, &size), *text = format_of(take_string(&data, &size));
	const struct rbmap_format *format;
	struct event_filter_error error;
	struct rbmap_formats *formats;
	struct event_filter *filter;

	if (rbmap_formats_new(&formats))
		return 0;
	rbmap_formats_add(formats, "made", text, strlen(text));
	format = rbmap_formats_next(formats, NULL);
	if (format && !event_filter_new(&filter, expression, format, &error)) {
		match_all(filter, data, size);
		event_filter_free(filter);
	} else if (format && (!error.message || error.at > strlen(expression))) {
		abort();
	}
	rbmap_formats_free(formats);
	free(text);
	free(expression);
	return 0;
}
