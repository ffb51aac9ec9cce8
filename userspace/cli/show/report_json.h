/* SPDX-License-Identifier: GPL-2.0-only */
/* Print events to stdout as JSON, one object per line. */
#ifndef RBMAP_CLI_REPORT_JSON_H
#define RBMAP_CLI_REPORT_JSON_H

#include "text.h"

void report_json_lost(int cpu, uint64_t lost);
void report_json_event(const struct rbmap_event *ev,
		       const struct text_parts *parts);

#endif /* RBMAP_CLI_REPORT_JSON_H */
