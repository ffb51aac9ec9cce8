// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dat_devices.h"

#define HEAD		DAT_DEVICES_HEAD
#define LINE_SIZE	(DAT_DEVICE_NAME + 24)	/* "4294967295:4294967295 NAME\n" and a 0 byte */

struct device {
	uint32_t dev;
	char name[DAT_DEVICE_NAME];
};

/* By number: a machine has some dozens of devices, and each request asks for one. */
struct dat_devices {
	struct device *device;
	size_t nr;
};

struct dat_devices *dat_devices_new(void)
{
	return calloc(1, sizeof(struct dat_devices));
}

void dat_devices_free(struct dat_devices *devices)
{
	if (!devices)
		return;
	free(devices->device);
	free(devices);
}

/* Return the number of the first device that is not below @dev. */
static size_t find(const struct dat_devices *devices, uint32_t dev)
{
	size_t low = 0, high = devices->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (devices->device[middle].dev < dev)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int dat_devices_add(struct dat_devices *devices, uint32_t dev, const char *name)
{
	size_t i = find(devices, dev), len = strlen(name);

	if (!len || len >= DAT_DEVICE_NAME || strchr(name, '\n'))
		return 0;
	if (i < devices->nr && devices->device[i].dev == dev)
		return 0;
	if (devices->nr == DAT_DEVICES_MAX)
		return -E2BIG;
	if (!array_grow(devices->device, devices->nr))
		return -ENOMEM;
	memmove(&devices->device[i + 1], &devices->device[i],
		(devices->nr - i) * sizeof(*devices->device));
	devices->nr++;
	devices->device[i].dev = dev;
	memcpy(devices->device[i].name, name, len + 1);
	return 0;
}

const char *dat_devices_name(const struct dat_devices *devices, uint32_t dev)
{
	size_t i = devices ? find(devices, dev) : 0;

	return devices && i < devices->nr && devices->device[i].dev == dev ?
	       devices->device[i].name : NULL;
}

size_t dat_devices_count(const struct dat_devices *devices)
{
	return devices->nr;
}

uint32_t dat_devices_number(const struct dat_devices *devices, size_t i)
{
	return devices->device[i].dev;
}

/* ---- the text */
static int parse_line(struct dat_devices *devices, const char *line)
{
	unsigned int major, minor;
	int name = 0;

	if (sscanf(line, "%u:%u %n", &major, &minor, &name) != 2 || !name ||
	    major >= 1u << 12 || minor >= 1u << 20)
		return 0;
	return dat_devices_add(devices, DAT_DEV(major, minor), line + name);
}

int dat_devices_parse(struct dat_devices *devices, const char *text)
{
	char line[LINE_SIZE];
	int ret = 0;

	if (strncmp(text, HEAD, strlen(HEAD)))
		return 0;
	for (text += strlen(HEAD); !ret && *text; text += *text == '\n') {
		size_t len = strcspn(text, "\n");

		if (len < sizeof(line)) {
			memcpy(line, text, len);
			line[len] = '\0';
			ret = parse_line(devices, line);
		}
		text += len;
	}
	return ret && ret != -E2BIG ? ret : 1;
}
