// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sub-buffers in a pipe outlive their ring.
 *
 *	splice hold COMMAND...	fill a pipe, close the device, run the command
 *				(which unloads the module), then check the pipe
 *	splice pass COUNT	move COUNT sub-buffers into pipes that nobody
 *				reads: each pipe is closed with them in it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU	0
#define LARGE	1000	/* bytes of text in an event */
#define HELD	2	/* number of sub-buffers in the pipe */

static size_t subbuf_size;
static uint64_t number;
static int fd, ends[2];

static void open_pipe(void)
{
	if (pipe(ends) ||
	    fcntl(ends[1], F_SETPIPE_SZ, HELD * subbuf_size) < 0)
		bail_out("pipe: %s", error_name(errno));
}

/* Write in a child: an open marker would hold the module. */
static void emit_all(uint64_t events)
{
	pid_t pid = fork();

	if (!pid)
		_exit(emit(number, events, LARGE) != events);
	waitpid(pid, NULL, 0);
	number += events;
}

/*
 * Write events until the writer has left HELD sub-buffers, and move these into
 * the pipe.
 */
static bool fill(void)
{
	size_t len = HELD * subbuf_size;

	emit_all((HELD + 1) * (subbuf_size / LARGE));
	return splice(fd, NULL, ends[1], NULL, len, SPLICE_F_NONBLOCK) ==
	       (ssize_t)len;
}

static int run(char **command)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

/*
 * Read the whole pipe. Return the number of events, which must be numbered from
 * 0 on.
 */
static uint64_t look(void)
{
	char *subbuf = malloc(subbuf_size);
	uint64_t first, last, events = 0;
	size_t got, i;
	ssize_t ret;

	for (i = 0; i < HELD; i++) {
		for (got = 0; got < subbuf_size; got += ret) {
			ret = read(ends[0], subbuf + got, subbuf_size - got);
			if (ret <= 0)
				return 0;
		}
		got = subbuf_events(subbuf, 0, &first, &last);
		if (!got || first != events || last != events + got - 1)
			return 0;
		events += got;
	}
	free(subbuf);
	return events;
}

static void hold(char **command)
{
	bool filled;

	open_pipe();
	filled = fill();
	ok(filled, "hold: the pipe has %d sub-buffers of %zu KiB", HELD,
	   subbuf_size >> 10);
	close(fd);
	is(run(command), 0, "hold: %s", command[0]);
	ok(filled && look() > 0, "hold: the sub-buffers are unchanged");
}

static void pass(unsigned int count)
{
	uint64_t moved = 0;
	bool good = true;
	unsigned int i;

	for (i = 0; good && i < count; i += HELD) {
		open_pipe();
		/*
		 * Start without a loss: a sub-buffer with the number of lost
		 * events may be copied.
		 */
		good = reset() && fill();
		moved += stat_of(CPU, "subbufs moved");
		close(ends[0]);
		close(ends[1]);
	}
	ok(good, "pass: %u sub-buffers of %zu KiB through pipes that were closed",
	   i, subbuf_size >> 10);
	is(moved, i, "pass: all sub-buffers were moved");
}

int main(int argc, char **argv)
{
	struct client client;

	if (argc < 3)
		bail_out("usage: splice hold COMMAND... | splice pass COUNT");
	pin(CPU);
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	subbuf_size = client.subbuf_size;
	client_unmap(&client);
	fd = client.fd;
	if (!strcmp(argv[1], "hold"))
		hold(argv + 2);
	else
		pass(strtoul(argv[2], NULL, 10));
	return done_testing();
}
