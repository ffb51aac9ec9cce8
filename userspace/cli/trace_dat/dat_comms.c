// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dat_comms.h"
#include "dat_read.h"

/* Lines of "PID NAME" */
void dat_each_comm(const struct dat_reader *reader, dat_comm_fn *each, void *data)
{
	const struct dat_text *comms = dat_cmdlines(reader);
	char *line, *end, *comm;
	long pid;

	for (line = comms->text; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		pid = strtol(line, &comm, 10);
		if (comm != line && *comm == ' ' && pid > 0 && pid <= INT32_MAX)
			each(data, pid, comm + 1);
	}
}
