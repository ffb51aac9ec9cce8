// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comms.h"

static void read_name(int pid, char name[COMMS_SIZE])
{
	ssize_t size = -1;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, name, COMMS_SIZE - 1);
		close(fd);
	}
	name[size > 0 ? size : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

const char *comms_find(struct comms *comms, int pid)
{
	unsigned int i = (unsigned int)pid % COMMS_NR;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (comms->place[i].pid != pid || comms->place[i].second != now.tv_sec) {
		comms->place[i].pid = pid;
		comms->place[i].second = now.tv_sec;
		read_name(pid, comms->place[i].name);
	}
	return comms->place[i].name[0] ? comms->place[i].name : NULL;
}
