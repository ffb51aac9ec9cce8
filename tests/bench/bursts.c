// SPDX-License-Identifier: GPL-2.0-only
/*
 *	bursts EVENTS PAUSE
 *
 * Emits events of two numbers by the module bench, in bursts of 2000 with a pause
 * in microseconds after each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BURST	2000
/* The module hits the tracepoint twice as often. */
#define ORDER	"1000 bench_hit"

int main(int argc, char **argv)
{
	long events = argc == 3 ? atol(argv[1]) : -1;
	struct timespec pause = { 0 };
	int fd;

	if (events < 0 || events % BURST) {
		fputs("usage: bursts EVENTS PAUSE\n", stderr);
		return 2;
	}
	pause.tv_nsec = atol(argv[2]) * 1000;
	fd = open("/sys/kernel/debug/bench/event", O_WRONLY);
	if (fd < 0) {
		perror("bursts: /sys/kernel/debug/bench/event");
		return 1;
	}
	for (; events; events -= BURST) {
		if (write(fd, ORDER, strlen(ORDER)) < 0) {
			perror("bursts: " ORDER);
			return 1;
		}
		if (pause.tv_nsec)
			nanosleep(&pause, NULL);
	}
	return 0;
}
