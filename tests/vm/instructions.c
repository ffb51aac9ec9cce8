// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event costs the writer, in instructions, inline and by calls; when
 * nobody has the ring open, and when readers have it mapped and sleep for ever:
 * the same.
 *
 *	instructions EVENTS	in a machine whose clock counts instructions
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define COUNT		"/sys/module/emit/parameters/count"
#define COUNT_CALLS	COUNT "_calls"
#define CPU	0

static void count_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bail_out("%s: %s", path, error_name(errno));
	close(fd);
}

static uint64_t count_read(void)
{
	FILE *file = fopen(COUNT, "re");
	uint64_t value;

	if (!file || fscanf(file, "%" SCNu64, &value) != 1)
		bail_out(COUNT ": %s", error_name(errno));
	fclose(file);
	return value;
}

/* Of so many events in a ring that is empty. */
static uint64_t count_by(const char *path, const char *events)
{
	if (!reset())
		bail_out("reset: %s", error_name(errno));
	count_write(path, events);
	return count_read();
}

static uint64_t count(const char *events)
{
	return count_by(COUNT, events);
}

int main(int argc, char **argv)
{
	uint64_t events, nobody, again, calls, now;
	struct client clients[3];
	int i;

	if (argc < 2)
		bail_out("usage: instructions EVENTS");
	events = strtoull(argv[1], NULL, 10);
	pin(CPU);
	count(argv[1]);
	nobody = count(argv[1]);
	again = count(argv[1]);
	diag("nobody has it open: %.2f instructions an event, %.2f",
	     (double)nobody / events, (double)again / events);
	ok(nobody >= 50 * events && nobody <= 2000 * events,
	   "the clock counts instructions");
	count_by(COUNT_CALLS, argv[1]);
	calls = count_by(COUNT_CALLS, argv[1]);
	diag("by calls: %.2f instructions an event", (double)calls / events);
	ok(calls > nobody, "what is inline takes fewer");
	for (i = 0; i < 3; i++) {
		if (!client_open(&clients[i], CPU, O_RDONLY | O_NONBLOCK))
			bail_out("cannot map: %s", error_name(errno));
		/* Something that it holds from here on. */
		emit(0, 3, 24);
		get_reader(clients[i].fd);
		now = count(argv[1]);
		diag("%d mapped: %.2f instructions an event", i + 1,
		     (double)now / events);
		/* A hundredth of an instruction: where the lap begins. */
		ok(llabs((long long)(now - nobody)) * 100 <= (long long)events,
		   "%d readers that sleep cost the writer nothing", i + 1);
	}
	return done_testing();
}
