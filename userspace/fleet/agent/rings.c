// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/uplink/files.h"
#include "base/units.h"
#include "command/command.h"
#include "kernel/control.h"
#include "rings.h"

struct sum {
	uint64_t events;
	uint64_t lost;
	unsigned int cpus;
};

static int add_cpu(void *data, int dir, const char *name)
{
	uint64_t cpu, events, lost, missed;
	struct sum *sum = data;

	(void)dir;
	if (strncmp(name, "cpu", 3) || !parse_u64(name + 3, &cpu) || cpu > UINT32_MAX)
		return 0;
	if (control_cpu_stat(cpu, "emitted", &events) ||
	    control_cpu_stat(cpu, "lost events", &lost) ||
	    control_cpu_stat(cpu, "missed", &missed))
		return -1;
	sum->events += events;
	sum->lost += lost + missed;
	sum->cpus++;
	return 0;
}

/* Add the CPUs of a buffer, which a path below the root names. */
static int add_buffer(struct sum *sum, const char *buffer)
{
	char path[2300];
	int dir, ret;

	control_set_buffer(buffer);
	snprintf(path, sizeof(path), "%s/per_cpu", control_dir());
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	ret = files_each(dir, add_cpu, sum);
	close(dir);
	return ret;
}

static int add_instance(void *data, int dir, const char *name)
{
	(void)dir;
	return is_buffer_name(name) ? add_buffer(data, name) : 0;
}

bool rings_read(uint64_t *events, uint64_t *lost)
{
	struct sum sum = { 0 };
	char path[2048];
	int dir, ret = add_buffer(&sum, NULL);

	snprintf(path, sizeof(path), "%s/instances", control_root());
	dir = ret ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		ret = files_each(dir, add_instance, &sum);
		close(dir);
	}
	control_set_buffer(NULL);
	*events = sum.events;
	*lost = sum.lost;
	return !ret && sum.cpus;
}
