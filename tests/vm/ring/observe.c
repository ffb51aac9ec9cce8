// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observing a ring without consuming, as linux/rbmap.h specifies it.
 *
 *	observe
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "watcher.h"

#define CPU	0
#define LEN	200

static uint64_t emitted;	/* number of the next event */
static struct watcher watcher;
static size_t page;

static void more(uint64_t n)
{
	if (emit(emitted, n, LEN) != n)
		bail_out("events are refused: %s", error_name(errno));
	emitted += n;
}

static void begin(void)
{
	uint64_t first[EMIT_CONTEXTS] = { [EMIT_TASK] = emitted };

	watcher_open(&watcher, CPU, NULL, 0, first);
}

static void step_all(void)
{
	while (watcher_step(&watcher))
		;
}

/*
 * Check all events since begin(): @missed of them are missing and were reported
 * as lost.
 */
static void end(uint64_t missed, const char *what)
{
	struct stream *stream = &watcher.stream;
	uint64_t end[EMIT_CONTEXTS] = { [EMIT_TASK] = emitted };
	uint64_t missing;

	step_all();
	stream_end(stream, end);
	missing = stream_sum(stream->missing);
	if (stream->error[0])
		diag("%s", stream->error);
	ok(!stream->error[0] && !stream->backwards && !stream->misplaced,
	   "%s: events are intact and in order, losses are where they were reported",
	   what);
	is(stream->reported, missing, "%s: missed events were reported", what);
	if (missed != UINT64_MAX)
		is(missing, missed,
		   "%s: the expected number of events was missed", what);
	else
		ok(missing > 0, "%s: %" PRIu64 " were missed", what, missing);
	watcher_close(&watcher);
}

static int map_error(int fd, size_t size, int prot, int flags, uint64_t offset)
{
	void *map = mmap(NULL, size, prot, flags, fd, offset);

	if (map == MAP_FAILED)
		return errno;
	munmap(map, size);
	return 0;
}

static bool is_zero(const void *data, size_t size)
{
	const char *at = data;

	while (size && !*at)
		at++, size--;
	return !size;
}

static void test_map(void)
{
	struct client client;
	uint64_t offset;
	size_t size, used;
	void *map;
	int fd;

	if (!client_open(&client, CPU, O_RDONLY))
		bail_out("map: %s", error_name(errno));
	fd = client.fd;
	size = client.meta->slot_table_size;
	offset = client.meta->slot_table_offset;
	used = sizeof(struct rbmap_slot_table) + (client.nr_subbufs - 1) *
	       sizeof(struct rbmap_table_slot);
	ok(size % page == 0 && size >= used, "map: slot_table_size has whole pages");
	ok(offset % page == 0 && offset >= client.meta->meta_page_size +
	   (uint64_t)client.nr_subbufs * client.subbuf_size,
	   "map: slot_table_offset is behind the sub-buffers");
	is_error(map_error(fd, size, PROT_READ, MAP_SHARED, offset), 0,
		 "map: the slot table");
	is_error(map_error(fd, size + 1, PROT_READ, MAP_SHARED, offset), EINVAL,
		 "map: more than the slot table");
	is_error(map_error(fd, page, PROT_READ, MAP_SHARED, offset + size),
		 EINVAL, "map: behind the slot table");
	is_error(map_error(fd, page, PROT_READ, MAP_SHARED, offset - page),
		 EINVAL, "map: before the slot table");
	is_error(map_error(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED, offset),
		 EACCES, "map: the slot table, writable");
	is_error(map_error(fd, size, PROT_READ, MAP_PRIVATE, offset), EPERM,
		 "map: the slot table, private");
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);
	ok(map != MAP_FAILED && is_zero((char *)map + used, size - used) &&
	   is_zero(((struct rbmap_slot_table *)map)->reserved,
		   sizeof(((struct rbmap_slot_table *)map)->reserved)),
	   "map: unused bytes of the slot table are 0");
	is_error(mprotect(map, size, PROT_READ | PROT_WRITE) ? errno : 0,
		 EACCES, "map: the slot table cannot be made writable");
	ok(!madvise(map, size, MADV_DONTNEED) &&
	   ((struct rbmap_slot_table *)map)->modulus > 0,
	   "map: pages of the slot table come back after MADV_DONTNEED");
	munmap(map, size);
	client_close(&client);
}

static void test_ioctl(void)
{
	struct client client;
	char data[64];
	int fd, pipes[2];

	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK) || pipe(pipes))
		bail_out("map: %s", error_name(errno));
	fd = client.fd;
	is_error(ioctl(fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, EBUSY,
		 "a mapped file cannot begin to observe");
	client_unmap(&client);
	is_error(ioctl(fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, 0,
		 "a file without a map can begin to observe");
	is_error(ioctl(fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, 0,
		 "a file can begin to observe twice");
	client_map(&client);
	is_error(get_reader(fd), EBADF, "an observer: GET_READER is refused");
	is_error(read(fd, data, sizeof(data)) < 0 ? errno : 0, EBADF,
		 "an observer: read is refused");
	is_error(splice(fd, NULL, pipes[1], NULL, 1 << 20, SPLICE_F_NONBLOCK) < 0
		 ? errno : 0, EBADF, "an observer: splice is refused");
	close(pipes[0]);
	close(pipes[1]);
	client_close(&client);
}

/* Without a reader nothing is consumed, and the observer sees all events. */
static void test_alone(void)
{
	uint64_t n = emitted;

	reset();
	begin();
	while (emitted < n + 100) {
		more(7);
		step_all();
	}
	n = emitted - n;
	is(stat_of(CPU, "entries"), n, "alone: all events are unread");
	is(stat_of(CPU, "read events"), 0, "alone: no event was read");
	is(stat_of(CPU, "lost events"), 0, "alone: no event was lost");
	end(0, "alone");
	is(stat_of(CPU, "entries"), n,
	   "alone: all events are unread in the end");
}

/* An observer that sleeps while the writer laps the ring. */
static void test_sleeps(void)
{
	uint64_t told;

	reset();
	begin();
	more(50);
	step_all();
	more(5000);
	step_all();
	told = watcher.stream.reported;
	ok(told > 0, "sleeps: lost events reported in one step: %" PRIu64, told);
	more(20);
	end(UINT64_MAX, "sleeps");
}

/* A full ring drops events; the drops are reported where the events continue. */
static void test_drops(void)
{
	struct client client;
	uint64_t n = emitted, dropped;

	set_overwrite(false);
	reset();
	begin();
	emitted += 5000;
	dropped = 5000 - emit(n, 5000, LEN);
	ok(dropped > 0, "drops: %" PRIu64 " events are refused", dropped);
	step_all();
	/*
	 * The writer's sub-buffer is full: read all, so that the writer can
	 * continue.
	 */
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("map: %s", error_name(errno));
	for (n = 0; n < client.nr_subbufs; n++)
		get_reader(client.fd);
	client_close(&client);
	set_overwrite(true);
	more(20);
	end(dropped, "drops");
}

/* A reader consumes all events, and the observer sees the same ones. */
static void test_with_reader(void)
{
	struct client client;
	struct stream stream = { 0 };
	uint64_t first[EMIT_CONTEXTS] = { [EMIT_TASK] = emitted };
	uint64_t n = emitted;
	int i;

	reset();
	begin();
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("map: %s", error_name(errno));
	stream_begin(&stream, CPU, NULL, 0, first);
	/* The events in the reader's sub-buffer are older than the reset. */
	client.id = client.meta->reader.id;
	client.seen = subbuf_commit(client_subbuf(&client));
	for (i = 0; i < 200; i++) {
		size_t commit;

		more(9);
		do {
			get_reader(client.fd);
			if (client.meta->reader.id != client.id)
				client.seen = 0;
			client.id = client.meta->reader.id;
			commit = subbuf_commit(client_subbuf(&client));
			n += subbuf_events(client_subbuf(&client), client.seen,
					   NULL, NULL);
			client.seen = commit;
		} while (stat_of(CPU, "entries"));
		if (i % 2)
			step_all();
	}
	is(n, emitted, "with a reader: the reader has all events");
	is(stat_of(CPU, "read events"), emitted - first[EMIT_TASK],
	   "with a reader: stats count the events that it read");
	client_close(&client);
	end(0, "with a reader");
}

/* splice() copies sub-buffers that are mapped, instead of moving them. */
static void test_with_splice(void)
{
	uint64_t spliced = 0;
	ssize_t got;
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK), pipes[2];

	if (pipe(pipes))
		bail_out("pipe: %s", error_name(errno));
	reset();
	begin();
	more(200);
	while ((got = splice(fd, NULL, pipes[1], NULL, watcher.client.subbuf_size,
			     SPLICE_F_NONBLOCK)) > 0) {
		char data[4096];

		for (spliced++; got > 0; got -= sizeof(data))
			if (read(pipes[0], data, sizeof(data)) < 0)
				bail_out("read: %s", error_name(errno));
		more(3);
		if (spliced % 2)
			step_all();
	}
	/* The number of bytes written is the same for all sizes of sub-buffers. */
	ok(spliced * watcher.client.subbuf_size > 3 * 4096,
	   "with splice: %" PRIu64 " sub-buffers", spliced);
	is(stat_of(CPU, "subbufs copied"), spliced,
	   "with splice: the sub-buffers were copied");
	end(0, "with splice");

	/*
	 * The ring is no longer mapped: a moved sub-buffer is out of an
	 * observer's reach.
	 */
	reset();
	more(100);
	begin();
	watcher_close(&watcher);
	while (splice(fd, NULL, pipes[1], NULL, 1 << 20, SPLICE_F_NONBLOCK) > 0)
		;
	ok(stat_of(CPU, "subbufs moved") > 0,
	   "with splice: some sub-buffers were moved");
	begin();
	more(30);
	end(0, "behind splice");
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

/* Replaced rings that nobody reads stay for the observer. */
static void test_rings(void)
{
	static const unsigned int sizes_kb[] = { 4096, 16, 128 };
	int i;

	reset();
	begin();
	more(20);
	for (i = 0; i < 3; i++) {
		if (!set_number("buffer_size_kb", sizes_kb[i]))
			bail_out("buffer_size_kb: %s", error_name(errno));
		if (i != 1)
			step_all();
		more(60);
	}
	step_all();
	is(watcher.rings, 3, "rings: the observer has followed all rings");
	ok(stat_of(CPU, "entries") >= 200 && !stat_of(CPU, "read events"),
	   "rings: no event was consumed");
	end(0, "rings");
	reset();
}

int main(int argc, char **argv)
{
	target_options(argc, argv);
	page = sysconf(_SC_PAGESIZE);
	pin(CPU);
	test_map();
	test_ioctl();
	test_alone();
	test_sleeps();
	test_drops();
	test_with_reader();
	test_with_splice();
	test_rings();
	return done_testing();
}
