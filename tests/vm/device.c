// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does /dev/rbmap/cpuN obey the interface of linux/rbmap.h?  Run it on a ring
 * that nobody has read from yet.  With --tracefs: does a kernel's own ring?
 * (What rbmap does better on purpose is left out then.)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU		0
#define SMALL		64	/* bytes of text of a small event */
#define LARGE		1000	/* of a large one */
#define FULL		4062	/* of the largest: it fills a page */
#define MSEC		1000000ULL

#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 3
#endif
#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif

static size_t page, subbuf_size, meta_size, data_size;
static unsigned int nr_subbufs;
static uint64_t number = 1;	/* of the next event */

/* The next events, and how many were taken. */
static uint64_t more(uint64_t count, size_t len)
{
	uint64_t taken = emit(number, count, len);

	number += count;
	return taken;
}

static void fresh(void)
{
	if (!reset())
		bail_out("cannot reset: %s", error_name(errno));
}

static void percent(unsigned int value)
{
	if (!set_number("buffer_percent", value))
		bail_out("buffer_percent: %s", error_name(errno));
}

static void nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

/* What a call of `client` makes new: how many events and which. */
static size_t take(struct client *client, uint64_t *first, uint64_t *last)
{
	uint32_t id = client->meta->reader.id;
	size_t from, events;
	const void *subbuf;

	if (get_reader(client->fd))
		return 0;
	subbuf = client_subbuf(client);
	from = client->any && client->id == id &&
	       client->meta->reader.id == id ? client->seen : 0;
	events = subbuf_events(subbuf, from, first, last);
	client->any = true;
	client->id = client->meta->reader.id;
	client->seen = subbuf_commit(subbuf);
	return events;
}

/* Run in a child after some time; it has its own files, but no maps. */
static pid_t later(unsigned int milliseconds, void (*call)(void *), void *data)
{
	pid_t pid = fork();

	if (pid < 0)
		bail_out("fork: %s", error_name(errno));
	if (!pid) {
		nap(milliseconds);
		call(data);
		_exit(0);
	}
	return pid;
}

static void reap(pid_t pid)
{
	waitpid(pid, NULL, 0);
}

static void emit_some(void *data)
{
	emit(number, *(unsigned int *)data, LARGE);
}

/* Many, one by one: time to wake up at the right one. */
static void emit_slowly(void *data)
{
	unsigned int i, count = *(unsigned int *)data;

	for (i = 0; i < count; i++) {
		emit_one(number + i, LARGE);
		nap(2);
	}
}

static void wake(void *data)
{
	ioctl(*(int *)data, 0);
}

/* A wait that only the alarm has ended can look like one that was ended well. */
static void ended_soon(uint64_t began, const char *what)
{
	ok(now() - began < 5000 * MSEC, "%s: soon", what);
}

static void no_action(int signal)
{
	(void)signal;
}

/*
 * A signal that interrupts calls, so that no test hangs; again and again, as
 * the first one may come before the call does.
 */
static void alarm_in(unsigned int milliseconds)
{
	struct itimerval timer = {
		.it_value.tv_sec = milliseconds / 1000,
		.it_value.tv_usec = milliseconds % 1000 * 1000,
	};
	struct sigaction action = { .sa_handler = no_action };

	timer.it_interval = timer.it_value;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* mmap */

struct map_row {
	const char	*what;
	int		open_flags;
	int		prot;
	int		flags;
	uint64_t	offset;
	uint64_t	len;
	int		wanted;
};

static int raw_mmap(int fd, const struct map_row *row, void **map)
{
	/* libc refuses an offset that is no multiple of a page by itself. */
	long ret = syscall(SYS_mmap, NULL, row->len, row->prot, row->flags, fd,
			   row->offset);

	*map = (void *)ret;
	return ret == -1 ? errno : 0;
}

static void test_map_row(const struct map_row *row)
{
	int fd = device_open(CPU, row->open_flags);
	int error;
	void *map;

	error = raw_mmap(fd, row, &map);
	is_error(error, row->wanted, "map: %s", row->what);
	if (!error) {
		if (row->prot & PROT_READ)
			(void)*(volatile char *)map;
		munmap(map, row->len);
	}
	if (is_error(get_reader(fd), ENODEV, "map: %s: nothing stays mapped",
		     row->what))
		error = 0;
	close(fd);
}

static void test_map_table(void)
{
	const uint64_t end = meta_size + data_size;
	const int ro = O_RDONLY | O_NONBLOCK, rw = O_RDWR | O_NONBLOCK;
	const int read = PROT_READ, shared = MAP_SHARED;
	const struct map_row rows[] = {
		{ "meta-page", ro, read, shared, 0, page, 0 },
		{ "all of it", ro, read, shared, 0, end, 0 },
		{ "the data", ro, read, shared, meta_size, data_size, 0 },
		{ "the last sub-buffer", ro, read, shared, end - subbuf_size,
		  subbuf_size, 0 },
		{ "one page of a sub-buffer", ro, read, shared,
		  meta_size + subbuf_size, page, 0 },
		{ "MAP_POPULATE", ro, read, shared | MAP_POPULATE, 0, end, 0 },
		{ "MAP_LOCKED", ro, read, shared | MAP_LOCKED, 0, end, 0 },
		{ "MAP_SHARED_VALIDATE", ro, read, MAP_SHARED_VALIDATE, 0, end,
		  0 },
		{ "length 1", ro, read, shared, 0, 1, 0 },
		{ "PROT_NONE", ro, PROT_NONE, shared, 0, end, 0 },
		{ "read-only with O_RDWR", rw, read, shared, 0, end, 0 },
		{ "MAP_PRIVATE", ro, read, MAP_PRIVATE, 0, page, EPERM },
		{ "PROT_EXEC", ro, read | PROT_EXEC, shared, 0, page, EPERM },
		{ "PROT_WRITE with O_RDWR", rw, read | PROT_WRITE, shared, 0,
		  page, EPERM },
		{ "PROT_WRITE with O_RDONLY", ro, read | PROT_WRITE, shared, 0,
		  page, EACCES },
		{ "MAP_SYNC", ro, read, MAP_SHARED_VALIDATE | MAP_SYNC, 0,
		  page, EOPNOTSUPP },
		{ "length 0", ro, read, shared, 0, 0, EINVAL },
		{ "an offset within a page", ro, read, shared, 1, page,
		  EINVAL },
		{ "a page past the end", ro, read, shared, 0, end + page,
		  EINVAL },
		{ "the last sub-buffer and a page", ro, read, shared,
		  end - subbuf_size, subbuf_size + page, EINVAL },
		{ "from the end", ro, read, shared, end, page, EINVAL },
		{ "far beyond the end", ro, read, shared, end * 1000, page,
		  EINVAL },
		{ "a page offset of 2^50", ro, read, shared,
		  (1ULL << 50) * page, page, EINVAL },
		{ "a page offset near 2^52", ro, read, shared,
		  ((1ULL << 52) - 1) * page, 2 * page, EOVERFLOW },
		{ "a length near 2^47", ro, read, shared, 0,
		  (1ULL << 46), EINVAL },
	};
	const struct map_row within = {
		"an offset within a sub-buffer", ro, read, shared,
		meta_size + page, page, EINVAL
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		test_map_row(&rows[i]);
	/* device.sh comes with sub-buffers of several pages, too. */
	if (subbuf_size > page)
		test_map_row(&within);
}

static void test_map_order(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	void *data, *meta;

	data = mmap(NULL, data_size, PROT_READ, MAP_SHARED, fd, meta_size);
	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	ok(data != MAP_FAILED && meta != MAP_FAILED, "map: data before meta");
	is_error(get_reader(fd), 0, "map: data before meta: GET_READER");
	munmap(meta, page);
	is_error(get_reader(fd), 0, "map: the data alone counts as mapped");
	munmap(data, data_size);
	is_error(get_reader(fd), ENODEV, "map: both gone");
	close(fd);
}

/* What can be done to the VMA */

static sigjmp_buf fault_jump;

static void on_fault(int signal)
{
	siglongjmp(fault_jump, signal);
}

/* 0, or the signal that reading a byte there gives. */
static int touch(const volatile void *at)
{
	struct sigaction action = { .sa_handler = on_fault }, segv, bus;
	int signal;

	sigaction(SIGSEGV, &action, &segv);
	sigaction(SIGBUS, &action, &bus);
	signal = sigsetjmp(fault_jump, 1);
	if (!signal)
		(void)*(const volatile char *)at;
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGBUS, &bus, NULL);
	return signal;
}

static int error_of(int ret)
{
	return ret ? errno : 0;
}

static bool all_there(const struct client *client)
{
	size_t at;

	for (at = 0; at < data_size; at += page)
		if (touch(client->data + at))
			return false;
	return true;
}

/* What the child of a fork gets when it touches the map. */
static int touch_in_child(const struct client *client)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(touch(client->data));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_vma_refusals(void)
{
	struct client client;
	char *middle;
	int error;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	middle = client.data + data_size / 2 / page * page;

	is_error(error_of(mprotect(client.data, data_size,
				   PROT_READ | PROT_WRITE)), EACCES,
		 "VMA: mprotect to write");
	if (target.own)
		is_error(error_of(mprotect(client.data, data_size,
					   PROT_READ | PROT_EXEC)), EACCES,
			 "VMA: mprotect to exec");
	is_error(error_of(munmap(client.data, page)), EINVAL,
		 "VMA: munmap of the beginning");
	is_error(error_of(munmap(middle, page)), EINVAL,
		 "VMA: munmap of the middle");
	is_error(error_of(munmap(client.data + data_size - page, page)), EINVAL,
		 "VMA: munmap of the end");
	is_error(error_of(mprotect(middle, page, PROT_NONE)), EINVAL,
		 "VMA: mprotect of the middle");
	error = mmap(middle, page, PROT_READ,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		MAP_FAILED ? errno : 0;
	/* Before 6.12, mmap says ENOMEM for whatever stops it from unmapping. */
	ok(error == EINVAL || error == ENOMEM,
	   "VMA: MAP_FIXED over the middle is refused (%s)", error_name(error));
	is_error(mremap(client.data, data_size, data_size + page,
			MREMAP_MAYMOVE) == MAP_FAILED ? errno : 0, EFAULT,
		 "VMA: mremap to grow");
	is_error(mremap(client.data, data_size, data_size - page, 0) ==
		 MAP_FAILED ? errno : 0, EINVAL, "VMA: mremap to shrink");
	ok(all_there(&client), "VMA: the map is whole after all that");
	is_error(get_reader(client.fd), 0, "VMA: and is counted");
	client_unmap(&client);
	is_error(get_reader(client.fd), ENODEV, "VMA: and then is not");
	close(client.fd);
}

static void test_vma_move(void)
{
	struct client client;
	char *to, *moved;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(1, SMALL);
	get_reader(client.fd);
	to = mmap(NULL, data_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	moved = mremap(client.data, data_size, data_size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (ok(moved == to, "VMA: mremap moves the whole map")) {
		client.data = moved;
		ok(all_there(&client), "VMA: which is whole there");
		ok(subbuf_events(client_subbuf(&client), 0, NULL, NULL) > 0,
		   "VMA: and has the events");
	}
	is_error(get_reader(client.fd), 0, "VMA: a moved map is counted");
	munmap((void *)client.meta, page);
	is_error(get_reader(client.fd), 0, "VMA: on its own too");
	munmap(client.data, data_size);
	is_error(get_reader(client.fd), ENODEV, "VMA: once");
	close(client.fd);
}

static void test_vma_close(void)
{
	struct client client;
	uint64_t last;
	int fd;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	close(client.fd);
	ok(all_there(&client), "VMA: the file is closed, the map is there");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	is_error(get_reader(fd), 0, "VMA: and another file can advance it");
	is(subbuf_events(client_subbuf(&client), 0, NULL, &last), 3,
	   "VMA: which shows in it");
	client_unmap(&client);
	is_error(get_reader(fd), ENODEV, "VMA: it was the only one");
	close(fd);
}

static void test_vma_fork(void)
{
	struct client client;
	int to_child[2], to_parent[2], status;
	char byte = 0;
	pid_t pid;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	is(touch_in_child(&client), SIGSEGV, "VMA: a child has no map");
	is_error(get_reader(client.fd), 0, "VMA: and its end takes none away");

	if (!target.own) {
		client_close(&client);
		return;
	}
	/* Refused, or else each reference is counted. */
	if (madvise(client.data, data_size, MADV_DOFORK)) {
		is_error(errno, EINVAL, "VMA: MADV_DOFORK is refused");
		client_close(&client);
		return;
	}
	if (pipe(to_child) || pipe(to_parent))
		bail_out("pipe: %s", error_name(errno));
	pid = fork();
	if (!pid) {
		/* The parent has unmapped its own when it writes. */
		if (read(to_child[0], &byte, 1) != 1)
			_exit(100);
		status = get_reader(client.fd);
		_exit(touch(client.data) ? 101 : status);
	}
	client_unmap(&client);
	is_error(get_reader(client.fd), 0,
		 "VMA: with MADV_DOFORK a child's map counts");
	if (write(to_child[1], &byte, 1) != 1)
		bail_out("pipe: %s", error_name(errno));
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "VMA: and works (status %x)", status);
	is_error(get_reader(client.fd), ENODEV, "VMA: until the child ends");
	close(client.fd);
	close(to_child[0]);
	close(to_child[1]);
	close(to_parent[0]);
	close(to_parent[1]);
}

static void test_vma_dontneed(void)
{
	struct client client;
	uint64_t last = 0;

	if (!target.own)
		return;
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	get_reader(client.fd);
	is_error(error_of(madvise(client.data, data_size, MADV_DONTNEED)), 0,
		 "VMA: MADV_DONTNEED");
	ok(all_there(&client), "VMA: what it drops comes back");
	is(subbuf_events(client_subbuf(&client), 0, NULL, &last), 3,
	   "VMA: as it was");
	is(last, number - 1, "VMA: to the last event");
	client_close(&client);
}

/* GET_READER: the first test of all, on a ring as it was made. */
static void test_first_read(void)
{
	struct rbmap_meta before, after;
	struct client client;
	uint64_t first = 0, last = 0;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	is(client.meta->reader.id, 0, "new: the reader has sub-buffer 0");
	is(client.meta->entries, 0, "new: no entries");
	is(client.meta->reader.read, 0, "new: nothing read");
	is(more(16, SMALL), 16, "new: 16 events");
	is_error(get_reader(client.fd), 0, "new: GET_READER");
	is(client.meta->reader.id, 1, "new: the reader has sub-buffer 1");
	is(client.meta->entries, 16, "new: entries");
	is(client.meta->read, 16, "new: read");
	is(client.meta->overrun, 0, "new: overrun");
	is(subbuf_events(client_subbuf(&client), 0, &first, &last), 16,
	   "new: the sub-buffer has them");
	ok(first == number - 16 && last == number - 1, "new: all of them");
	is(client.meta->reader.read, subbuf_commit(client_subbuf(&client)),
	   "new: reader.read is all that is committed");
	before = *(struct rbmap_meta *)client.meta;
	is_error(get_reader(client.fd), 0, "new: GET_READER again");
	after = *(struct rbmap_meta *)client.meta;
	ok(!memcmp(&before, &after, RBMAP_META_TRACE_LEN),
	   "new: changes nothing");
	client_close(&client);
}

static void test_get_reader(void)
{
	struct rbmap_meta before, after;
	uint64_t first = 0, last = 0, began;
	size_t commit, seen = 0;
	struct client client;
	uint32_t id;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	get_reader(client.fd);
	before = *(struct rbmap_meta *)client.meta;
	is_error(get_reader(client.fd), 0, "GET_READER: empty");
	after = *(struct rbmap_meta *)client.meta;
	ok(!memcmp(&before, &after, RBMAP_META_TRACE_LEN),
	   "GET_READER: empty: changes nothing");

	began = number;
	more(1, SMALL);
	get_reader(client.fd);
	id = client.meta->reader.id;
	seen = subbuf_commit(client_subbuf(&client));
	is(client.meta->read, 1, "GET_READER: one event is one read");

	more(1, SMALL);
	commit = subbuf_commit(client_subbuf(&client));
	ok(commit > seen, "GET_READER: commit grows without a call");
	is(client.meta->entries, 1, "GET_READER: the meta-page does not");
	is(client.meta->reader.read, seen, "GET_READER: nor reader.read");
	is(subbuf_events(client_subbuf(&client), seen, &first, &last), 1,
	   "GET_READER: the event can be seen");
	is(first, number - 1, "GET_READER: the right one");

	more(2, SMALL);
	commit = subbuf_commit(client_subbuf(&client));
	is_error(get_reader(client.fd), 0, "GET_READER: unread bytes");
	is(client.meta->reader.id, id, "GET_READER: unread bytes: same id");
	is(client.meta->reader.read, commit,
	   "GET_READER: unread bytes: all count as read");
	is(client.meta->read, 4, "GET_READER: unread bytes: and all events");
	is(client.meta->entries, 4, "GET_READER: unread bytes: entries");

	before = *(struct rbmap_meta *)client.meta;
	is_error(get_reader(client.fd), 0, "GET_READER: the writer is in it");
	after = *(struct rbmap_meta *)client.meta;
	ok(!memcmp(&before, &after, RBMAP_META_TRACE_LEN),
	   "GET_READER: the writer is in it: changes nothing");

	/* Until the writer has left it, and one more for the next. */
	seen = commit;
	more(subbuf_size / LARGE + 1, LARGE);
	commit = subbuf_commit(client_subbuf(&client));
	if (commit > seen) {
		is_error(get_reader(client.fd), 0,
			 "GET_READER: the rest of it");
		is(client.meta->reader.id, id,
		   "GET_READER: the rest of it: same id");
	}
	is_error(get_reader(client.fd), 0, "GET_READER: the next one");
	ok(client.meta->reader.id != id,
	   "GET_READER: the next one: another id");
	is(client.meta->reader.read, subbuf_commit(client_subbuf(&client)),
	   "GET_READER: the next one: all of it counts as read");
	is(client.meta->entries, number - began, "GET_READER: entries");
	is(client.meta->read, number - began, "GET_READER: read");
	is(client.meta->overrun, 0, "GET_READER: overrun");
	subbuf_events(client_subbuf(&client), 0, &first, &last);
	is(last, number - 1, "GET_READER: up to the last event");
	client_unmap(&client);
	is_error(get_reader(client.fd), ENODEV, "GET_READER: nothing mapped");
	close(client.fd);
}

/* Waiting */

static void test_nonblock(void)
{
	struct client client;
	uint64_t began;

	percent(0);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	nonblock(client.fd, true);
	began = now();
	is_error(get_reader(client.fd), 0, "wait: fcntl sets O_NONBLOCK");
	ok(now() - began < 1000 * MSEC, "wait: returns at once");
	nonblock(client.fd, false);
	began = now();
	alarm_in(100);
	is_error(get_reader(client.fd), EINTR,
		 "wait: fcntl clears O_NONBLOCK, a signal interrupts");
	ok(now() - began >= 80 * MSEC, "wait: it waited");
	alarm_in(0);
	client_close(&client);
}

static void test_block_any(void)
{
	unsigned int count = 1;
	struct client client;
	uint64_t began, last = 0;
	int error;
	pid_t pid;

	percent(0);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	began = now();
	pid = later(100, emit_some, &count);
	alarm_in(10000);
	error = get_reader(client.fd);
	is_error(error, 0, "wait: buffer_percent 0: any event ends it");
	ended_soon(began, "wait: buffer_percent 0");
	ok(now() - began >= 80 * MSEC, "wait: not before there was one");
	subbuf_events(client_subbuf(&client), 0, NULL, &last);
	is(last, number++, "wait: the event is there");
	alarm_in(0);
	reap(pid);
	client_close(&client);
}

/* Does GET_READER come back when the ring is as full as buffer_percent says? */
static void test_watermark(unsigned int value)
{
	unsigned int slots = nr_subbufs - 1;
	unsigned int per_subbuf = subbuf_size / (LARGE + 32);
	unsigned int count = (slots + 2) * per_subbuf;
	unsigned int full, wanted;
	struct client client;
	uint64_t filled, began;
	int error;
	pid_t pid;

	percent(value);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	nonblock(client.fd, true);
	get_reader(client.fd);
	nonblock(client.fd, false);
	began = now();
	pid = later(50, emit_slowly, &count);
	alarm_in(10000);
	error = get_reader(client.fd);
	filled = client.meta->entries;
	is_error(error, 0, "wait: buffer_percent %u ends it", value);
	ended_soon(began, "wait: watermark");
	alarm_in(0);
	kill(pid, SIGKILL);
	reap(pid);
	/* A kernel's own ring can wake too early, by what others waited for. */
	number += count;
	if (!target.own) {
		client_close(&client);
		return;
	}
	/* The one that is written counts as well. */
	wanted = (slots * value + 99) / 100;
	full = (filled + per_subbuf - 1) / per_subbuf;
	ok(full >= wanted, "wait: %u%%: not before %u sub-buffers (%u)", value,
	   wanted, full);
	/* Something has to be left for those who are woken late. */
	if (value < 80)
		ok(full < slots, "wait: %u%%: nor when all is full", value);
	client_close(&client);
}

static void test_wake(void)
{
	struct client client;
	uint64_t began;
	int error;
	pid_t pid;

	percent(50);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	began = now();
	pid = later(100, wake, &client.fd);
	alarm_in(10000);
	error = get_reader(client.fd);
	is_error(error, 0, "wait: ioctl 0 ends it");
	ended_soon(began, "wait: ioctl 0");
	ok(now() - began >= 80 * MSEC, "wait: not before it was called");
	alarm_in(0);
	reap(pid);
	is_error(error_of(ioctl(client.fd, 0)), 0,
		 "wait: ioctl 0 with nobody waiting");
	alarm_in(100);
	is_error(get_reader(client.fd), EINTR, "wait: and it is not kept");
	alarm_in(0);
	client_close(&client);
}

static void test_unknown_ioctl(void)
{
	static const unsigned int commands[] = {
		_IO('R', 0x21), _IO('R', 0x1f), _IO('r', 0x20), 0xffffffff
	};
	struct client client;
	size_t i;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		is_error(error_of(ioctl(client.fd, commands[i])), ENOTTY,
			 "ioctl %#x", commands[i]);
	client_close(&client);
}

/* poll */

static bool readable(int fd, int timeout)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout) == 1 && pollfd.revents & POLLIN;
}

/* All that there is now, through the map. */
static void drain(struct client *client)
{
	uint32_t id;
	size_t read;

	do {
		id = client->meta->reader.id;
		read = client->meta->reader.read;
		get_reader(client->fd);
	} while (client->meta->reader.id != id ||
		 client->meta->reader.read != read);
}

static void test_poll(void)
{
	unsigned int per_subbuf = subbuf_size / (LARGE + 32);
	unsigned int half = (nr_subbufs / 2 + 1) * per_subbuf;
	unsigned int count = 1;
	struct client client;
	uint64_t began;
	pid_t pid;

	percent(0);
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	drain(&client);
	ok(!readable(client.fd, 0), "poll: empty: not readable");
	more(1, SMALL);
	ok(readable(client.fd, 0), "poll: an event: readable");
	ok(readable(client.fd, 0), "poll: still");
	drain(&client);
	ok(!readable(client.fd, 0), "poll: GET_READER took all: not readable");
	began = now();
	pid = later(100, emit_some, &count);
	ok(readable(client.fd, 10000), "poll: an event wakes it");
	ended_soon(began, "poll");
	ok(now() - began >= 80 * MSEC, "poll: not before there was one");
	reap(pid);
	number += count;
	drain(&client);

	percent(50);
	more(1, SMALL);
	ok(!readable(client.fd, 0), "poll: 50%%: an event is not enough");
	began = now();
	pid = later(100, emit_some, &half);
	ok(readable(client.fd, 10000), "poll: 50%%: half of the ring is");
	ended_soon(began, "poll: 50%");
	reap(pid);
	number += half;
	ok(readable(client.fd, 0), "poll: 50%%: readable now");
	drain(&client);
	ok(!readable(client.fd, 0), "poll: 50%%: taken: not readable");
	percent(1);
	fresh();
	/* The kernel's counts the empty sub-buffer that is written. */
	if (target.own)
		ok(!readable(client.fd, 0), "poll: 1%%: empty: not readable");
	client_close(&client);
}

static int epoll_events(int epoll, int timeout)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, timeout);
}

static void test_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct client client;
	unsigned int count = 1;
	uint64_t began;
	int epoll, i;
	pid_t pid;

	percent(0);
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	drain(&client);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	is_error(error_of(epoll_ctl(epoll, EPOLL_CTL_ADD, client.fd, &event)),
		 0, "epoll: edge-triggered");
	is(epoll_events(epoll, 0), 0, "epoll: nothing yet");
	for (i = 1; i <= 3; i++) {
		began = now();
		pid = later(50, emit_some, &count);
		is(epoll_events(epoll, 10000), 1, "epoll: edge %d", i);
		ended_soon(began, "epoll");
		reap(pid);
		number++;
		if (target.own)
			is(epoll_events(epoll, 0), 0, "epoll: edge %d: once",
			   i);
		/* Read or not, the next event is the next edge. */
		if (i > 1)
			drain(&client);
	}
	close(epoll);
	client_close(&client);
}

/* read() */

static bool all_zero(const char *from, const char *to)
{
	while (from < to)
		if (*from++)
			return false;
	return true;
}

/* Events of a sub-buffer whose times lie between two that we know. */
static bool times_within(const void *subbuf, uint64_t from, uint64_t to)
{
	struct cursor cursor;
	struct record record;

	cursor_begin(&cursor, subbuf);
	while (cursor_next(&cursor, &record)) {
		if (record.time < from || record.time > to) {
			diag("time %llu, not within %llu to %llu",
			     (unsigned long long)record.time,
			     (unsigned long long)from, (unsigned long long)to);
			return false;
		}
	}
	return !cursor.bad;
}

/* A read of less than a sub-buffer leaves the rest, for the same file. */
static void test_read_parts(int fd, char *subbuf)
{
	uint64_t first = 0;
	size_t got = 100;
	ssize_t ret;

	more(3, SMALL);
	is(read(fd, subbuf, 100), 100, "read: 100 bytes");
	more(3, SMALL);
	while (got < subbuf_size) {
		ret = read(fd, subbuf + got, got == 100 ? 33 : subbuf_size);
		if (ret <= 0)
			break;
		got += ret;
	}
	is(got, subbuf_size, "read: the rest of the sub-buffer");
	is(subbuf_events(subbuf, 0, &first, NULL), 3,
	   "read: in parts: as it was at the first");
	is(first, number - 6, "read: in parts: the right ones");
	is(read(fd, subbuf, subbuf_size), subbuf_size, "read: the next");
	is(subbuf_events(subbuf, 0, &first, NULL), 3, "read: the next: events");
	is(first, number - 3, "read: the next: the right ones");
}

static void test_read(void)
{
	char *subbuf = malloc(subbuf_size);
	uint64_t first = 0, last = 0, from, to;
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t lost;
	size_t commit;
	int i;

	if (!set("trace_clock", "mono"))
		bail_out("trace_clock: %s", error_name(errno));
	fresh();
	/* What the file has given before must not be seen behind less. */
	more(2 * subbuf_size / LARGE, LARGE);
	while (read(fd, subbuf, subbuf_size) > 0)
		;
	is_error(errno, EAGAIN, "read: empty");

	from = now();
	more(3, SMALL);
	to = now();
	memset(subbuf, 0xff, subbuf_size);
	is(read(fd, subbuf, subbuf_size), subbuf_size, "read: a sub-buffer");
	is(subbuf_events(subbuf, 0, &first, &last), 3, "read: its events");
	ok(first == number - 3 && last == number - 1, "read: the right ones");
	ok(times_within(subbuf, from, to), "read: their times");
	commit = subbuf_commit(subbuf);
	ok(all_zero(subbuf + RBMAP_SUBBUF_HEADER_SIZE + commit,
		    subbuf + subbuf_size), "read: zeroes behind");
	ok(subbuf_lost(subbuf, subbuf_size, &lost) && !lost,
	   "read: nothing lost");
	is_error(read(fd, subbuf, subbuf_size) < 0 ? errno : 0, EAGAIN,
		 "read: all was read");

	/* The same sub-buffer of the ring again, twice. */
	for (i = 0; i < 2; i++) {
		nap(200); /* more than 27 bits of nanoseconds */
		from = now();
		more(2, SMALL);
		to = now();
		is(read(fd, subbuf, subbuf_size), subbuf_size,
		   "read: what came since (%d)", i);
		is(subbuf_events(subbuf, 0, &first, &last), 2,
		   "read: what came since (%d): its events", i);
		ok(first == number - 2 && last == number - 1,
		   "read: what came since (%d): the right ones", i);
		ok(times_within(subbuf, from, to),
		   "read: what came since (%d): their times", i);
	}

	if (target.own)
		test_read_parts(fd, subbuf);

	more(2, SMALL);
	is_error(read(fd, (void *)8, subbuf_size) < 0 ? errno : 0, EFAULT,
		 "read: to a bad address");
	is(read(fd, subbuf, subbuf_size), subbuf_size, "read: to a good one");
	is(subbuf_events(subbuf, 0, &first, NULL), 2, "read: loses nothing");

	is(read(fd, subbuf, 0), 0, "read: 0 bytes");
	is_error(lseek(fd, 0, SEEK_SET) < 0 ? errno : 0, ESPIPE,
		 "read: no seeking");
	close(fd);
	set("trace_clock", "local");
	free(subbuf);
}

static void test_read_block(void)
{
	char *subbuf = malloc(subbuf_size);
	int fd = device_open(CPU, O_RDONLY);
	unsigned int count = 1;
	uint64_t began;
	ssize_t ret;
	pid_t pid;

	/* read() does not wait for the watermark. */
	percent(0);
	fresh();
	alarm_in(100);
	is_error(read(fd, subbuf, subbuf_size) < 0 ? errno : 0, EINTR,
		 "read: waits, a signal interrupts");
	began = now();
	pid = later(100, emit_some, &count);
	alarm_in(10000);
	ret = read(fd, subbuf, subbuf_size);
	is(ret, subbuf_size, "read: waits for an event");
	ended_soon(began, "read");
	ok(now() - began >= 80 * MSEC, "read: and no less");
	alarm_in(0);
	reap(pid);
	number += count;
	close(fd);
	free(subbuf);
}

/* Loss: told where it is, once. */

/* More than the ring holds, from an empty ring on; the number of the first. */
static uint64_t overfill(size_t len)
{
	uint64_t began;

	set_overwrite(true);
	fresh();
	began = number;
	more((nr_subbufs + 3) * (subbuf_size / len), len);
	return began;
}

/* With events that leave room for a number behind them, and with one that
 * fills a page to its end.
 */
static void test_lost_read(const char *what, size_t len)
{
	char *subbuf = malloc(subbuf_size);
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t began, expected, first = 0, last = 0, lost, told = 0;
	uint64_t told_here = 0;
	bool right = true, in_place = true;

	began = overfill(len);
	expected = began;
	while (read(fd, subbuf, subbuf_size) == (ssize_t)subbuf_size) {
		right &= subbuf_lost(subbuf, subbuf_size, &lost);
		/* Told ahead, where full sub-buffers have no room for it. */
		told_here += lost;
		if (subbuf_events(subbuf, 0, &first, &last)) {
			in_place &= first - expected == told_here;
			expected = last + 1;
			told_here = 0;
		}
		told += lost;
	}
	ok(right, "lost: read: %s: each number is stored", what);
	ok(in_place, "lost: read: %s: and is what is missing there", what);
	ok(told > 0, "lost: read: %s: something is (%llu)", what,
	   (unsigned long long)told);
	is(expected, number, "lost: read: %s: up to the last event", what);
	is(stat_of(CPU, "overrun"), told, "lost: read: %s: as overrun has it", what);
	close(fd);
	free(subbuf);
}

static void test_lost_map(void)
{
	uint64_t began, expected, first = 0, last = 0, lost, told = 0;
	bool in_place = true, in_meta = true;
	struct client client;
	size_t events;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	began = overfill(LARGE);
	expected = began;
	while ((events = take(&client, &first, &last))) {
		const void *subbuf = client_subbuf(&client);

		if (!subbuf_lost(subbuf, subbuf_size, &lost))
			lost = first - expected; /* no room for the number */
		in_place &= first - expected == lost;
		in_meta &= client.meta->reader.lost_events == lost;
		told += lost;
		expected = last + 1;
	}
	ok(in_place, "lost: map: the number is what is missing there");
	if (target.own)
		ok(in_meta, "lost: map: reader.lost_events as well");
	ok(told > 0, "lost: map: something is (%llu)",
	   (unsigned long long)told);
	is(expected, number, "lost: map: up to the last event");
	is(client.meta->overrun, told, "lost: map: as overrun has it");
	is(client.meta->entries, number - began, "lost: map: entries");
	is(client.meta->entries - client.meta->overrun, client.meta->read,
	   "lost: map: entries = overrun + read");
	if (target.own) {
		is(client.meta->lost, told, "lost: map: lost");
		is(client.meta->lost_told, told, "lost: map: lost_told");
		ok(client.meta->pages_lost > 0, "lost: map: sub-buffers lost");
	}
	client_close(&client);
}

/* Drops come behind what can be read: each reader is told of them all the same. */
static uint64_t drop_some(void)
{
	uint64_t tried = (nr_subbufs + 3) * (subbuf_size / LARGE), taken;

	set_overwrite(false);
	fresh();
	taken = more(tried, LARGE);
	set_overwrite(true);
	ok(taken < tried, "drops: a full ring takes no more");
	return tried - taken;
}

static void test_drops_map(void)
{
	uint64_t lost, told = 0, dropped, last = 0;
	struct client client;
	uint32_t id;
	size_t read;

	if (!target.own)
		return;
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	dropped = drop_some();
	for (;;) {
		id = client.meta->reader.id;
		read = client.meta->reader.read;
		get_reader(client.fd);
		if (client.meta->reader.id == id &&
		    client.meta->reader.read == read)
			break;
		if (client.meta->reader.id == id)
			continue;
		ok(subbuf_lost(client_subbuf(&client), subbuf_size, &lost),
		   "drops: map: sub-buffer with a number");
		told += lost;
		subbuf_events(client_subbuf(&client), 0, NULL, &last);
	}
	is(told, dropped, "drops: map: told in a sub-buffer");
	is(client.meta->dropped_full, dropped, "drops: map: dropped_full");
	is(client.meta->lost, dropped, "drops: map: lost");
	is(client.meta->lost_told, dropped, "drops: map: lost_told");
	is(client.meta->overrun, 0, "drops: map: overrun");
	more(1, SMALL);
	is(take(&client, NULL, &last), 1, "drops: map: it goes on");
	is(last, number - 1, "drops: map: with the right event");
	is(client.meta->reader.lost_events, 0, "drops: map: nothing lost");
	client_close(&client);
}

static void test_drops_read(void)
{
	char *subbuf = malloc(subbuf_size);
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t lost, told = 0, dropped, last = 0;
	unsigned int empty = 0;

	if (!target.own)
		return;
	dropped = drop_some();
	while (read(fd, subbuf, subbuf_size) == (ssize_t)subbuf_size) {
		subbuf_lost(subbuf, subbuf_size, &lost);
		told += lost;
		empty += !subbuf_commit(subbuf);
	}
	is(told, dropped, "drops: read: told in a sub-buffer");
	is(empty, 1, "drops: read: which holds nothing");
	is(stat_of(CPU, "lost told"), dropped, "drops: read: lost told");
	more(1, SMALL);
	is(read(fd, subbuf, subbuf_size), subbuf_size, "drops: read: goes on");
	ok(subbuf_lost(subbuf, subbuf_size, &lost) && !lost,
	   "drops: read: nothing lost");
	is(subbuf_events(subbuf, 0, NULL, &last), 1, "drops: read: an event");
	is(last, number - 1, "drops: read: the right one");
	close(fd);
	free(subbuf);
}

/* Several readers of one ring take turns: each event goes to one of them. */
static void test_turns(void)
{
	char *subbuf = malloc(subbuf_size);
	uint64_t first = 0, last = 0, expected;
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	unsigned int turn, idle = 0, shares[3] = { 0 };
	struct client clients[2];
	bool in_order = true;

	set_overwrite(true);
	fresh();
	client_open(&clients[0], CPU, O_RDONLY | O_NONBLOCK);
	client_open(&clients[1], CPU, O_RDONLY | O_NONBLOCK);
	expected = number;
	more((nr_subbufs - 2) * (subbuf_size / (LARGE + 32)), LARGE);
	/*
	 * Whoever maps sees what the others have taken: what each call of its
	 * own makes new is told by what the others left in the meta-page.
	 */
	for (turn = 0; idle < 6; turn++) {
		size_t events = 0;

		if (turn % 3 == 2) {
			if (read(fd, subbuf, subbuf_size) ==
			    (ssize_t)subbuf_size)
				events = subbuf_events(subbuf, 0, &first,
						       &last);
		} else {
			struct client *client = &clients[turn % 3];
			uint32_t id = client->meta->reader.id;
			size_t from = client->meta->reader.read;

			get_reader(client->fd);
			if (client->meta->reader.id != id)
				from = 0;
			events = subbuf_events(client_subbuf(client), from,
					       &first, &last);
		}
		idle = events ? 0 : idle + 1;
		if (!events)
			continue;
		shares[turn % 3] += events;
		in_order &= first == expected && last == first + events - 1;
		expected = last + 1;
	}
	is(expected, number, "turns: each event");
	ok(in_order, "turns: in order, once");
	ok(shares[0] && shares[1] && shares[2],
	   "turns: for each of three readers (%u, %u, %u)", shares[0],
	   shares[1], shares[2]);
	client_close(&clients[0]);
	is_error(get_reader(clients[1].fd), 0, "turns: one closed, one is left");
	client_close(&clients[1]);
	is_error(get_reader(fd), ENODEV, "turns: none is left");
	close(fd);
	free(subbuf);
}

/* The meta-page, byte by byte */

static uint64_t field(const struct client *client, size_t offset, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)client->meta + offset, size);
	return value;
}

static void test_meta(void)
{
	struct client client;
	uint32_t generation;
	size_t commit;

	set_overwrite(true);
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(5, SMALL);
	get_reader(client.fd);
	drain(&client);
	commit = subbuf_commit(client_subbuf(&client));
	ok(field(&client, 0, 4) % page == 0 && field(&client, 0, 4) >= page,
	   "meta: meta_page_size");
	ok(field(&client, 4, 4) >= RBMAP_META_TRACE_LEN,
	   "meta: meta_struct_len");
	is(field(&client, 8, 4), subbuf_size, "meta: subbuf_size");
	is(field(&client, 12, 4), nr_subbufs, "meta: nr_subbufs");
	is(field(&client, 16, 8), 0, "meta: reader.lost_events");
	ok(field(&client, 24, 4) < nr_subbufs, "meta: reader.id");
	is(field(&client, 28, 4), commit, "meta: reader.read");
	is(field(&client, 32, 8), 0, "meta: flags");
	is(field(&client, 40, 8), 5, "meta: entries");
	is(field(&client, 48, 8), 0, "meta: overrun");
	is(field(&client, 56, 8), 5, "meta: read");
	if (!target.own) {
		client_close(&client);
		return;
	}
	is(field(&client, 64, 8), 0, "meta: pages_lost");
	ok(field(&client, 72, 8) <= 2, "meta: pages_touched");
	is(field(&client, 0, 4), subbuf_size, "meta: padded to a sub-buffer");
	is(field(&client, 4, 4), sizeof(struct rbmap_meta),
	   "meta: own block, length");
	ok(!memcmp((const char *)client.meta + 80, "rbmp", 4),
	   "meta: own block, magic");
	is(field(&client, 84, 4), RBMAP_META_VERSION, "meta: version");
	generation = field(&client, 88, 4);
	ok(generation >= 1, "meta: generation");
	is(field(&client, 92, 4), RBMAP_MODE_OVERWRITE, "meta: mode");
	is(field(&client, 96, 4), RBMAP_CLOCK_LOCAL, "meta: clock");
	is(field(&client, 100, 4), CPU, "meta: cpu");
	is(field(&client, 104, 8), 0, "meta: lost");
	is(field(&client, 112, 8), 0, "meta: dropped_full");
	is(field(&client, 120, 8), 0, "meta: dropped_lapped");
	is(field(&client, 128, 8), 0, "meta: dropped_nested");
	is(field(&client, 136, 8), 0, "meta: dropped_too_large");
	is(field(&client, 144, 8), 0, "meta: disabled");
	is(field(&client, 152, 8), 0, "meta: lost_told");
	ok(field(&client, 160, 8) > 0, "meta: now");
	ok(all_zero((const char *)client.meta + sizeof(struct rbmap_meta),
		    (const char *)client.meta + page), "meta: zeroes behind");

	set_overwrite(false);
	set("tracing_on", "0");
	more(3, SMALL);
	set("tracing_on", "1");
	get_reader(client.fd);
	is(client.meta->mode, RBMAP_MODE_DISCARD, "meta: mode changes");
	is(client.meta->disabled, 3, "meta: events while tracing_on is 0");
	is(client.meta->lost, 0, "meta: are not lost");
	is(client.meta->entries, 5, "meta: nor entries");
	set_overwrite(true);
	is(client.meta->retired, 0, "meta: retired");
	set("trace_clock", "mono");
	is(client.meta->retired, 1, "meta: another clock retires the ring");
	is(client.meta->clock, RBMAP_CLOCK_LOCAL, "meta: which keeps its own");
	client_unmap(&client);
	client_map(&client);
	is(client.meta->clock, RBMAP_CLOCK_MONO, "meta: the next one has it");
	is(client.meta->generation, generation + 1,
	   "meta: and counts the rings");
	more(1, SMALL);
	{
		uint64_t from = now();

		get_reader(client.fd);
		ok(client.meta->now >= from && client.meta->now <= now(),
		   "meta: now is when GET_READER looked");
	}
	client_close(&client);
	set("trace_clock", "local");
}

static void test_reset(void)
{
	struct client client;
	uint64_t first = 0;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(10, LARGE);
	drain(&client);
	more(10, LARGE);
	fresh();
	is(client.meta->entries, 0, "reset: entries");
	is(client.meta->read, 0, "reset: read");
	is(client.meta->overrun, 0, "reset: overrun");
	if (target.own)
		is(stat_of(CPU, "entries"), 0, "reset: nothing unread");
	more(2, SMALL);
	ok(take(&client, &first, NULL) >= 2, "reset: new events come");
	is(client.meta->entries, 2, "reset: are counted");
	is(client.meta->read, 2, "reset: are read");
	is(client.meta->reader.lost_events, 0, "reset: nothing is lost");
	client_close(&client);
}

static void measure(void)
{
	struct client client;

	page = sysconf(_SC_PAGESIZE);
	memset(&client, 0, sizeof(client));
	client.fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	if (!client_map(&client))
		bail_out("cannot map: %s", error_name(errno));
	subbuf_size = client.subbuf_size;
	nr_subbufs = client.nr_subbufs;
	meta_size = client.meta->meta_page_size;
	data_size = subbuf_size * nr_subbufs;
	diag("%u sub-buffers of %zu bytes", nr_subbufs, subbuf_size);
	client_close(&client);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (target_options(argc, argv) != argc)
		bail_out("usage: device [--tracefs]");
	pin(CPU);
	measure();
	test_first_read();
	test_map_table();
	test_map_order();
	test_vma_refusals();
	if (target.own) /* 6.12's own forgets to count what moves */
		test_vma_move();
	test_vma_close();
	test_vma_fork();
	test_vma_dontneed();
	test_get_reader();
	test_nonblock();
	test_block_any();
	test_watermark(50);
	test_watermark(100);
	test_wake();
	test_unknown_ioctl();
	test_poll();
	test_epoll();
	test_read();
	test_read_block();
	test_lost_read("large events", LARGE);
	if (target.own)
		test_lost_read("a page each", FULL);
	test_lost_map();
	test_drops_map();
	test_drops_read();
	test_turns();
	test_meta();
	test_reset();
	return done_testing();
}
