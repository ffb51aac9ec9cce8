/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse and make lines of dynamic_events: "t:GROUP/EVENT TRACEPOINT [NAME=FETCH:TYPE]...".
 */
#ifndef RBMAP_LIVE_PROBE_DYNAMIC_H
#define RBMAP_LIVE_PROBE_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>

#define DYNAMIC_FILE	"/dynamic_events"
#define DEFAULT_GROUP	"tracepoints"	/* if the user of an event names none */

struct dynamic_probe {
	char *group;
	char *event;
	char *tracepoint;
	char *fields;		/* rest of the line; "" without fields */
};

struct dynamic_probes {
	char *text;		/* text that the other members point into */
	struct dynamic_probe *v;
	size_t nr;
};

/* Read all dynamic events. On failure, report the error. */
bool dynamic_read(struct dynamic_probes *probes);
/*
 * Parse @text in the same way. The function keeps and changes @text. Return
 * false if memory is exhausted.
 */
bool dynamic_parse(struct dynamic_probes *probes, char *text);
void dynamic_free(struct dynamic_probes *probes);

struct btf_types;
struct buf;

/*
 * Append "t:GROUP/EVENT TRACEPOINT FIELD...", with a 0. @words are the tracepoint and the
 * fields; without fields, all arguments. Return false, and store the reason in @error, if
 * the types do not have them.
 */
bool probe_line(struct buf *line, const struct btf_types *types, const char *group,
		const char *event, char *const *words, size_t nr, char *error, size_t size);

#endif /* RBMAP_LIVE_PROBE_DYNAMIC_H */
