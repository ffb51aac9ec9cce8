// SPDX-License-Identifier: GPL-2.0-only
/* Waiting: in GET_READER, with poll, select and epoll. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

/*
 * Return true if a wait ended before the alarm. A wait that only the alarm
 * ended can look like a successful one.
 */
static bool soon(uint64_t began)
{
	return now() - began < limit(5000) * MSEC;
}

static bool not_before(uint64_t began, unsigned int milliseconds)
{
	return now() - began >= milliseconds * MSEC;
}

/*
 * Write many events one by one, with enough time to wake the reader at the
 * right one.
 */
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

static void test_nonblock(void)
{
	struct client client;
	uint64_t began;

	percent(0);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	nonblock(client.fd, true);
	case_error(get_reader(client.fd), 0, "wait: fcntl sets O_NONBLOCK");
	nonblock(client.fd, false);
	began = now();
	alarm_in(100);
	case_error(get_reader(client.fd), EINTR,
		   "wait: fcntl clears O_NONBLOCK, a signal interrupts");
	case_ok(not_before(began, 80), "wait: a signal: not before it");
	alarm_in(0);
	nonblock(client.fd, true);
	case_error(get_reader(client.fd), 0,
		   "wait: fcntl sets O_NONBLOCK again");
	client_close(&client);
}

static void test_any_event(void)
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
	alarm_in(limit(10000));
	error = get_reader(client.fd);
	case_error(error, 0, "wait: 0%%: an event ends it");
	case_ok(soon(began), "wait: 0%%: soon");
	case_ok(not_before(began, 80), "wait: 0%%: not before");
	subbuf_events(client_subbuf(&client), 0, NULL, &last);
	case_ok(last == number++, "wait: 0%%: the event is there");
	alarm_in(0);
	reap(pid);
	client_close(&client);
}

/* Does GET_READER return when the ring is as full as buffer_percent says? */
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
	alarm_in(limit(10000));
	error = get_reader(client.fd);
	filled = client.meta->entries;
	case_error(error, 0, "wait: %u%%: the watermark ends it", value);
	case_ok(soon(began), "wait: %u%%: soon", value);
	alarm_in(0);
	kill(pid, SIGKILL);
	reap(pid);
	number += count;
	client_close(&client);

	/* The sub-buffer that is being written counts as well. */
	wanted = (slots * value + 99) / 100;
	full = (filled + per_subbuf - 1) / per_subbuf;
	diag("%u%%: came back at %u of %u sub-buffers", value, full, slots);
	/* In the kernel's ring, another reader's watermark may end the wait. */
	if (target.own)
		case_ok(full >= wanted, "wait: %u%%: not before", value);
	else
		case_not_run("wait: %u%%: not before", value);
	/* A reader that is woken late needs room in the ring. */
	if (value < 80)
		case_ok(full < slots, "wait: %u%%: before the ring is full",
			value);
}

static void wait_in_get_reader(void *data)
{
	_exit(get_reader(*(int *)data));
}

static int status_of(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_wake(void)
{
	struct client client;
	uint64_t began;
	int error, other;
	pid_t pid, waiter, same;

	percent(50);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	other = device_open(CPU, O_RDONLY);
	waiter = later(0, wait_in_get_reader, &other);
	same = later(0, wait_in_get_reader, &client.fd);
	if (!await_sleep(waiter) || !await_sleep(same))
		bail_out("a process does not wait");
	began = now();
	pid = later(200, wake, &client.fd);
	alarm_in(limit(10000));
	error = get_reader(client.fd);
	case_error(error, 0, "wait: ioctl 0 ends it");
	case_ok(soon(began), "wait: ioctl 0: soon");
	case_ok(not_before(began, 150), "wait: ioctl 0: not before");
	case_error(status_of(same), 0, "wait: ioctl 0: another process too");
	case_error(status_of(waiter), 0, "wait: ioctl 0: another file too");
	alarm_in(0);
	reap(pid);
	case_error(error_of(ioctl(client.fd, 0)), 0,
		   "wait: ioctl 0 with nobody waiting");
	alarm_in(100);
	case_error(get_reader(client.fd), EINTR, "wait: ioctl 0 is not kept");
	alarm_in(0);
	close(other);
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
	case_is(RBMAP_IOCTL_GET_READER, 0x5220, "ioctl: the number");
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		case_error(error_of(ioctl(client.fd, commands[i])), ENOTTY,
			   "ioctl: %#x", commands[i]);
	client_close(&client);
}

static bool readable(int fd, int timeout)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout) == 1 && pollfd.revents & POLLIN;
}

static bool selectable(int fd)
{
	struct timeval none = { 0 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, &none) == 1;
}

static void test_poll_any(struct client *client)
{
	unsigned int count = 1;
	uint64_t began;
	pid_t pid;

	percent(0);
	fresh();
	drain(client);
	case_ok(!readable(client->fd, 0), "poll: 0%%: empty: not readable");
	case_ok(!selectable(client->fd), "select: 0%%: empty: not readable");
	more(1, SMALL);
	case_ok(readable(client->fd, 0), "poll: 0%%: an event: readable");
	case_ok(readable(client->fd, 0), "poll: 0%%: an event: still");
	case_ok(selectable(client->fd), "select: 0%%: an event: readable");
	drain(client);
	case_ok(!readable(client->fd, 0),
		"poll: 0%%: GET_READER took all: not readable");
	began = now();
	pid = later(100, emit_some, &count);
	case_ok(readable(client->fd, limit(10000)), "poll: 0%%: an event wakes it");
	case_ok(soon(began), "poll: 0%%: soon");
	case_ok(not_before(began, 80), "poll: 0%%: not before");
	reap(pid);
	number += count;
	drain(client);
}

static void test_poll(void)
{
	unsigned int per_subbuf = subbuf_size / (LARGE + 32);
	unsigned int half = (nr_subbufs / 2 + 1) * per_subbuf;
	struct client client;
	uint64_t began;
	pid_t pid;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	test_poll_any(&client);

	percent(50);
	more(1, SMALL);
	case_ok(!readable(client.fd, 0),
		"poll: 50%%: an event is not enough");
	began = now();
	pid = later(100, emit_some, &half);
	case_ok(readable(client.fd, limit(10000)), "poll: 50%%: half of the ring is");
	case_ok(soon(began), "poll: 50%%: soon");
	reap(pid);
	number += half;
	case_ok(readable(client.fd, 0), "poll: 50%%: still");
	drain(&client);
	case_ok(!readable(client.fd, 0),
		"poll: 50%%: GET_READER took all: not readable");
	percent(1);
	fresh();
	case_ok(!readable(client.fd, 0), "poll: 1%%: empty: not readable");
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
	case_error(error_of(epoll_ctl(epoll, EPOLL_CTL_ADD, client.fd, &event)),
		   0, "epoll: edge-triggered");
	case_is(epoll_events(epoll, 0), 0, "epoll: nothing yet");
	for (i = 1; i <= 3; i++) {
		began = now();
		pid = later(50, emit_some, &count);
		case_is(epoll_events(epoll, limit(10000)), 1, "epoll: edge %d", i);
		case_ok(soon(began), "epoll: edge %d: soon", i);
		reap(pid);
		number++;
		/* The kernel's ring reports some edges twice, by chance. */
		if (target.own)
			case_is(epoll_events(epoll, 0), 0,
				"epoll: edge %d: once", i);
		else
			case_not_run("epoll: edge %d: once", i);
		/*
		 * Whether the ring was drained or not, the next event is the
		 * next edge.
		 */
		if (i > 1)
			drain(&client);
	}
	close(epoll);
	client_close(&client);
}

void theme_wait(void)
{
	test_nonblock();
	test_any_event();
	test_watermark(50);
	test_watermark(100);
	test_wake();
	test_unknown_ioctl();
	test_poll();
	test_epoll();
}
