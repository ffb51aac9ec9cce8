// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the ring of CPU 0 whenever poll() reports events, while another process writes
 * N events by FILE.  Prints the number of wake-ups and the number of bytes read:
 *
 *	wakeups [--tracefs] SUBBUF-SIZE FILE N
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

/* Number of events per write; FILE records twice as many. */
#define BURST		50
#define BURST_TEXT	"50 bench_hit"

/* Write in bursts, like a program that has other work, too. */
static void write_events(const char *file, uint64_t n)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	for (uint64_t i = 0; fd >= 0 && i < n; i += 2 * BURST) {
		if (write(fd, BURST_TEXT, strlen(BURST_TEXT)) < 0)
			_exit(1);
		usleep(10);
	}
	_exit(fd < 0);
}

static uint64_t take_all(int fd, char *subbuf, size_t subbuf_size)
{
	uint64_t bytes = 0;

	while (read(fd, subbuf, subbuf_size) > 0)
		bytes += subbuf_commit(subbuf);
	return bytes;
}

int main(int argc, char **argv)
{
	int i = target_options(argc, argv);
	uint64_t wakeups = 0, bytes = 0;
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	size_t subbuf_size;
	char *subbuf;
	int status;
	pid_t pid;

	if (i + 3 != argc)
		bail_out("usage: wakeups [--tracefs] SUBBUF-SIZE FILE N");
	subbuf_size = strtoul(argv[i], NULL, 10);
	subbuf = aligned_alloc(4096, subbuf_size);
	memset(subbuf, 0, subbuf_size);
	fds[0].fd = device_open(0, O_NONBLOCK);
	pid = fork();
	if (pid == 0)
		write_events(argv[i + 1], strtoull(argv[i + 2], NULL, 10));
	fds[1].fd = syscall(SYS_pidfd_open, pid, 0);
	if (pid < 0 || fds[1].fd < 0)
		bail_out("fork or pidfd_open: %s", error_name(errno));
	while (!fds[1].revents) {
		if (poll(fds, 2, -1) < 0)
			bail_out("poll: %s", error_name(errno));
		if (fds[0].revents & POLLIN) {
			wakeups++;
			bytes += take_all(fds[0].fd, subbuf, subbuf_size);
		}
	}
	bytes += take_all(fds[0].fd, subbuf, subbuf_size);
	if (waitpid(pid, &status, 0) != pid || status)
		bail_out("%s: the process that writes the events failed", argv[i + 1]);
	printf("%" PRIu64 " %" PRIu64 "\n", wakeups, bytes);
	return 0;
}
