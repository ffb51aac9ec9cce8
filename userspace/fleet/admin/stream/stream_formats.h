/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats of several heads: each event once, as the last head has it. */
#ifndef RBMAP_FLEET_ADMIN_STREAM_STREAM_FORMATS_H
#define RBMAP_FLEET_ADMIN_STREAM_STREAM_FORMATS_H

#include "message/stream/stream.h"

struct stream_formats {
	struct dat_format *v;	/* texts belong to the heads */
	size_t nr;
};

/* Return 0 or -ENOMEM. */
int stream_formats_make(struct stream_formats *formats, const struct stream_head *heads, size_t nr);
void stream_formats_free(struct stream_formats *formats);

#endif /* RBMAP_FLEET_ADMIN_STREAM_STREAM_FORMATS_H */
