// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse arbitrary text, up to the first 0, as a filter; the rest is a record.
 * An accepted text is a program that is safe to run on any record.
 */
#include <stdlib.h>
#include <string.h>

#include "filter_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size), rest, record_size;
	struct rbmap_filter_error error;
	struct rbmap_filter *filter;
	char *text, *record;

	text = malloc(len + 1);
	memcpy(text, data, len);
	text[len] = 0;
	rest = size > len ? size - len - 1 : 0;
	record_size = FIXTURE_SIZE + (rest > FIXTURE_SIZE ?
				      rest - FIXTURE_SIZE : 0);
	record = calloc(1, record_size);
	memcpy(record, data + (size - rest), rest);

	filter = rbmap_filter_parse(text, fixture_find, NULL, &error);
	if (filter) {
		if (!rbmap_filter_verify(filter, FIXTURE_SIZE))
			abort();
		rbmap_filter_match(filter, record, record, record_size);
	} else if (!error.message || error.at > len) {
		abort();
	}
	rbmap_filter_free(filter);
	free(record);
	free(text);
	return 0;
}
