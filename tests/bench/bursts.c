// SPDX-License-Identifier: GPL-2.0-only
/*
 *	bursts TRACEPOINT EVENTS PAUSE
 *
 * Hits a tracepoint of the module bench in bursts of 2000, with a pause in microseconds
 * after each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BURST	2000

int main(int argc, char **argv)
{
	long events = argc == 4 ? atol(argv[2]) : -1;
	struct timespec pause = { 0 };
	char order[64];
	int fd;

	if (events < 0 || events % BURST) {
		fputs("usage: bursts TRACEPOINT EVENTS PAUSE\n", stderr);
		return 2;
	}
	/* The module hits the tracepoint twice as often. */
	snprintf(order, sizeof(order), "%d %s", BURST / 2, argv[1]);
	pause.tv_nsec = atol(argv[3]) * 1000;
	fd = open("/sys/kernel/debug/bench/event", O_WRONLY);
	if (fd < 0) {
		perror("bursts: /sys/kernel/debug/bench/event");
		return 1;
	}
	for (; events; events -= BURST) {
		if (write(fd, order, strlen(order)) < 0) {
			perror("bursts: cannot write to the module");
			return 1;
		}
		if (pause.tv_nsec)
			nanosleep(&pause, NULL);
	}
	return 0;
}
