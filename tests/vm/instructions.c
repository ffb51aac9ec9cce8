// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event costs the writer, in instructions, when nobody has the ring
 * open, and when readers have it mapped and sleep for ever: the same.
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

#define COUNT	"/sys/module/emit/parameters/count"
#define CPU	0

static void count_write(const char *text)
{
	int fd = open(COUNT, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bail_out(COUNT ": %s", error_name(errno));
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
static uint64_t count(const char *events)
{
	if (!reset())
		bail_out("reset: %s", error_name(errno));
	count_write(events);
	return count_read();
}

int main(int argc, char **argv)
{
	uint64_t events, nobody, again, now;
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
