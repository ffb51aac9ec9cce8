// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/complain.h"
#include "base/units.h"
#include "control.h"
#include "cpustats.h"

static const struct {
	const char *key;	/* name of the line in the file */
	const char *name;
} stats[NR_CPUSTATS] = {
	[CPUSTAT_EMITTED]	= { "emitted", "emitted" },
	[CPUSTAT_READ]		= { "read events", "read" },
	[CPUSTAT_UNREAD]	= { "entries", "unread" },
	[CPUSTAT_BYTES]		= { "bytes", "unread_bytes" },
	[CPUSTAT_LOST]		= { "lost events", "lost" },
	[CPUSTAT_OVERRUN]	= { "overrun", "overrun" },
	[CPUSTAT_FULL]		= { "dropped full", "dropped_full" },
	[CPUSTAT_LAPPED]	= { "dropped lapped", "dropped_lapped" },
	[CPUSTAT_NESTED]	= { "dropped nested", "dropped_nested" },
	[CPUSTAT_TOO_LARGE]	= { "dropped too large", "dropped_too_large" },
	[CPUSTAT_EXPIRED]	= { "expired", "expired" },
	[CPUSTAT_NO_RING]	= { "dropped no ring", "dropped_no_ring" },
	[CPUSTAT_MISSED]	= { "missed", "missed" },
	[CPUSTAT_DISABLED]	= { "disabled", "disabled" },
	[CPUSTAT_EXCLUDED]	= { "excluded", "excluded" },
	[CPUSTAT_DISCARDED]	= { "discarded", "discarded" },
};

const char *cpustat_name(enum cpustat stat)
{
	return stats[stat].name;
}

static void parse_line(struct cpustats *s, const char *line)
{
	const char *colon = strchr(line, ':');
	uint64_t value;

	if (!colon || colon[1] != ' ' || !parse_u64(colon + 2, &value))
		return;
	for (int i = 0; i < NR_CPUSTATS; i++)
		if (strlen(stats[i].key) == (size_t)(colon - line) &&
		    !strncmp(stats[i].key, line, colon - line))
			s->value[i] = value;
}

/* Read the file once, so that its numbers are of the same time. */
static int read_cpu(struct cpustats *s, const char *dir)
{
	char file[300], *text, *line, *save;
	int cpu = control_cpu_of(dir);

	if (cpu < 0)
		return -ENOENT;
	snprintf(file, sizeof(file), "per_cpu/%s/stats", dir);
	text = control_read(file);
	if (!text) {
		control_complain(CONTROL_READ, file, -errno);
		return -EIO;
	}
	*s = (struct cpustats){ .cpu = cpu };
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		parse_line(s, line);
	/* The counters of the ring do not have the events that never came to the ring. */
	s->value[CPUSTAT_LOST] += s->value[CPUSTAT_MISSED];
	free(text);
	return 0;
}

static int by_cpu(const void *a, const void *b)
{
	const struct cpustats *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

struct cpustats *cpustats_read(size_t *nr)
{
	struct cpustats *v = NULL;
	struct dirent *entry;
	char path[4096];
	int ret = 0;
	DIR *dir;

	*nr = 0;
	if (!control_present())
		return NULL;
	snprintf(path, sizeof(path), "%s/per_cpu", control_dir());
	dir = opendir(path);
	if (!dir) {
		control_complain(CONTROL_READ, "per_cpu", -errno);
		return NULL;
	}
	while (ret != -EIO && (entry = readdir(dir))) {
		if (!array_grow(v, *nr)) {
			complain("out of memory");
			ret = -EIO;
			break;
		}
		ret = read_cpu(&v[*nr], entry->d_name);
		*nr += !ret;
	}
	closedir(dir);
	if (ret == -EIO || !v) {
		free(v);
		return NULL;
	}
	qsort(v, *nr, sizeof(*v), by_cpu);
	return v;
}

uint64_t cpustats_sum(enum cpustat stat)
{
	struct cpustats *v;
	uint64_t sum = 0;
	size_t nr;

	v = cpustats_read(&nr);
	for (size_t i = 0; v && i < nr; i++)
		sum += v[i].value[stat];
	free(v);
	return sum;
}

void cpustats_subtract(struct cpustats *now, size_t nr, const struct cpustats *old,
		       size_t nr_old)
{
	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < nr_old; k++) {
			if (old[k].cpu != now[i].cpu)
				continue;
			for (int s = 0; s < NR_CPUSTATS; s++)
				if (s != CPUSTAT_UNREAD && s != CPUSTAT_BYTES &&
				    now[i].value[s] >= old[k].value[s])
					now[i].value[s] -= old[k].value[s];
		}
	}
}
