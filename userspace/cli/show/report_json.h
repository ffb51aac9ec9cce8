/* SPDX-License-Identifier: GPL-2.0-only */
/* Append events as JSON, one object per line. */
#ifndef RBMAP_CLI_REPORT_JSON_H
#define RBMAP_CLI_REPORT_JSON_H

#include "text.h"

void report_json_lost(int cpu, uint64_t lost, struct buf *out);

/* @body: for use between the calls. Return 0 or -ENOMEM. */
int report_json_event(struct text *t, const struct rbmap_event *ev,
		      const struct text_parts *parts, struct buf *body, struct buf *out);

#endif /* RBMAP_CLI_REPORT_JSON_H */
