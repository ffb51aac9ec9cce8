// SPDX-License-Identifier: GPL-2.0-only
/* Memory of an agent that waits */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "agent.h"

#define MAPPINGS_MAX	256

struct mapping {
	unsigned long start, end;
};

/* Parse the first line of a mapping. Return false for other lines. */
static bool parse_mapping(const char *line, struct mapping *m, bool *is_file)
{
	char access[5], file;
	int nr = sscanf(line, "%lx-%lx %4s %*s %*s %*s %c", &m->start, &m->end, access, &file);

	if (nr < 3)
		return false;
	*is_file = nr == 4 && file == '/' && access[0] == 'r' && access[1] == '-' &&
		   access[3] == 'p';
	return true;
}

/*
 * Store the private mappings of files that are read only and have no page of their own.
 * The relocated pages of a library differ from its file, as do the breakpoints of a
 * debugger or of a uprobe: such a mapping stays as it is.
 */
static unsigned int read_mappings(FILE *file, struct mapping *mappings)
{
	struct mapping next, current = { 0 };
	bool is_file = false, is_next_file;
	unsigned int nr = 0;
	unsigned long kb;
	char *line = NULL;
	size_t size = 0;

	while (nr < MAPPINGS_MAX && getline(&line, &size, file) > 0) {
		if (parse_mapping(line, &next, &is_next_file)) {
			current = next;
			is_file = is_next_file;
		} else if (is_file && sscanf(line, "Anonymous: %lu kB", &kb) == 1 && !kb) {
			mappings[nr++] = current;
		}
	}
	free(line);
	return nr;
}

void memory_trim(void)
{
	static struct mapping mappings[MAPPINGS_MAX];
	unsigned int nr;
	FILE *file;

	malloc_trim(0);
	/* Kernels without CONFIG_PROC_PAGE_MONITOR do not have it. */
	file = fopen("/proc/self/smaps", "re");
	if (!file)
		return;
	nr = read_mappings(file, mappings);
	fclose(file);
	/*
	 * The kernel may drop these pages at any time, so threads that use them do not matter.
	 * Only this thread unmaps files, so that each address is still that of its file.
	 */
	for (unsigned int i = 0; i < nr; i++)
		madvise((void *)mappings[i].start, mappings[i].end - mappings[i].start,
			MADV_DONTNEED);
}
