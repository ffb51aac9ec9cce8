// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/complain.h"
#include "control.h"
#include "hidden_cpus.h"

static bool has_device(const char *devices, int cpu)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/cpu%d", devices, cpu);
	return !access(path, F_OK);
}

/* A CPU that came later is not in a snapshot. */
static bool is_in_snapshot(const char *control, int cpu)
{
	char path[4096], text[2] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/snapshot", control, cpu);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		*text = '\0';
	fclose(file);
	return *text == '1';
}

/* A CPU gets its device before its control files. */
size_t hidden_cpus_find(int **cpus, const char *control, const char *devices, bool snapshot)
{
	struct dirent *entry;
	char path[4096];
	size_t nr = 0;
	DIR *dir;

	*cpus = NULL;
	/* Without the folder nothing can be opened, which others report. */
	if (access(devices, F_OK))
		return 0;
	snprintf(path, sizeof(path), "%s/per_cpu", control);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		int cpu = control_cpu_of(entry->d_name);

		if (cpu < 0 || has_device(devices, cpu) ||
		    (snapshot && !is_in_snapshot(control, cpu)))
			continue;
		if (!array_grow(*cpus, nr)) {
			complain("out of memory");
			break;
		}
		(*cpus)[nr++] = cpu;
	}
	if (dir)
		closedir(dir);
	return nr;
}

void hidden_cpus_complain(const char *devices, const int *cpus, size_t nr)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < nr; i++)
		buf_printf(&text, "%s%d", i ? ", " : "", cpus[i]);
	buf_add(&text, "", 1);
	if (nr)
		complain("%s has no device of CPU %s, whose events are missing: /dev is not that of the machine, as in a container: " WHOLE_DEVICES,
			 devices, text.failed ? "" : text.data);
	buf_free(&text);
}

bool complain_hidden_cpus(const char *control, const char *devices)
{
	int *cpus;
	size_t nr = hidden_cpus_find(&cpus, control, devices, false);

	hidden_cpus_complain(devices, cpus, nr);
	free(cpus);
	return nr;
}
