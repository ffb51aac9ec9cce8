// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rings.h"

#define CPUS_MAX	8192	/* more than any kernel's */
#define POSSIBLE	"/sys/devices/system/cpu/possible"

/* Return the CPU of an entry "cpuN", or -1. */
static int cpu_of(const char *name)
{
	int cpu, len = 0;

	return sscanf(name, "cpu%d%n", &cpu, &len) == 1 && !name[len] ? cpu : -1;
}

static int add_cpus(struct rings *rings, unsigned int first, unsigned int last)
{
	unsigned int *more;

	if (last < first || last > CPUS_MAX)
		return 0;
	more = realloc(rings->cpu, (rings->nr + last - first + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	rings->cpu = more;
	for (unsigned int cpu = first; cpu <= last; cpu++)
		rings->cpu[rings->nr++] = cpu;
	return 0;
}

/* A list such as "0-3,8". Without it, the CPUs that have rings now must do. */
static int add_possible(struct rings *rings)
{
	FILE *file = fopen(POSSIBLE, "re");
	unsigned int first, last;
	int ret = 0;

	while (file && !ret && fscanf(file, "%u", &first) == 1) {
		if (fscanf(file, "-%u", &last) != 1)
			last = first;
		ret = add_cpus(rings, first, last);
		if (fgetc(file) != ',')
			break;
	}
	if (file)
		fclose(file);
	return ret;
}

static int add_present(struct rings *rings)
{
	DIR *dir = opendir(rings->dir);
	const struct dirent *entry;
	int ret = 0, cpu;

	if (!dir)
		return errno == ENOENT ? RBMAP_ERR_NOT_LOADED : -errno;
	while (!ret && (entry = readdir(dir))) {
		cpu = cpu_of(entry->d_name);
		if (cpu >= 0)
			ret = add_cpus(rings, cpu, cpu);
	}
	closedir(dir);
	return ret;
}

static int compare(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sort the CPUs, and remove those that are there twice. */
static void sort(struct rings *rings)
{
	unsigned int nr = 0;

	if (rings->nr)
		qsort(rings->cpu, rings->nr, sizeof(*rings->cpu), compare);
	for (unsigned int i = 0; i < rings->nr; i++)
		if (!nr || rings->cpu[nr - 1] != rings->cpu[i])
			rings->cpu[nr++] = rings->cpu[i];
	rings->nr = nr;
}

struct rbmap_map *rings_first(const struct rings *rings)
{
	for (unsigned int i = 0; i < rings->nr; i++)
		if (rings->map[i])
			return rings->map[i];
	return NULL;
}

int rings_look(struct rings *rings, unsigned int i)
{
	struct rbmap_map *map;
	char path[4096];
	int ret;

	if (rings->map[i])
		return 0;
	snprintf(path, sizeof(path), "%s/cpu%u", rings->dir, rings->cpu[i]);
	ret = rings->observe ? rbmap_observe_path(&map, path, 0) : rbmap_open_path(&map, path, 0);
	if (ret == RBMAP_ERR_NO_CPU || ret == -ENODEV || ret == -ENXIO || ret == -ENOENT)
		return 0;
	if (!ret)
		rings->map[i] = map;
	return ret;
}

static int open_all(struct rings *rings)
{
	int ret = add_present(rings);

	if (!ret)
		ret = add_possible(rings);
	if (ret)
		return ret;
	sort(rings);
	rings->map = calloc(rings->nr + 1, sizeof(*rings->map));
	if (!rings->map)
		return -ENOMEM;
	for (unsigned int i = 0; !ret && i < rings->nr; i++)
		ret = rings_look(rings, i);
	return ret || rings_first(rings) ? ret : RBMAP_ERR_NO_CPU;
}

int rings_open(struct rings *rings, const char *dir, bool observe)
{
	int ret;

	*rings = (struct rings){ .dir = dir, .observe = observe };
	ret = open_all(rings);
	if (ret)
		rings_close(rings);
	return ret;
}

void rings_close(struct rings *rings)
{
	for (unsigned int i = 0; rings->map && i < rings->nr; i++)
		rbmap_close(rings->map[i]);
	free(rings->cpu);
	free(rings->map);
	*rings = (struct rings){ 0 };
}
