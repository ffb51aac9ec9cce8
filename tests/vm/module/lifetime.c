// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of lifetime.sh that a shell cannot do.
 *
 *	lifetime insert FILE [PARAMETERS]	load a module, print the error
 *	lifetime reload FILE TIMES		load and unload a module
 *	lifetime hold CPU			map, close the file, wait
 *	lifetime wait CPU			map, sleep in GET_READER
 *	lifetime check CPU			succeed if an event can be read
 *	lifetime killed				readers that are killed (TAP)
 *	lifetime offline CPU			a CPU that goes offline (TAP)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU	0
#define LEN	200	/* bytes of text in an event */

static uint64_t number = 1;

/* Load once and return the kernel's own error. busybox's insmod tries twice. */
static int insert(const char *file, const char *parameters)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		bail_out("%s: %s", file, error_name(errno));
	ret = syscall(SYS_finit_module, fd, parameters, 0);
	puts(error_name(ret ? errno : 0));
	return ret ? 1 : 0;
}

/* Load and unload many times, quickly, so that leaks add up. */
static int reload(const char *file, unsigned int times)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	while (times--) {
		if (syscall(SYS_finit_module, fd, "buffer_size_kb=256", 0) ||
		    syscall(SYS_delete_module, "rbmap", O_NONBLOCK)) {
			puts(error_name(errno));
			return 1;
		}
	}
	return 0;
}

static int hold(int cpu)
{
	struct client client;

	if (!client_open(&client, cpu, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	close(client.fd);
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

/* Wait until the process is killed; no event ends the wait. */
static int wait_for_ever(int cpu)
{
	struct client client;

	if (!client_open(&client, cpu, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	while (client.meta->entries > client.meta->overrun + client.meta->read)
		get_reader(client.fd);
	fcntl(client.fd, F_SETFL, O_RDONLY);
	puts("waits");
	fflush(stdout);
	for (;;)
		get_reader(client.fd);
}

/* Read through the map and with read(), whatever the sizes are. */
static int check(int cpu)
{
	uint64_t first = 0, last = 0;
	struct client client;
	char *subbuf;
	bool good;

	pin(cpu);
	if (!client_open(&client, cpu, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	emit(1, 3, LEN);
	good = !get_reader(client.fd) &&
	       subbuf_events(client_subbuf(&client), 0, &first, &last) >= 3 &&
	       last == 3;
	emit(4, 3, LEN);
	subbuf = malloc(client.subbuf_size);
	good = good &&
	       read(client.fd, subbuf, client.subbuf_size) ==
	       (ssize_t)client.subbuf_size &&
	       subbuf_events(subbuf, 0, &first, &last) == 3 &&
	       first == 4 && last == 6;
	/* Touch each page of the map. */
	for (size_t at = 0; at < client.subbuf_size * client.nr_subbufs;
	     at += 4096)
		(void)*(volatile char *)(client.data + at);
	client_close(&client);
	return good ? 0 : 1;
}

static uint64_t more(uint64_t count)
{
	number += count;
	return emit(number - count, count, LEN);
}

/*
 * Read all events. Return their number, and clear @in_order if one is not the
 * expected one.
 */
static uint64_t drain(struct client *client, uint64_t *expected, bool *in_order)
{
	uint64_t events = 0, first, last;

	for (;;) {
		uint32_t id = client->meta->reader.id;
		size_t from = client->meta->reader.read, new;

		if (get_reader(client->fd))
			break;
		if (client->meta->reader.id != id)
			from = 0;
		else if (client->meta->reader.read == from)
			break;
		new = subbuf_events(client_subbuf(client), from, &first, &last);
		if (!new)
			continue;
		*in_order &= first == *expected && last == first + new - 1;
		*expected = last + 1;
		events += new;
	}
	return events;
}

enum state {
	OPEN, MAPPED, TAKEN, IN_GET_READER, IN_READ, IN_POLL, IN_SIGNAL_LOOP
};

static const char * const state_names[] = {
	"with an open file", "with a map", "that has a sub-buffer",
	"blocked in GET_READER", "blocked in read", "blocked in poll",
	"that reads all the time",
};

/*
 * The victim. It writes to @to the number of the last event that it has
 * consumed, or 0.
 */
static void be(enum state state, int to)
{
	struct client client = { .fd = device_open(CPU, O_RDONLY) };
	struct pollfd pollfd = { .fd = client.fd, .events = POLLIN };
	char *subbuf = malloc(1 << 22);
	uint64_t last = 0;

	if (state != OPEN && state != IN_READ && !client_map(&client))
		_exit(1);
	if (state == TAKEN) {
		get_reader(client.fd);
		subbuf_events(client_subbuf(&client), 0, NULL, &last);
	}
	if (write(to, &last, sizeof(last)) != sizeof(last))
		_exit(1);
	for (;;) {
		switch (state) {
		case IN_GET_READER:
			get_reader(client.fd);
			break;
		case IN_READ:
		case IN_SIGNAL_LOOP:
			if (read(client.fd, subbuf, 1 << 22) < 0)
				_exit(1);
			break;
		case IN_POLL:
			poll(&pollfd, 1, -1);
			break;
		default:
			pause();
		}
	}
}

static void test_killed(enum state state)
{
	const bool waits = state == IN_GET_READER || state == IN_READ ||
			   state == IN_POLL;
	const char *name = state_names[state];
	uint64_t expected, last = 0, events;
	struct client client;
	bool in_order = true;
	int fds[2], status;
	pid_t pid;

	set_number("buffer_percent", waits ? 100 : 0);
	if (!reset() || pipe(fds))
		bail_out("cannot begin: %s", error_name(errno));
	expected = number;
	if (!waits)
		more(100);
	pid = fork();
	if (!pid)
		be(state, fds[1]);
	if (read(fds[0], &last, sizeof(last)) != sizeof(last))
		bail_out("a reader %s does not start", name);
	nap(50);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "a reader %s is killed", name);
	close(fds[0]);
	close(fds[1]);

	if (state == TAKEN)
		expected = last + 1;
	more(10);
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	events = number - expected;
	is(drain(&client, &expected, &in_order), events,
	   "%s: the next reader gets the remaining events", name);
	ok(in_order && expected == number,
	   "%s: the next reader gets all events in order", name);
	is(client.meta->lost, 0, "%s: no event is lost", name);
	client_unmap(&client);
	is_error(get_reader(client.fd), ENODEV, "%s: its map is gone", name);
	close(client.fd);
}

/*
 * Kill a reader at random points, again and again. No event is counted twice or
 * lost.
 */
static void test_killed_busy(void)
{
	uint64_t expected, taken, unread, began;
	struct client client;
	bool in_order = true;
	int fds[2], i;

	set_number("buffer_percent", 0);
	if (!reset() || pipe(fds))
		bail_out("cannot begin: %s", error_name(errno));
	began = number;
	for (i = 0; i < 20; i++) {
		uint64_t last;
		pid_t pid = fork();

		if (!pid)
			be(IN_SIGNAL_LOOP, fds[1]);
		if (read(fds[0], &last, sizeof(last)) != sizeof(last))
			bail_out("no reader");
		more(30 + i * 3);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	taken = stat_of(CPU, "read events");
	unread = stat_of(CPU, "entries");
	is(taken + unread + stat_of(CPU, "overrun"), number - began,
	   "killed at any time: read + unread + overrun = written");
	/*
	 * Events that a killed read() had consumed are lost with the process;
	 * all others remain.
	 */
	expected = began + taken + stat_of(CPU, "overrun");
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	is(drain(&client, &expected, &in_order), unread,
	   "killed at any time: the next reader gets the unread events");
	ok(in_order && expected == number, "killed at any time: in order");
	client_close(&client);
	close(fds[0]);
	close(fds[1]);
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void more_on(int cpu, uint64_t count)
{
	pin(cpu);
	more(count);
	pin(0);
}

/* A CPU goes offline and comes back while readers wait for its ring and read it. */
static void test_offline(int cpu)
{
	struct sigaction action = { .sa_handler = on_alarm };
	uint64_t expected = number, lost, told = 0, tried, taken;
	struct client client;
	bool in_order = true;
	pid_t waiter;
	int fds[2];

	set_number("buffer_percent", 0);
	set_overwrite(true);
	if (!reset() || pipe(fds))
		bail_out("cannot begin: %s", error_name(errno));
	if (!client_open(&client, cpu, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	drain(&client, &expected, &in_order);
	expected = number;
	in_order = true;

	/* This child waits during all of the test. */
	waiter = fork();
	if (!waiter) {
		int fd = device_open(cpu, O_RDONLY);
		struct pollfd pollfd = { .fd = fd, .events = POLLIN };
		char byte = poll(&pollfd, 1, -1) == 1 ? 'y' : 'n';

		_exit(write(fds[1], &byte, 1) != 1);
	}
	if (!await_sleep(waiter))
		bail_out("the reader does not wait");
	ok(set_online(cpu, false), "CPU %d goes off line, a reader waits", cpu);
	is_error(get_reader(client.fd), 0,
		 "offline: GET_READER finds the ring");
	ok(set_online(cpu, true), "offline: the CPU comes back");
	more_on(cpu, 100);
	{
		struct pollfd pollfd = { .fd = fds[0], .events = POLLIN };
		char byte = 0;

		ok(poll(&pollfd, 1, 10000 * slowness()) == 1 &&
		   read(fds[0], &byte, 1) == 1 && byte == 'y',
		   "online again: the first events wake the reader");
	}
	kill(waiter, SIGKILL);
	waitpid(waiter, NULL, 0);

	is(drain(&client, &expected, &in_order), 100,
	   "online again: the events are read");
	more_on(cpu, 150);
	ok(set_online(cpu, false),
	   "the CPU goes off line with events in its ring");
	is(stat_of(cpu, "entries"), 150,
	   "offline: stats count the unread events");
	is(drain(&client, &expected, &in_order), 150,
	   "offline: unread events can be read");
	ok(in_order && expected == number,
	   "offline: events are in order, to the last one");
	sigaction(SIGALRM, &action, NULL);
	fcntl(client.fd, F_SETFL, O_RDONLY);
	alarm_each_second(true);
	is_error(get_reader(client.fd), EINTR,
		 "offline: a reader can wait for more events");
	alarm_each_second(false);
	fcntl(client.fd, F_SETFL, O_RDONLY | O_NONBLOCK);
	ok(reset(), "offline: reset");
	ok(set("trace_clock", "mono") && set("trace_clock", "local"),
	   "offline: the clock changes");
	is_error(get_reader(client.fd), ESTALE,
		 "offline: a new clock replaces the ring");
	client_unmap(&client);
	ok(client_map(&client), "offline: the new ring can be mapped");
	ok(set_online(cpu, true), "offline: the CPU comes back again");
	more_on(cpu, 50);
	is(drain(&client, &expected, &in_order), 50,
	   "online again: events of the new ring are read");
	ok(in_order && expected == number,
	   "online again: events of the new ring are in order");

	/*
	 * Drops are reported with the next sub-buffer, which another CPU closes
	 * for the offline one.
	 */
	set_overwrite(false);
	tried = client.subbuf_size * client.nr_subbufs / LEN + 100;
	pin(cpu);
	taken = more(tried);
	pin(0);
	ok(set_online(cpu, false),
	   "the CPU goes off line when its ring is full");
	ok(taken < tried, "full ring: %llu events were dropped",
	   (unsigned long long)(tried - taken));
	for (;;) {
		uint32_t id = client.meta->reader.id;
		size_t from = client.meta->reader.read;

		get_reader(client.fd);
		if (client.meta->reader.id == id) {
			if (client.meta->reader.read == from)
				break;
			continue;
		}
		if (!subbuf_lost(client_subbuf(&client), client.subbuf_size,
				 &lost))
			lost = client.meta->reader.lost_events;
		told += lost;
	}
	is(told, tried - taken,
	   "full ring: sub-buffers report the dropped events");
	ok(set_online(cpu, true), "the CPU comes back for the last time");
	set_overwrite(true);
	expected = number;
	more_on(cpu, 10);
	is(drain(&client, &expected, &in_order), 10,
	   "online again: events continue");
	client_close(&client);
}

int main(int argc, char **argv)
{
	int skip = target_options(argc, argv) - 1, cpu;
	const char *command;
	enum state state;

	argc -= skip;
	argv += skip;
	command = argc > 1 ? argv[1] : "";
	cpu = argc > 2 ? atoi(argv[2]) : 0;
	if (!strcmp(command, "insert") && argc > 2) {
		char parameters[1024] = "";
		int i;

		for (i = 3; i < argc; i++) {
			strncat(parameters, argv[i],
				sizeof(parameters) - strlen(parameters) - 2);
			strcat(parameters, " ");
		}
		return insert(argv[2], parameters);
	}
	if (!strcmp(command, "reload") && argc > 3)
		return reload(argv[2], atoi(argv[3]));
	if (!strcmp(command, "hold"))
		return hold(cpu);
	if (!strcmp(command, "wait"))
		return wait_for_ever(cpu);
	if (!strcmp(command, "check"))
		return check(cpu);
	if (!strcmp(command, "killed")) {
		pin(CPU);
		set_overwrite(true);
		for (state = OPEN; state < IN_SIGNAL_LOOP; state++)
			test_killed(state);
		test_killed_busy();
		set_number("buffer_percent", 50);
	} else if (!strcmp(command, "offline")) {
		test_offline(cpu);
		set_number("buffer_percent", 50);
	} else {
		bail_out("unknown command '%s'", command);
	}
	return done_testing();
}
