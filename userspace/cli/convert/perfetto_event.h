/* SPDX-License-Identifier: GPL-2.0-only */
/* Pack events of a recording as Perfetto's FtraceEvent. */
#ifndef RBMAP_CLI_CONVERT_PERFETTO_EVENT_H
#define RBMAP_CLI_CONVERT_PERFETTO_EVENT_H

#include <rbmap.h>

#include "perfetto_layout.h"

struct perfetto_packer;
struct print_line;
struct event_parts;

struct perfetto_packer *perfetto_packer_new(struct print_line *line);	/* NULL: out of memory */
void perfetto_packer_free(struct perfetto_packer *p);

/*
 * Find the message of an event and its values. Store the size of the packed event in *size.
 * @parts is NULL if the event lacks its common fields. Return 0 or -ENOMEM.
 */
int perfetto_packer_prepare(struct perfetto_packer *p, const struct rbmap_event *ev,
			    const struct event_parts *parts, size_t *size);

/* Write the event of perfetto_packer_prepare() at @at, which has room. Return the end. */
char *perfetto_packer_put(const struct perfetto_packer *p, char *at);

#endif /* RBMAP_CLI_CONVERT_PERFETTO_EVENT_H */
