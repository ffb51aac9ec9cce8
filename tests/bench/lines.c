// SPDX-License-Identifier: GPL-2.0-only
/*
 *	lines MARKER COUNT COMMAND [ARGUMENT...]
 *
 * How long does a program take to print an event? Starts the command, writes COUNT texts to
 * the file MARKER, one after the other, with 200 ms of peace before each, and waits for the
 * line of each. Prints the median of the times from a write to its line, in nanoseconds.
 * The texts before the first line do not count: the command may still be starting.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char seen[1 << 16];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Read until a text comes; false after the timeout, in milliseconds. */
static bool comes(int fd, const char *text, int timeout)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	size_t used = 0;

	while (poll(&ready, 1, timeout) == 1) {
		ssize_t n = read(fd, seen + used, sizeof(seen) - 1 - used);

		if (n <= 0)
			errx(1, "the command has ended");
		used += n;
		seen[used] = '\0';
		if (strstr(seen, text))
			return true;
		if (used == sizeof(seen) - 1)
			used = 0;
	}
	return false;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(int argc, char **argv)
{
	uint64_t times[1000];
	int count, marker, pipes[2], i;
	char text[32];
	pid_t pid;

	if (argc < 4)
		errx(2, "usage: lines MARKER COUNT COMMAND [ARGUMENT...]");
	count = atoi(argv[2]);
	if (count < 1 || count > 1000)
		errx(2, "COUNT is 1 to 1000");
	if (pipe(pipes))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		dup2(pipes[1], STDOUT_FILENO);
		close(pipes[0]);
		execvp(argv[3], argv + 3);
		err(127, "%s", argv[3]);
	}
	close(pipes[1]);
	marker = open(argv[1], O_WRONLY);
	for (i = 0; i < 100; i++) {
		int len = snprintf(text, sizeof(text), "begin %d.", i);

		if (marker >= 0 && write(marker, text, len) == len && comes(pipes[0], text, 500))
			break;
		if (marker < 0)
			marker = open(argv[1], O_WRONLY);
	}
	if (i == 100)
		errx(1, "the command prints no event");
	for (i = 0; i < count; i++) {
		int len = snprintf(text, sizeof(text), "text %d.", i);
		uint64_t begin;

		usleep(200000);
		begin = now();
		if (write(marker, text, len) != len)
			err(1, "%s", argv[1]);
		if (!comes(pipes[0], text, 10000))
			errx(1, "no line for '%s' in 10 s", text);
		times[i] = now() - begin;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	qsort(times, count, sizeof(*times), by_value);
	printf("%" PRIu64 "\n", times[count / 2]);
	return 0;
}
