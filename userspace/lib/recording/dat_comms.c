// SPDX-License-Identifier: LGPL-2.1-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dat_read.h"

/* The ends of lines become zeros, so that a second call finds the same lines. */
static void parse(char *text, size_t size, dat_comm_fn *each, void *data)
{
	char *end = text + size, *line, *next, *comm;
	long pid;

	for (line = text; line < end; line = next) {
		next = line + strcspn(line, "\n");
		*next++ = '\0';
		pid = strtol(line, &comm, 10);
		if (comm != line && *comm == ' ' && pid > 0 && pid <= INT32_MAX)
			each(data, pid, comm + 1);
	}
}

void dat_parse_comms(char *text, dat_comm_fn *each, void *data)
{
	if (text)
		parse(text, strlen(text), each, data);
}

void dat_each_comm(const struct rbmap_recording *reader, dat_comm_fn *each, void *data)
{
	const struct dat_text *t = dat_cmdlines(reader);

	parse(t->text, t->size, each, data);
}
