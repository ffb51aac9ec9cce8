// SPDX-License-Identifier: LGPL-2.1-only
/* The headers of a recording as they are in the file, for a copy of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dat.h"
#include "dat_reader.h"

/* Version 6: the options follow each other. */
static int each_option(struct rbmap_recording *r, dat_option_fn *each, void *data)
{
	struct dat_text t;
	uint16_t option;
	int ret = 0;

	r->at = r->options;
	while (r->at < r->options_end && ret >= 0) {
		ret = dat_take_u16(r, &option);
		if (!ret)
			ret = dat_take_text_u32(r, &t);
		if (ret)
			return ret;
		ret = each(r, data, option, &t);
		if (ret != 1)
			free(t.text);
	}
	return ret < 0 ? ret : 0;
}

int dat_each_option(struct rbmap_recording *r, dat_option_fn *each, void *data)
{
	if (r->sections)
		return dat_section_options(r, each, data);
	return r->options ? each_option(r, each, data) : 0;
}

int dat_part_text(struct rbmap_recording *r, int id, struct dat_text *t)
{
	int part = id - DAT_OPTION_HEADER_INFO;
	uint64_t size;

	if (r->sections)
		return dat_section_text(r, id, t);
	size = r->part[part + 1] - r->part[part];
	*t = (struct dat_text){ .text = malloc(size + 1), .size = size };
	return t->text ? dat_read_at(r->fd, t->text, size, r->part[part]) : -ENOMEM;
}
