// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"
#include "tap.h"

size_t page, subbuf_size, meta_size, data_size;
unsigned int nr_subbufs;
uint64_t number = 1;

void measure_client(const struct client *client)
{
	subbuf_size = client->subbuf_size;
	nr_subbufs = client->nr_subbufs;
	meta_size = client->meta ? client->meta->meta_page_size : meta_size;
	data_size = subbuf_size * nr_subbufs;
}

void measure(void)
{
	struct client client;

	page = sysconf(_SC_PAGESIZE);
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("cannot map: %s", error_name(errno));
	measure_client(&client);
	client_close(&client);
}

uint64_t more(uint64_t count, size_t len)
{
	uint64_t taken = emit(number, count, len);

	number += count;
	return taken;
}

uint64_t overfill(size_t len)
{
	uint64_t began;

	set_overwrite(true);
	fresh();
	began = number;
	more((nr_subbufs + 3) * (subbuf_size / len), len);
	return began;
}

void fresh(void)
{
	if (!reset())
		bail_out("cannot reset: %s", error_name(errno));
}

void percent(unsigned int value)
{
	if (!set_number("buffer_percent", value))
		bail_out("buffer_percent: %s", error_name(errno));
}

void nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

size_t take(struct client *client, uint64_t *first, uint64_t *last)
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

void drain(struct client *client)
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

pid_t later(unsigned int milliseconds, void (*call)(void *), void *data)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		bail_out("fork: %s", error_name(errno));
	if (!pid) {
		nap(milliseconds);
		/* On a busy machine the caller may not wait yet. */
		if (milliseconds)
			await_sleep(parent);
		call(data);
		_exit(0);
	}
	return pid;
}

void reap(pid_t pid)
{
	waitpid(pid, NULL, 0);
}

void emit_some(void *count)
{
	emit(number, *(unsigned int *)count, LARGE);
}

static void no_action(int signal)
{
	(void)signal;
}

unsigned int limit(unsigned int milliseconds)
{
	return milliseconds * slowness();
}

void alarm_in(unsigned int milliseconds)
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

static sigjmp_buf fault_jump;

static void on_fault(int signal)
{
	siglongjmp(fault_jump, signal);
}

int touch(const volatile void *at)
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

unsigned int kernel_warnings(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	unsigned int count = 0;
	char line[8192];
	ssize_t len;

	/*
	 * EPIPE: the kernel has overwritten the next record; reading continues
	 * behind it.
	 */
	while ((len = read(fd, line, sizeof(line) - 1)) > 0 ||
	       (len < 0 && errno == EPIPE)) {
		if (len < 0)
			continue;
		line[len] = 0;
		count += strstr(line, "WARNING: ") != NULL;
	}
	close(fd);
	return count;
}

bool all_there(const struct client *client)
{
	size_t at;

	for (at = 0; at < data_size; at += page)
		if (touch(client->data + at))
			return false;
	return true;
}

int error_of(int ret)
{
	return ret ? errno : 0;
}

bool all_zero(const char *from, const char *to)
{
	while (from < to)
		if (*from++)
			return false;
	return true;
}

bool times_within(const void *subbuf, uint64_t from, uint64_t to)
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
