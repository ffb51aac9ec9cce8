/* SPDX-License-Identifier: GPL-2.0-only */
/* The line of dynamic_events that makes an event of a tracepoint. */
#ifndef RBMAP_LIVE_PROBE_PROBE_LINE_H
#define RBMAP_LIVE_PROBE_PROBE_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct btf_types;
struct buf;

/*
 * Append "t:GROUP/EVENT TRACEPOINT FIELD...", with a 0. @words are the tracepoint and the
 * fields; without fields, all arguments. Return false, and store the reason in @error, if
 * the types do not have them.
 */
bool probe_line(struct buf *line, const struct btf_types *types, const char *group,
		const char *event, char *const *words, size_t nr, char *error, size_t size);

#endif /* RBMAP_LIVE_PROBE_PROBE_LINE_H */
