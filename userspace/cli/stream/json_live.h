/* SPDX-License-Identifier: GPL-2.0-only */
/* The first line of JSON output for events of the running kernel. */
#ifndef RBMAP_CLI_JSON_LIVE_H
#define RBMAP_CLI_JSON_LIVE_H

struct buf;

/* Append the head for the present buffer: its clock now, and the wall clock. */
void json_live_head(struct buf *out);

#endif /* RBMAP_CLI_JSON_LIVE_H */
