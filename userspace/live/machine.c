// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rbmap.h>

#include "kernel/control.h"
#include "machine.h"

/* ---- block devices */

/*
 * /sys/dev/block/MAJOR:MINOR is a link to a folder with the name of the device. Those of the
 * device mapper have another name, which users know better, in its file dm/name.
 */
#define SYSFS	"/sys/dev/block"

/* Return the length of the mapper's name, or 0: it is another device. */
static size_t read_mapper(const char *number, char *name, int size)
{
	char path[64];
	FILE *file;
	size_t len = 0;

	snprintf(path, sizeof(path), SYSFS "/%s/dm/name", number);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(name, size, file)) {
		len = strcspn(name, "\n");
		name[len] = '\0';
	}
	fclose(file);
	return len;
}

/* In sysfs an exclamation mark stands for a slash. */
static void add_slashes(char *name)
{
	while ((name = strchr(name, '!')))
		*name = '/';
}

static int add(struct dat_devices *devices, const char *number)
{
	char path[64], link[512], mapper[DAT_DEVICE_NAME], name[DAT_DEVICE_NAME + 8], *last;
	unsigned int major, minor;
	ssize_t len;

	if (strlen(number) > 24 || sscanf(number, "%u:%u", &major, &minor) != 2)
		return 0;
	if (read_mapper(number, mapper, sizeof(mapper))) {
		snprintf(name, sizeof(name), "mapper/%s", mapper);
		return dat_devices_add(devices, DAT_DEV(major, minor), name);
	}
	snprintf(path, sizeof(path), SYSFS "/%s", number);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0)
		return 0;
	link[len] = '\0';
	last = strrchr(link, '/');
	if (!last)
		return 0;
	add_slashes(last);
	return dat_devices_add(devices, DAT_DEV(major, minor), last + 1);
}

size_t block_devices_scan(struct dat_devices *devices)
{
	DIR *dir = opendir(SYSFS);
	struct dirent *entry;
	size_t left_out = 0;

	while (dir && (entry = readdir(dir)))
		left_out += add(devices, entry->d_name) != 0;
	if (dir)
		closedir(dir);
	return left_out;
}

/* ---- clocks */

int moment_clock(void)
{
	char *text = control_read("trace_clock");
	int clock = text ? control_clock_of(text) : -1;

	free(text);
	return clock;
}

void moment_take(struct rbmap_moment *moment, int clock)
{
	struct rbmap_moment m = { 0 };

	/* After an error all numbers stay 0. */
	rbmap_moment_now(&m, clock, control_dir());
	*moment = (struct rbmap_moment){
		.ring = m.ring,
		.real = m.real,
		.boot = m.boot,
		.tai_offset = m.tai_offset,
		.error = m.error,
	};
}
