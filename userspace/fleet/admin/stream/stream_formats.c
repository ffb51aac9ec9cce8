// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream_formats.h"

static bool has_id(const char *text, unsigned int *id)
{
	const char *line = strstr(text, "\nID: ");

	return line && sscanf(line, "\nID: %u", id) == 1 && *id < STREAM_FORMATS_MAX;
}

static int by_system(const void *a, const void *b)
{
	const struct dat_format *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->text, y->text);
}

int stream_formats_make(struct stream_formats *f, const struct stream_head *heads, size_t nr)
{
	struct dat_format *all = calloc(STREAM_FORMATS_MAX, sizeof(*all));
	unsigned int id;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		for (uint32_t j = 0; j < heads[i].nr_formats; j++)
			if (has_id(heads[i].formats[j].text, &id))
				all[id] = heads[i].formats[j];
	f->v = all;
	for (id = 0; id < STREAM_FORMATS_MAX; id++)
		if (all[id].text)
			all[f->nr++] = all[id];
	qsort(f->v, f->nr, sizeof(*f->v), by_system);
	return 0;
}

void stream_formats_free(struct stream_formats *f)
{
	free(f->v);
}
