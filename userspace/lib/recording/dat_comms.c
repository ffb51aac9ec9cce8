// SPDX-License-Identifier: LGPL-2.1-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dat_read.h"

void dat_parse_comms(char *text, dat_comm_fn *each, void *data)
{
	char *line, *end, *comm;
	long pid;

	for (line = text; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		pid = strtol(line, &comm, 10);
		if (comm != line && *comm == ' ' && pid > 0 && pid <= INT32_MAX)
			each(data, pid, comm + 1);
	}
}

void dat_each_comm(const struct rbmap_recording *reader, dat_comm_fn *each, void *data)
{
	dat_parse_comms(dat_cmdlines(reader)->text, each, data);
}
