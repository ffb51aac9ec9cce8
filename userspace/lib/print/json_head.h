/* SPDX-License-Identifier: GPL-2.0-only */
/* The first line of JSON output, which says what the other lines are: rbmap-json(5). */
#ifndef RBMAP_PRINT_JSON_HEAD_H
#define RBMAP_PRINT_JSON_HEAD_H

#include "base/buf.h"
#include "time_view.h"

#define JSON_VERSION	1	/* grows when a key changes its meaning, or goes */

/*
 * Append the line. @clock: the ring's clock, or NULL; @uname: "SYSTEM HOST RELEASE
 * MACHINE", or NULL; both: it is not known. @file: the name of the recording, if there are
 * several, or NULL
 */
void json_head_add(const char *clock, const char *uname, const struct time_view *time,
		   const char *file, struct buf *out);

#endif /* RBMAP_PRINT_JSON_HEAD_H */
