// SPDX-License-Identifier: LGPL-2.1-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dat_times.h"

#define LINE_SIZE	512	/* no line that is written is longer */

const char *const dat_moment_names[DAT_NR_MOMENTS] = { "begin", "trigger", "end" };

struct rbmap_moment *dat_times_moment(struct dat_times *times, unsigned int i)
{
	struct rbmap_moment *const moments[DAT_NR_MOMENTS] = {
		&times->begin, &times->trigger, &times->end,
	};

	return moments[i];
}

static void parse_line(struct dat_times *times, const char *text)
{
	char name[16], line[LINE_SIZE];
	struct rbmap_moment m;
	size_t len;

	if (*text < 'a' || *text > 'z')
		return;
	len = strcspn(text, "\n");

	/* sscanf() goes to the end of its text first, for each line again. */
	len = len < sizeof(line) ? len : sizeof(line) - 1;
	memcpy(line, text, len);
	line[len] = '\0';

	if (!strncmp(line, DAT_TIMES_REASON, strlen(DAT_TIMES_REASON))) {
		snprintf(times->reason, sizeof(times->reason), "%.*s",
			 (int)sizeof(times->reason) - 1, line + strlen(DAT_TIMES_REASON));
		return;
	}
	if (sscanf(line, "%15[a-z]: ring %" SCNu64 " real %" SCNu64 " boot %" SCNu64
		   " tai %" SCNd64 " error %" SCNu64, name, &m.ring, &m.real, &m.boot,
		   &m.tai_offset, &m.error) != 6)
		return;
	for (unsigned int i = 0; i < DAT_NR_MOMENTS; i++)
		if (!strcmp(name, dat_moment_names[i]))
			*dat_times_moment(times, i) = m;
}

bool dat_times_parse(struct dat_times *times, const char *text)
{
	if (strncmp(text, DAT_TIMES_TITLE, strlen(DAT_TIMES_TITLE)))
		return false;
	*times = (struct dat_times){ 0 };
	while ((text = strchr(text, '\n'))) {
		text++;
		parse_line(times, text);
	}
	return true;
}
