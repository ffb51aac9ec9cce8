// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers on CPU 0 that wait for events of CPU 1.
 *
 *	waits events ROUNDS	one event after the other, each of which must wake
 *				the reader, in each way to wait
 *	waits edge		an edge-triggered epoll whose ring is replaced
 *	waits interrupts LIMIT MILLISECONDS
 *				the interrupts that a reader adds on CPU 1 in this
 *				time, with and without a writer there: at most LIMIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU		1
#define MSEC		UINT64_C(1000000)
#define LEN		24

/* Values that reader and writer exchange. */
struct shared {
	atomic_ulong	got;
	atomic_ulong	sent;
	atomic_bool	stop;
	_Atomic uint64_t sent_at;
	uint64_t	longest;
	uint64_t	calls;
};

static struct shared *shared;

/* Return the seconds of a wait that must have missed the event. */
static unsigned int long_wait(void)
{
	return 10 * slowness();
}

/* Return the milliseconds that an event may need to get to its reader. */
static unsigned int longest(void)
{
	return 5000 * slowness();
}
static char subbuf[MAX_SUBBUF];

static struct shared *share(void)
{
	void *at = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		bail_out("no memory");
	return at;
}

/*
 * Ways to wait. Each returns after it was woken for an event and has consumed
 * all events. It returns their number, or -1 if the wait took too long.
 */
struct way {
	const char	*name;
	int		(*wait)(struct client *client);
};

static int take_all(struct client *client)
{
	uint64_t first, last;
	int events = 0;

	while (read(client->fd, subbuf, sizeof(subbuf)) > 0)
		events += subbuf_events(subbuf, 0, &first, &last);
	return events;
}

static void nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static int wait_by_poll(struct client *client)
{
	struct pollfd fd = { .fd = client->fd, .events = POLLIN };

	nonblock(client->fd, true);
	if (poll(&fd, 1, long_wait() * 1000) != 1)
		return -1;
	return take_all(client);
}

static int wait_by_read(struct client *client)
{
	uint64_t first, last;

	nonblock(client->fd, false);
	if (read(client->fd, subbuf, sizeof(subbuf)) <= 0)
		return -1;
	return subbuf_events(subbuf, 0, &first, &last);
}

static int wait_by_get_reader(struct client *client)
{
	nonblock(client->fd, false);
	if (get_reader(client->fd))
		return -1;
	return client_new_events(client, NULL, NULL);
}

static int wait_by_epoll(struct client *client)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	static int epoll = -1, fd = -1;

	if (fd != client->fd) {
		fd = client->fd;
		nonblock(fd, true);
		epoll = epoll_create1(EPOLL_CLOEXEC);
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
			bail_out("epoll: %s", error_name(errno));
	}
	if (epoll_wait(epoll, &event, 1, long_wait() * 1000) != 1)
		return -1;
	return take_all(client);
}

static const struct way ways[] = {
	{ "read()", wait_by_read },
	{ "poll()", wait_by_poll },
	{ "GET_READER", wait_by_get_reader },
	{ "edge-triggered epoll", wait_by_epoll },
};

#define NR_WAYS	(sizeof(ways) / sizeof(*ways))

static void no_action(int signal)
{
	(void)signal;
}

/* A signal ends a wait that takes too long; it is repeated. */
static void watch(bool on)
{
	struct itimerval timer = {
		.it_value.tv_sec = on ? long_wait() : 0,
		.it_interval.tv_sec = on,
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static unsigned long rounds;
static unsigned int milliseconds;	/* time of each count of interrupts */

/* Write the next event as soon as the reader has the last one, or some time later. */
static void *write_one_by_one(void *unused)
{
	unsigned long i, j;
	sigset_t signals;

	sigfillset(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	pin(CPU);
	for (i = 0; i < rounds; i++) {
		while (atomic_load(&shared->got) < i)
			if (atomic_load(&shared->stop))
				return unused;
		for (j = 0; j < i * 37 % 2000; j++)
			atomic_load(&shared->stop);
		emit_one(i, LEN);
	}
	return unused;
}

static void test_events(const struct way *way)
{
	struct client client;
	unsigned long got = 0;
	uint64_t began;
	pthread_t thread;
	int ret = 0;

	shared = share();
	if (!reset() || !client_open(&client, CPU, O_RDONLY))
		bail_out("open: %s", error_name(errno));
	began = now();
	if (pthread_create(&thread, NULL, write_one_by_one, NULL))
		bail_out("no thread");
	while (got < rounds) {
		watch(true);
		ret = way->wait(&client);
		if (ret < 0)
			break;
		got += ret;
		atomic_store(&shared->got, got);
	}
	watch(false);
	diag("%s: %lu events, one by one, in %" PRIu64 " ms", way->name, got,
	     (now() - began) / MSEC);
	is(got, rounds, "%s: each event ends a wait", way->name);
	atomic_store(&shared->stop, true);
	pthread_join(thread, NULL);
	client_close(&client);
}

/* A reader of a replaced ring continues with the next ring by itself. */
static void test_edge(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK), epoll;
	struct client client = { .fd = fd };
	char size[64];

	snprintf(size, sizeof(size), "per_cpu/cpu%d/buffer_size_kb", CPU);
	pin(CPU);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (fd < 0 || !reset() || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		bail_out("epoll: %s", error_name(errno));
	emit_one(1, LEN);
	is(epoll_wait(epoll, &event, 1, long_wait() * 1000), 1, "epoll: an event is an edge");
	if (!set_number(size, 128))
		bail_out("%s: %s", size, error_name(errno));
	is(epoll_wait(epoll, &event, 1, long_wait() * 1000), 1,
	   "epoll: the ring is replaced: an edge");
	is(take_all(&client), 1, "epoll: the event of the old ring");
	emit_one(2, LEN);
	is(epoll_wait(epoll, &event, 1, long_wait() * 1000), 1,
	   "epoll: an event in the new ring is the next edge");
	is(take_all(&client), 1, "epoll: the event of the new ring");
	close(epoll);
	close(fd);
}

/* Inter-processor interrupts that CPU 1 received. */
static const char *const kinds[] = { "CAL:", "IWI:", "RES:" };

#define NR_KINDS	(sizeof(kinds) / sizeof(*kinds))

struct interrupts {
	uint64_t	of[NR_KINDS];
	uint64_t	sum;
	uint64_t	at;	/* ns */
};

static void count_interrupts(struct interrupts *count)
{
	FILE *file = fopen("/proc/interrupts", "re");
	uint64_t first, second, at = now();
	char line[4096], kind[16];
	size_t i;

	if (!file)
		bail_out("/proc/interrupts: %s", error_name(errno));
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%15s %" SCNu64 " %" SCNu64, kind, &first,
			   &second) != 3)
			continue;
		for (i = 0; i < NR_KINDS; i++)
			if (!strcmp(kind, kinds[i])) {
				count->sum += second - count->of[i];
				count->of[i] = second - count->of[i];
			}
	}
	fclose(file);
	count->at = at - count->at;
}

enum writer {
	NOBODY,
	SLOW,	/* an event every 20 ms */
	FAST,	/* as many events as possible */
	NR_WRITERS
};

static const char *const writers[] = {
	"nobody writes", "an event in 20 ms", "events without end"
};

/*
 * Stay awake: the timer of a sleeping CPU may be run by another CPU, which then
 * interrupts it.
 */
static void spend(unsigned int milliseconds)
{
	uint64_t until = now() + milliseconds * MSEC;

	while (now() < until)
		;
}

static pid_t start_writer(enum writer writer)
{
	pid_t pid = writer == NOBODY ? 0 : fork();
	unsigned long i;

	if (pid || writer == NOBODY)
		return pid;
	pin(CPU);
	for (i = 0; !atomic_load(&shared->stop); i++) {
		if (writer == SLOW) {
			spend(20);
			atomic_store(&shared->sent_at, now());
		}
		emit_one(i, LEN);
		atomic_store(&shared->sent, i + 1);
	}
	_exit(0);
}

/* Poll in a loop, without waiting. */
static int ask(struct client *client)
{
	struct pollfd fd = { .fd = client->fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1 && shared->calls % 16 == 0 ?
	       take_all(client) : 0;
}

/* A reader may discard events in a loop. */
static int discard(struct client *client)
{
	if (ioctl(client->fd, RBMAP_IOCTL_DISCARD))
		bail_out("DISCARD: %s", error_name(errno));
	return 0;
}

static const struct way askers[] = {
	{ "DISCARD", discard },
	{ "poll() that waits for nothing", ask },
	{ "poll()", wait_by_poll },
	{ "read()", wait_by_read },
	{ "GET_READER", wait_by_get_reader },
};

#define NR_ASKERS	(sizeof(askers) / sizeof(*askers))

static pid_t start_reader(const struct way *way, enum writer writer)
{
	struct client client;
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		_exit(1);
	for (;;) {
		int events = way->wait(&client);
		uint64_t waited;

		shared->calls++;
		if (events <= 0)
			continue;
		waited = now() - atomic_load(&shared->sent_at);
		if (writer == SLOW && waited > shared->longest)
			shared->longest = waited;
		atomic_fetch_add(&shared->got, events);
	}
}

static void end(pid_t pid)
{
	if (!pid)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * Count the interrupts of CPU 1 while a reader waits for its events, or without
 * a reader. A nap of a busy machine may last longer: then the number is for the
 * time that it should last.
 */
static uint64_t count(const struct way *way, enum writer writer)
{
	struct interrupts count = { 0 };
	pid_t reader = 0, pid;
	size_t i;

	shared = share();
	if (!reset())
		bail_out("reset: %s", error_name(errno));
	if (way)
		reader = start_reader(way, writer);
	nap(300);
	count_interrupts(&count);
	count.sum = 0;
	pid = start_writer(writer);
	nap(milliseconds);
	count_interrupts(&count);
	/* A reader that was slow to begin gets events without end nevertheless. */
	for (i = 0; way && way->wait != discard && writer == FAST && i < longest() / 10 &&
	     !atomic_load(&shared->got); i++)
		nap(10);
	atomic_store(&shared->stop, true);
	if (pid)
		waitpid(pid, NULL, 0);
	/*
	 * The last event has as much time as any other. A reader that discards
	 * the events receives none.
	 */
	for (i = 0; way && way->wait != discard && writer == SLOW && i < longest() / 10 &&
	     atomic_load(&shared->got) < atomic_load(&shared->sent); i++)
		nap(10);
	end(reader);
	diag("%s, %s:", writers[writer], way ? way->name : "no reader");
	for (i = 0; i < NR_KINDS; i++)
		diag("  %s %" PRIu64, kinds[i], count.of[i]);
	return count.sum * milliseconds * MSEC / count.at;
}

static void test_interrupts(uint64_t limit)
{
	enum writer writer;
	size_t i;

	for (writer = NOBODY; writer < NR_WRITERS; writer++) {
		uint64_t alone = count(NULL, writer);

		for (i = 0; i < NR_ASKERS; i++) {
			const char *name = askers[i].name;
			uint64_t with = count(&askers[i], writer);
			unsigned long sent = atomic_load(&shared->sent);

			diag("%s, %s: %" PRIu64 " interrupts without, %" PRIu64 " with a reader in %u ms; %" PRIu64 " calls",
			     writers[writer], name, alone, with, milliseconds,
			     shared->calls);
			ok(with <= alone + limit,
			   "%s, %s: %" PRIu64 " interrupts more at most",
			   writers[writer], name, limit);
			if (writer == NOBODY || askers[i].wait == discard)
				continue;
			if (writer == FAST) {
				ok(shared->got, "%s, %s: events are received",
				   writers[writer], name);
				continue;
			}
			is(shared->got, sent, "%s, %s: all events are received",
			   writers[writer], name);
			diag("the longest wait: %" PRIu64 " ms",
			     shared->longest / MSEC);
			ok(shared->longest < longest() * MSEC,
			   "%s, %s: within %d ms", writers[writer], name,
			   longest());
		}
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = no_action };
	int at = target_options(argc, argv);
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == at)
		bail_out("waits events ROUNDS|edge|interrupts LIMIT MILLISECONDS");
	sigaction(SIGALRM, &action, NULL);
	pin(0);
	set_number("buffer_percent", 0);
	if (!strcmp(argv[at], "edge")) {
		test_edge();
		return done_testing();
	}
	if (argc - at == 3 && !strcmp(argv[at], "interrupts")) {
		milliseconds = strtoul(argv[at + 2], NULL, 0);
		test_interrupts(strtoul(argv[at + 1], NULL, 0));
		return done_testing();
	}
	if (argc - at != 2 || strcmp(argv[at], "events"))
		bail_out("waits events ROUNDS|edge|interrupts LIMIT MILLISECONDS");
	rounds = strtoul(argv[at + 1], NULL, 0);
	for (i = 0; i < NR_WAYS; i++)
		test_events(&ways[i]);
	return done_testing();
}
