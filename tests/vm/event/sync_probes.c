// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace data while probes use it, again and again: a filter that runs for
 * long, or a list of pids. A kernel with memory checks reports an object that
 * is freed too early.
 *
 *	sync_probes FILE SECONDS TEXT TEXT
 *
 * writes the two texts to FILE in turn, with naps, so that the probes of other
 * processors are at random points.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_TRUNC), err = 0;

	if (fd < 0)
		return -1;
	if (write(fd, text, strlen(text)) < 0)
		err = -1;
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = 100000 };
	unsigned int times = 0;
	time_t end;

	if (argc != 5)
		return 2;
	end = time(NULL) + atoi(argv[2]);
	do {
		if (put(argv[1], argv[3 + times % 2])) {
			fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
			return 1;
		}
		times++;
		nanosleep(&nap, NULL);
	} while (time(NULL) < end);
	printf("%u\n", times);
	return 0;
}
