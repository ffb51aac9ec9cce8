// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sub-buffers in a pipe outlive their ring.
 *
 *	splice hold COMMAND...	fill a pipe, close the device, run the command
 *				(which unloads the module), then check the pipe
 *	splice pass COUNT	move COUNT sub-buffers into pipes that nobody
 *				reads: each pipe is closed with them in it
 *	splice retire COUNT	the same, and resize the ring after each pipe
 *	splice reuse COUNT	while one pipe keeps its sub-buffers, move COUNT
 *				others through a second one; the meta-page is mapped
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU	0
#define LARGE	1000	/* bytes of text in an event */
#define HELD	2	/* number of sub-buffers in the pipe */
#define ANY	UINT64_MAX
#define KEPT_KB	8192	/* most memory that a ring keeps, with room for what others do */

static size_t subbuf_size;
static uint64_t number;
static int fd;

static void open_pipe(int *ends)
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
 * Move HELD sub-buffers into a pipe. Write as many events as the writer needs to leave
 * them: none is lost.
 */
static bool fill(const int *ends)
{
	size_t left = HELD * subbuf_size;
	ssize_t ret;

	while (left) {
		ret = splice(fd, NULL, ends[1], NULL, left, SPLICE_F_NONBLOCK);
		if (ret > 0)
			left -= ret;
		else if (ret < 0 && errno == EAGAIN)
			emit_all(1 + subbuf_size / LARGE);
		else
			return false;
	}
	return true;
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

static bool read_whole(const int *ends, char *to, size_t size)
{
	size_t got = 0;
	ssize_t ret;

	while (got < size && (ret = read(ends[0], to + got, size - got)) > 0)
		got += ret;
	return got == size;
}

/*
 * Check the events of HELD sub-buffers. Their numbers must follow one another from *@next
 * on, to which the number behind the last is written. ANY: the first is not known.
 */
static bool events_follow(const char *subbufs, uint64_t *next)
{
	uint64_t first, last;
	size_t i, nr;

	for (i = 0; i < HELD; i++) {
		nr = subbuf_events(subbufs + i * subbuf_size, 0, &first, &last);
		if (!nr || (*next != ANY && first != *next) || last != first + nr - 1)
			return false;
		*next = last + 1;
	}
	return true;
}

/* Read the whole pipe, of which @subbufs has the first @size bytes, and check it. */
static bool look(const int *ends, char *subbufs, size_t size, uint64_t *next)
{
	return read_whole(ends, subbufs + size, HELD * subbuf_size - size) &&
	       events_follow(subbufs, next);
}

static void hold(char **command)
{
	char *subbufs = malloc(HELD * subbuf_size);
	uint64_t next = 0;
	int ends[2];
	bool filled;

	open_pipe(ends);
	filled = fill(ends);
	ok(filled, "hold: the pipe has %d sub-buffers of %zu KiB", HELD,
	   subbuf_size >> 10);
	close(fd);
	is(run(command), 0, "hold: %s", command[0]);
	ok(filled && look(ends, subbufs, 0, &next), "hold: the sub-buffers are unchanged");
	free(subbufs);
}

/* Replace the ring by one of another size. @subbuf: room for a sub-buffer */
static bool resize(unsigned int turn, void *subbuf)
{
	static uint64_t size;

	if (!size)
		size = stat_of(CPU, "slots") * subbuf_size >> 10;
	if (!set_number("buffer_size_kb", size + turn % 2 * (subbuf_size >> 10)))
		return false;
	/* The replaced ring is freed once it has no more events. */
	while (read(fd, subbuf, subbuf_size) > 0)
		;
	return errno == EAGAIN;
}

static void pass(unsigned int count, bool resizes)
{
	void *subbuf = malloc(subbuf_size);
	uint64_t moved = 0;
	bool good = true;
	unsigned int i;
	int ends[2];

	for (i = 0; good && i < count; i += HELD) {
		open_pipe(ends);
		/*
		 * Start without a loss: a sub-buffer with the number of lost
		 * events may be copied.
		 */
		good = reset() && fill(ends);
		moved += stat_of(CPU, "subbufs moved");
		close(ends[0]);
		close(ends[1]);
		if (resizes)
			good &= resize(i / HELD + 1, subbuf);
	}
	ok(good, "pass: %u sub-buffers of %zu KiB through pipes that were closed",
	   i, subbuf_size >> 10);
	is(moved, i, "pass: all sub-buffers were moved");
	free(subbuf);
}

/* Move sub-buffers through a pipe that is read at once, and check their events. */
static bool move_on(unsigned int count)
{
	char *subbufs = malloc(HELD * subbuf_size);
	uint64_t next = ANY;
	bool good = true;
	unsigned int i;
	int ends[2];

	open_pipe(ends);
	for (i = 0; good && i < count; i += HELD)
		good = fill(ends) && look(ends, subbufs, 0, &next);
	close(ends[0]);
	close(ends[1]);
	free(subbufs);
	return good;
}

static void reuse(unsigned int count)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile struct rbmap_meta *meta;
	char *subbufs = malloc(HELD * subbuf_size);
	uint64_t next = 0;
	int ends[2];
	long free_before, kept;
	bool good;

	/* The meta-page is as large as a sub-buffer. */
	meta = mmap(NULL, subbuf_size, PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED)
		bail_out("cannot map the meta-page: %s", error_name(errno));
	open_pipe(ends);
	ok(reset() && fill(ends), "reuse: a pipe keeps %d sub-buffers of %zu KiB", HELD,
	   subbuf_size >> 10);
	/* The pipe releases the first page of a sub-buffer, and keeps the others. */
	good = read_whole(ends, subbufs, page);
	free_before = meminfo_kb("MemFree");
	ok(move_on(count), "reuse: %u other sub-buffers are as they were written", count);
	kept = free_before - meminfo_kb("MemFree");
	ok(kept < KEPT_KB, "reuse: the ring keeps little memory meanwhile (%ld KiB)", kept);
	ok(good && look(ends, subbufs, page, &next), "reuse: so are those of the first pipe");
	is(stat_of(CPU, "subbufs moved"), count + HELD,
	   "reuse: all were moved, although the meta-page is mapped");
	is(meta->read, stat_of(CPU, "read events"), "reuse: the meta-page counts their events");
	close(ends[0]);
	close(ends[1]);
	munmap((void *)meta, subbuf_size);
	free(subbufs);
}

int main(int argc, char **argv)
{
	struct client client;

	if (argc < 3)
		bail_out("usage: splice hold COMMAND... | splice {pass|retire|reuse} COUNT");
	pin(CPU);
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	subbuf_size = client.subbuf_size;
	client_unmap(&client);
	fd = client.fd;
	if (!strcmp(argv[1], "hold"))
		hold(argv + 2);
	else if (!strcmp(argv[1], "reuse"))
		reuse(strtoul(argv[2], NULL, 10));
	else
		pass(strtoul(argv[2], NULL, 10), !strcmp(argv[1], "retire"));
	return done_testing();
}
