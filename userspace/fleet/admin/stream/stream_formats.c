// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format_text.h"
#include "stream_formats.h"

static int by_system(const void *a, const void *b)
{
	const struct dat_format *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->text, y->text);
}

int stream_formats_make(struct stream_formats *f, const struct stream_head *heads, size_t nr)
{
	struct dat_format *all = calloc(STREAM_FORMATS_MAX, sizeof(*all));
	const char *rest;
	uint32_t id;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		for (uint32_t j = 0; j < heads[i].nr_formats; j++)
			if (format_find_id(heads[i].formats[j].text, &id, &rest))
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
