// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

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

/* A CPU gets its device before its control files. */
static void list(struct buf *cpus, DIR *dir, const char *devices)
{
	struct dirent *entry;
	int cpu;

	while ((entry = readdir(dir))) {
		cpu = control_cpu_of(entry->d_name);
		if (cpu >= 0 && !has_device(devices, cpu))
			buf_printf(cpus, "%s%d", cpus->size ? ", " : "", cpu);
	}
}

bool complain_hidden_cpus(const char *control, const char *devices)
{
	struct buf cpus = { 0 };
	char path[4096];
	bool any;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/per_cpu", control);
	dir = opendir(path);
	/* Without the folder nothing can be opened, which others report. */
	if (dir && !access(devices, F_OK))
		list(&cpus, dir, devices);
	if (dir)
		closedir(dir);
	any = cpus.size;
	buf_add(&cpus, "", 1);
	if (any)
		complain("%s has no device of CPU %s, whose events are missing: /dev is not that of the machine, as in a container: " WHOLE_DEVICES,
			 devices, cpus.failed ? "" : cpus.data);
	buf_free(&cpus);
	return any;
}
