// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps the ring of CPU 0 that the benchmark holds.
 *
 *	reader sleep		prints "ready" and reads nothing until standard input ends
 *	reader follow FILE N	writes N events by FILE, consumes each at once, and prints
 *				N and the nanoseconds that writing took
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

static void sleep_until_end(void)
{
	char byte;

	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

/* Write one event. Return: nanoseconds, the fifth word of the file. */
static uint64_t write_one(int fd)
{
	char line[200];
	uint64_t ns;
	ssize_t len;

	if (write(fd, "1", 1) != 1 || lseek(fd, 0, SEEK_SET))
		bail_out("one event: %s", error_name(errno));
	len = read(fd, line, sizeof(line) - 1);
	line[len > 0 ? len : 0] = '\0';
	if (sscanf(line, "%*s %*s %*s %*s %" SCNu64, &ns) != 1)
		bail_out("one event: the file has no time: %s", line);
	return ns;
}

static void follow(struct client *client, const char *file, uint64_t n)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	uint64_t ns = 0;

	if (fd < 0)
		bail_out("%s: %s", file, error_name(errno));
	for (uint64_t i = 0; i < n; i++) {
		ns += write_one(fd);
		while (!get_reader(client->fd) &&
		       subbuf_commit(client_subbuf(client)) != client->meta->reader.read)
			;
	}
	printf("%" PRIu64 " %" PRIu64 "\n", n, ns);
}

int main(int argc, char **argv)
{
	int i = target_options(argc, argv);
	struct client client;

	snprintf(target.device, sizeof(target.device), "/dev/rbmap/bench/cpu%%d");
	if (!client_open(&client, 0, O_NONBLOCK))
		bail_out("bench/cpu0: %s", error_name(errno));
	if (i + 1 == argc && !strcmp(argv[i], "sleep"))
		sleep_until_end();
	else if (i + 3 == argc && !strcmp(argv[i], "follow"))
		follow(&client, argv[i + 1], strtoull(argv[i + 2], NULL, 10));
	else
		bail_out("usage: reader sleep | reader follow FILE N");
	return 0;
}
