/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes in dynamic_events: "t:GROUP/EVENT TRACEPOINT [NAME=FETCH:TYPE]..." */
#ifndef RBMAP_CLI_DYNAMIC_H
#define RBMAP_CLI_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>

#define DYNAMIC_FILE	"/dynamic_events"

struct dynamic_probe {
	char *group;
	char *event;
	char *tracepoint;
	char *fields;		/* the rest of the line, "" without any */
};

struct dynamic_probes {
	char *text;		/* what the others point into */
	struct dynamic_probe *v;
	size_t nr;
};

/* All that there are.  Complains when it fails. */
bool dynamic_read(struct dynamic_probes *probes);
/* The same of @text, which is kept and changed.  False: out of memory. */
bool dynamic_parse(struct dynamic_probes *probes, char *text);
void dynamic_free(struct dynamic_probes *probes);

#endif /* RBMAP_CLI_DYNAMIC_H */
