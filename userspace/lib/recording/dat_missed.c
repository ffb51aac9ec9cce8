// SPDX-License-Identifier: LGPL-2.1-only
/* The events that the kernel missed: no ring has heard of them, so that no page says so. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dat_reader.h"

#define KEY	"missed: "
#define MISSED	"\n" KEY

const char *dat_missed_find(const char *text)
{
	const char *line = strstr(text, MISSED);

	return line ? line + 1 : NULL;
}

int dat_missed_parse(struct rbmap_recording *r, const char *text)
{
	const char *line = dat_missed_find(text);
	uint64_t missed;
	unsigned int cpu;

	if (!line || sscanf(text, "CPU: %u\n", &cpu) != 1 || cpu >= DAT_CPUS_MAX ||
	    sscanf(line + strlen(KEY), "%" SCNu64, &missed) != 1 || !missed)
		return 0;
	if (!array_extend(r->missed, r->nr_missed, (size_t)cpu + 1))
		return -ENOMEM;
	r->missed[cpu] = dat_lost_sum(r->missed[cpu], missed);
	return 0;
}

uint64_t dat_missed(const struct rbmap_recording *r, unsigned int cpu)
{
	return cpu < r->nr_missed ? r->missed[cpu] : 0;
}
