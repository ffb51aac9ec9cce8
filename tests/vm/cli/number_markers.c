// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes numbered markers, "CPU:NUMBER", on one CPU or on each:
 *
 *	number_markers CPU|all FROM TO
 *
 * The numbers are FROM to TO - 1, one write for each. The program ends when all are written. A
 * full ring that keeps its oldest events refuses a marker, and counts it as lost.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_on(int cpu, long from, long to)
{
	char text[48];
	cpu_set_t set;
	int fd;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	fd = open("/dev/rbmap/marker", O_WRONLY);
	if (fd < 0)
		err(1, "/dev/rbmap/marker");
	for (; from < to; from++) {
		int len = snprintf(text, sizeof(text), "%d:%ld\n", cpu, from);
		ssize_t written = write(fd, text, len);

		if (written != len && (written >= 0 || errno != ENOSPC))
			err(1, "write");
	}
	exit(0);
}

int main(int argc, char **argv)
{
	int cpu, first, last, status, failed = 0;
	long from, to;

	if (argc != 4)
		errx(2, "usage: number_markers CPU|all FROM TO");
	first = last = atoi(argv[1]);
	if (!strcmp(argv[1], "all")) {
		first = 0;
		last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	}
	from = atol(argv[2]);
	to = atol(argv[3]);
	for (cpu = first; cpu <= last; cpu++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid)
			write_on(cpu, from, to);
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}
