/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that may open the files that show the events of a buffer. */
#ifndef RBMAP_BUFFER_AUDIENCE_H
#define RBMAP_BUFFER_AUDIENCE_H

#include "buffer.h"

/**
 * enum rbmap_audience - processes that may open the files that show events
 * @RBMAP_AUDIENCE_MODES: processes that the modes of the files admit
 * @RBMAP_AUDIENCE_ROOT: those of them with CAP_SYSLOG, because events have addresses
 * @RBMAP_AUDIENCE_NONE: no process, while the rings are replaced
 */
enum rbmap_audience {
	RBMAP_AUDIENCE_MODES,
	RBMAP_AUDIENCE_ROOT,
	RBMAP_AUDIENCE_NONE,
};

int rbmap_buffer_show_begin(struct rbmap_buffer *buf);
void rbmap_buffer_show_more(struct rbmap_buffer *buf);
void rbmap_buffer_show_end(struct rbmap_buffer *buf);
int rbmap_buffer_set_audience(struct rbmap_buffer *buf, enum rbmap_audience audience);

void rbmap_buffer_keep_addresses(struct rbmap_buffer *buf, bool keep);
bool rbmap_buffer_keeps_addresses(const struct rbmap_buffer *buf);
int rbmap_buffer_leave_memory(struct rbmap_buffer *buf);
int rbmap_buffer_renew(struct rbmap_buffer *buf);

#endif /* RBMAP_BUFFER_AUDIENCE_H */
