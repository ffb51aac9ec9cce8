// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of an event for the writer in instructions, with the inline
 * functions and with calls. Readers that have mapped the ring and sleep must
 * not add to the cost.
 *
 *	instructions EVENTS	in a machine whose clock counts instructions
 *	instructions filtered	the cost of an event that a filter refuses,
 *				compared with the kernel's own
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/* Count the instructions of so many events in an empty ring. */
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

/*
 * Number of system calls in a row, and number of repetitions. The fastest
 * repetition had no interrupt.
 */
#define CALLS	500
#define TIMES	40

#define SYS_ENTER	"events/raw_syscalls/sys_enter/"
#define OURS		"/sys/kernel/rbmap/"
#define THEIRS		"/sys/kernel/tracing/"
/* An expression with a number that no system call has. */
#define NEVER		"id == 100000"

static double per_call(void)
{
	uint64_t best = UINT64_MAX, begin, took;

	for (int i = 0; i < TIMES; i++) {
		begin = now();
		for (int j = 0; j < CALLS; j++)
			syscall(SYS_getpid);
		took = now() - begin;
		if (took < best)
			best = took;
	}
	return (double)best / CALLS;
}

/*
 * Return the time that the event adds to a system call. Without a filter
 * (@filter is "0") the event is recorded.
 */
static double cost(const char *dir, const char *filter, double without)
{
	char enable[128], file[128];
	double with;

	snprintf(enable, sizeof(enable), "%s" SYS_ENTER "enable", dir);
	snprintf(file, sizeof(file), "%s" SYS_ENTER "filter", dir);
	count_write(file, filter);
	count_write(enable, "1");
	per_call();
	with = per_call();
	count_write(enable, "0");
	count_write(file, "0");
	return with - without;
}

static int filtered(void)
{
	double without, ours, theirs, all_ours, all_theirs;

	pin(CPU);
	per_call();
	without = per_call();
	all_ours = cost(OURS, "0", without);
	all_theirs = cost(THEIRS, "0", without);
	ours = cost(OURS, NEVER, without);
	theirs = cost(THEIRS, NEVER, without);
	diag("getpid: %.1f instructions", without);
	diag("sys_enter adds, recorded: rbmap %.1f, ftrace %.1f instructions",
	     all_ours, all_theirs);
	diag("sys_enter adds, refused by a filter: rbmap %.1f, ftrace %.1f instructions",
	     ours, theirs);
	ok(without > 50, "the clock counts instructions");
	ok(ours > 0 && ours < all_ours,
	   "an event that a filter refuses is cheaper than a recorded one");
	ok(ours < theirs,
	   "an event that a filter refuses is cheaper than with ftrace");
	return done_testing();
}

int main(int argc, char **argv)
{
	uint64_t events, nobody, again, calls, now;
	struct client clients[3];
	int i;

	if (argc < 2)
		bail_out("usage: instructions EVENTS | filtered");
	if (!strcmp(argv[1], "filtered"))
		return filtered();
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
	ok(calls > nobody, "the inline functions need fewer instructions");
	for (i = 0; i < 3; i++) {
		if (!client_open(&clients[i], CPU, O_RDONLY | O_NONBLOCK))
			bail_out("cannot map: %s", error_name(errno));
		/*
		 * The reader's sub-buffer is not empty, so the reader holds
		 * data from here on.
		 */
		emit(0, 3, 24);
		get_reader(clients[i].fd);
		now = count(argv[1]);
		diag("%d mapped: %.2f instructions an event", i + 1,
		     (double)now / events);
		/*
		 * The limit is a hundredth of an instruction for each event:
		 * the ring's laps begin at another place.
		 */
		ok(llabs((long long)(now - nobody)) * 100 <= (long long)events,
		   "%d readers that sleep cost the writer nothing", i + 1);
	}
	return done_testing();
}
