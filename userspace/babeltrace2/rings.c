// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rings.h"

/* Return the CPU of an entry "cpuN", or -1. */
static int cpu_of(const struct dirent *entry)
{
	int cpu, len = 0;

	return sscanf(entry->d_name, "cpu%d%n", &cpu, &len) == 1 && !entry->d_name[len] ? cpu : -1;
}

static int is_cpu(const struct dirent *entry)
{
	return cpu_of(entry) >= 0;
}

static int by_cpu(const struct dirent **a, const struct dirent **b)
{
	return cpu_of(*a) - cpu_of(*b);
}

/* A CPU that was never on line has no ring. */
static int open_ring(struct rings *rings, const char *dir, int cpu, bool observe)
{
	struct rbmap_map *map;
	char path[4096];
	int ret;

	snprintf(path, sizeof(path), "%s/cpu%d", dir, cpu);
	ret = observe ? rbmap_observe_path(&map, path, 0) : rbmap_open_path(&map, path, 0);
	if (ret == -ENODEV || ret == -ENXIO)
		return 0;
	if (ret)
		return ret;
	rings->cpu[rings->nr] = cpu;
	rings->map[rings->nr++] = map;
	return 0;
}

static int open_all(struct rings *rings, const char *dir, bool observe, struct dirent **entry,
		    int nr)
{
	int ret = 0;

	rings->cpu = calloc(nr + 1, sizeof(*rings->cpu));
	rings->map = calloc(nr + 1, sizeof(*rings->map));
	if (!rings->cpu || !rings->map)
		return -ENOMEM;
	for (int i = 0; !ret && i < nr; i++)
		ret = open_ring(rings, dir, cpu_of(entry[i]), observe);
	return ret || rings->nr ? ret : RBMAP_ERR_NO_CPU;
}

int rings_open(struct rings *rings, const char *dir, bool observe)
{
	struct dirent **entry;
	int nr = scandir(dir, &entry, is_cpu, by_cpu), ret;

	*rings = (struct rings){ 0 };
	if (nr < 0)
		return errno == ENOENT ? RBMAP_ERR_NOT_LOADED : -errno;
	ret = open_all(rings, dir, observe, entry, nr);
	while (nr)
		free(entry[--nr]);
	free(entry);
	if (ret)
		rings_close(rings);
	return ret;
}

void rings_close(struct rings *rings)
{
	for (unsigned int i = 0; i < rings->nr; i++)
		if (rings->map[i])
			rbmap_close(rings->map[i]);
	free(rings->cpu);
	free(rings->map);
	*rings = (struct rings){ 0 };
}
