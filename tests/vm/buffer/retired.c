// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replaced rings: the end of a file's ring, the limit on memory of unread
 * rings, and files and observers that open and close while rings are replaced.
 *
 *	retired ends		calls at the end of a ring return (TAP)
 *	retired limit		retired_size_kb limits what a sleeping reader keeps (TAP)
 *	retired observers SEC	observers, stats and resizes at once (TAP)
 *	retired delays		a task of high priority waits no longer if many files keep
 *				rings that expire, or map rings, if a ring has many
 *				sub-buffers, or if many threads are listed (TAP). For a
 *				machine whose clock counts instructions
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "delay.h"
#include "tap.h"

#define CPU		0
#define LEN		24	/* bytes of text in an event */
#define SECONDS		20	/* longest time of a call */
#define RING_KB		256
#define KEPT_KB		1024	/* value of retired_size_kb */
#define SNAPSHOTS	40

static uint64_t number = 1;
static unsigned int ring_kb = RING_KB;

static void more(uint64_t count)
{
	emit(number, count, LEN);
	number += count;
}

/* ---- ends */

enum call { POLL, READ, SPLICE, GET_READER };

static const char *const call_names[] = { "poll", "read", "splice", "GET_READER" };

/* Return 0 or the errno; for POLL, the events. */
static int make_call(enum call call, int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	char buf[MAX_SUBBUF];
	ssize_t ret = -1;
	int pipes[2];

	switch (call) {
	case POLL:
		poll(&pollfd, 1, 0);
		return pollfd.revents;
	case READ:
		ret = read(fd, buf, sizeof(buf));
		break;
	case SPLICE:
		if (pipe(pipes))
			bail_out("pipe: %s", error_name(errno));
		ret = splice(fd, NULL, pipes[1], NULL, sizeof(buf), 0);
		break;
	case GET_READER:
		return get_reader(fd);
	}
	return ret < 0 ? errno : 0;
}

/*
 * Make the call in a process that is killed if the call does not return; then
 * the result is -1. A call that cannot be killed hangs the test until its time
 * limit.
 */
static int timed_call(enum call call, int fd, int observe_after_ms)
{
	int status = -1;
	unsigned int i;
	pid_t pid = fork();

	if (!pid)
		_exit(make_call(call, fd));
	if (observe_after_ms) {
		nap(observe_after_ms);
		await_sleep(pid);
		if (ioctl(fd, RBMAP_IOCTL_OBSERVE))
			diag("OBSERVE: %s", error_name(errno));
	}
	for (i = 0; i < 10 * SECONDS * slowness(); i++, nap(100)) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* Set another size, which retires the ring. */
static void replace(void)
{
	static bool larger;

	larger = !larger;
	if (!set_number("buffer_size_kb", larger ? 2 * ring_kb : ring_kb))
		bail_out("buffer_size_kb: %s", error_name(errno));
}

static void drain(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	char buf[MAX_SUBBUF];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

/* An observing file has not mapped its ring, and the ring is retired. */
static void observed_end(bool drained)
{
	const char *what = drained ? "drained" : "unread";
	int fd = device_open(CPU, O_RDONLY), ready;

	if (ioctl(fd, RBMAP_IOCTL_OBSERVE))
		bail_out("OBSERVE: %s", error_name(errno));
	more(10);
	replace();
	if (drained)
		drain();
	ready = timed_call(POLL, fd, 0);
	ok(ready >= 0 && ready & POLLIN,
	   "an observer of a ring that is retired and %s: poll returns", what);
	is_error(timed_call(READ, fd, 0), EBADF, "the same: read");
	is_error(timed_call(SPLICE, fd, 0), EBADF, "the same: splice");
	close(fd);
	drain();
}

/*
 * A thread waits to consume events while another one turns its file into an
 * observer.
 */
static void observe_while(enum call call)
{
	int fd = device_open(CPU, O_RDONLY);

	drain();
	is_error(timed_call(call, fd, 500), EBADF,
		 "%s that waits while its file begins to observe",
		 call_names[call]);
	/* The file no longer counts as a reader: a snapshot leaves it no ring. */
	more(10);
	set("snapshot", "1");
	is(stat_of(CPU, "entries"), 0,
	   "an observing file gets no ring from a snapshot");
	set("snapshot", "0");
	close(fd);
}

static int ends(void)
{
	set_number("buffer_size_kb", RING_KB);
	observed_end(false);
	observed_end(true);
	observe_while(READ);
	observe_while(SPLICE);
	return done_testing();
}

/* ---- limit */

/*
 * Read all events without waiting. Return their number, and add up the reported
 * losses.
 */
static uint64_t read_all(int fd, uint64_t *lost)
{
	static char buf[MAX_SUBBUF];
	uint64_t events = 0, n;
	ssize_t size;

	while ((size = read(fd, buf, sizeof(buf))) > 0) {
		events += subbuf_events(buf, 0, NULL, NULL);
		if (subbuf_lost(buf, size, &n))
			*lost += n;
	}
	if (size < 0 && errno != EAGAIN)
		diag("read: %s", error_name(errno));
	return events;
}

static void sleeping_reader(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t events = 0, lost = 0, expired, retired;
	char buf[MAX_SUBBUF];
	ssize_t size;

	number = 1;
	more(2000);
	size = read(fd, buf, sizeof(buf));
	if (size > 0)
		events = subbuf_events(buf, 0, NULL, NULL);
	ok(events, "a reader takes %" PRIu64 " events, and sleeps", events);
	for (int i = 0; i < SNAPSHOTS; i++) {
		more(500);
		if (!set("snapshot", "1"))
			bail_out("snapshot: %s", error_name(errno));
	}
	more(100);
	expired = stat_of(CPU, "expired");
	retired = stat_of(CPU, "retired bytes") >> 10;
	ok(retired <= KEPT_KB, "%d snapshots leave it %" PRIu64 " KiB of rings",
	   SNAPSHOTS, retired);
	ok(expired && expired != UINT64_MAX,
	   "%" PRIu64 " events have expired", expired);
	ok(stat_of(CPU, "lost events") >= expired,
	   "expired events count as lost");
	is(stat_of(CPU, "lost reported"), 0, "expired events are not reported yet");
	events += read_all(fd, &lost);
	is(lost, expired, "the reader reports the expired events");
	is(events + lost, number - 1, "the reader reads all other events");
	is(stat_of(CPU, "lost reported"), expired,
	   "the expired events count as reported");
	is(stat_of(CPU, "read events") + stat_of(CPU, "overrun"), number - 1,
	   "read + overrun = emitted");
	is(stat_of(CPU, "entries"), 0, "no event is unread");
	close(fd);
}

/* After the last reader has gone, no reader waits for the ring of a snapshot. */
static void reader_that_goes(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	char buf[MAX_SUBBUF];

	set_number("retired_size_kb", 1 << 20);
	reset();
	more(500);
	if (read(fd, buf, sizeof(buf)) <= 0)
		diag("read: %s", error_name(errno));
	for (int i = 0; i < 5; i++) {
		more(500);
		set("snapshot", "1");
	}
	is(stat_of(CPU, "retired rings"), 5, "a reader keeps five rings");
	close(fd);
	is(stat_of(CPU, "retired rings"), 1,
	   "without the reader the snapshot keeps its own ring");
	set("snapshot", "0");
	is(stat_of(CPU, "retired rings"), 0,
	   "no ring is left without the snapshot");
	is(stat_of(CPU, "expired"), 0, "no event has expired");
	set_number("retired_size_kb", KEPT_KB);
}

/* A map keeps its ring; an idle file without a map does not. */
static void mapped_ring(void)
{
	int idle = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t lost = 0, expired;
	struct client client;

	reset();
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("mmap: %s", error_name(errno));
	number = 1;
	more(50);
	for (int i = 0; i < SNAPSHOTS; i++) {
		replace();
		more(50);
	}
	is_error(get_reader(client.fd), 0, "the ring of a map: GET_READER");
	is(subbuf_events(client_subbuf(&client), 0, NULL, NULL), 50,
	   "the map has all events of its ring");
	expired = stat_of(CPU, "expired");
	ok(expired, "%" PRIu64 " events of rings after it have expired", expired);
	client_close(&client);
	is(read_all(idle, &lost) + lost, number - 1 - 50,
	   "an older file continues with the remaining rings");
	is(lost, expired, "an older file reports the lost events");
	close(idle);
}

/* The most recently retired ring stays, however small the limit is. */
static void last_ring(void)
{
	set_number("retired_size_kb", 1);
	reset();
	more(50);
	replace();
	is(stat_of(CPU, "expired"), 0, "the only ring that waits stays");
	more(50);
	replace();
	is(stat_of(CPU, "expired"), 50,
	   "a waiting ring expires when another one waits");
	is(stat_of(CPU, "retired rings"), 1,
	   "the ring that was retired last stays");
	reset();
	set_number("retired_size_kb", KEPT_KB);
}

static int limit(void)
{
	if (!set_number("buffer_size_kb", RING_KB) ||
	    !set_number("retired_size_kb", KEPT_KB) || !reset())
		bail_out("settings: %s", error_name(errno));
	sleeping_reader();
	reader_that_goes();
	mapped_ring();
	last_ring();
	return done_testing();
}

/* ---- observers */

static volatile bool over;
static unsigned int maps, looks, sizes;

static void *map_and_unmap(void *arg)
{
	int fd = device_open(CPU, O_RDONLY);

	(void)arg;
	if (ioctl(fd, RBMAP_IOCTL_OBSERVE))
		bail_out("OBSERVE: %s", error_name(errno));
	while (!over) {
		void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

		if (map == MAP_FAILED)
			continue;
		__atomic_add_fetch(&maps, 1, __ATOMIC_RELAXED);
		munmap(map, 4096);
	}
	close(fd);
	return NULL;
}

static void *look_at_stats(void *arg)
{
	(void)arg;
	while (!over) {
		stat_of(CPU, "entries");
		__atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *resize(void *arg)
{
	(void)arg;
	while (!over) {
		replace();
		__atomic_add_fetch(&sizes, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/*
 * So many observers fall behind by several rings, and the ring after theirs loses its
 * last reference while they look for the next one, on another CPU.  The kernel's log
 * has the errors.
 */
#define OBSERVERS	24
#define READERS_OF_STATS 3

static int observers(unsigned int seconds)
{
	pthread_t thread[OBSERVERS + READERS_OF_STATS + 1];
	size_t nr = sizeof(thread) / sizeof(*thread);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (size_t i = 0; i < nr; i++) {
		void *(*what)(void *) =
			i < OBSERVERS ? map_and_unmap :
			i < OBSERVERS + READERS_OF_STATS ? look_at_stats : resize;

		/* The thread inherits the CPU. */
		pin(i % cpus);
		if (pthread_create(&thread[i], NULL, what, NULL))
			bail_out("no thread");
	}
	pin(CPU);
	sleep(seconds);
	/* A busy machine may not have run each thread meanwhile. */
	for (unsigned int i = 0; i < 300 * slowness() && !(maps && looks && sizes); i++)
		nap(100);
	over = true;
	for (size_t i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	ok(maps && looks && sizes, "%u maps, %u looks at stats, %u resizes",
	   maps, looks, sizes);
	return done_testing();
}

/* ---- delays */

#define FILES		8000
#define RINGS		3000
#define SMALL_KB	8
#define REPLACES	20
#define THREADS		2000
#define LISTS		20
#define MAPS		8
#define FEW_KB		4096U	/* two tables of pages */
#define MANY_KB		32768U
#define FILL_LEN	1900

static void replace_rings(void)
{
	for (int i = 0; i < REPLACES; i++) {
		more(50);
		replace();
	}
}

static void close_all(int *fds, int nr)
{
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	free(fds);
}

static uint64_t delay_with_files(int nr_files)
{
	int *fds = calloc(nr_files + 1, sizeof(*fds));
	uint64_t longest;

	reset();
	for (int i = 0; i < nr_files; i++) {
		fds[i] = device_open(CPU, O_RDONLY | O_NONBLOCK);
		if (i & 1)
			ioctl(fds[i], RBMAP_IOCTL_OBSERVE);
	}
	longest = delay_of(NULL, replace_rings);
	ok(stat_of(CPU, "retired bytes") >> 10 <= KEPT_KB,
	   "%d files: rings of %" PRIu64 " KiB are kept", nr_files,
	   stat_of(CPU, "retired bytes") >> 10);
	ok(stat_of(CPU, "expired"), "%d files: events have expired", nr_files);
	close_all(fds, nr_files);
	drain();
	return longest;
}

/* Each file maps a ring of its own. */
static uint64_t delay_with_rings(int nr_rings)
{
	int *fds = calloc(nr_rings + 1, sizeof(*fds));
	void **maps_of = calloc(nr_rings + 1, sizeof(*maps_of));
	uint64_t longest, kept;
	char buf[MAX_SUBBUF];

	reset();
	for (int i = 0; i < nr_rings; i++) {
		fds[i] = device_open(CPU, O_RDONLY | O_NONBLOCK);
		maps_of[i] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fds[i], 0);
		if (maps_of[i] == MAP_FAILED)
			bail_out("mmap: %s", error_name(errno));
		replace();
	}
	kept = stat_of(CPU, "retired rings");
	ok(kept >= (uint64_t)nr_rings, "%d maps keep %" PRIu64 " rings", nr_rings, kept);
	/* A file that reads looks for its ring, too. */
	fds[nr_rings] = device_open(CPU, O_RDONLY | O_NONBLOCK);
	more(10);
	ok(read(fds[nr_rings], buf, sizeof(buf)) > 0, "%d maps: another file reads", nr_rings);
	longest = delay_of(NULL, replace_rings);
	for (int i = 0; i < nr_rings; i++)
		munmap(maps_of[i], 4096);
	free(maps_of);
	close_all(fds, nr_rings + 1);
	drain();
	return longest;
}

/* ---- a ring of many sub-buffers */

static unsigned int filled_kb;

static void read_stats(void)
{
	for (int i = 0; i < LISTS; i++)
		stat_of(CPU, "entries");
}

static void map_whole(void)
{
	struct client client;

	for (int i = 0; i < MAPS; i++) {
		if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
			bail_out("map: %s", error_name(errno));
		client_close(&client);
	}
}

static void discard_all(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);

	ioctl(fd, RBMAP_IOCTL_DISCARD);
	close(fd);
}

/* Each sub-buffer gets two events. */
static void fill_ring(void)
{
	emit(number, filled_kb / 2, FILL_LEN);
}

static const struct act {
	const char	*name;
	void		(*act)(void);
} acts[] = { { "stats", read_stats }, { "mmap", map_whole }, { "DISCARD", discard_all } };

#define NR_ACTS	(sizeof(acts) / sizeof(*acts))

static void delays_with_subbufs(unsigned int kb, uint64_t *longest)
{
	if (!set_number("buffer_size_kb", kb) || !reset())
		bail_out("buffer_size_kb: %s", error_name(errno));
	filled_kb = kb;
	for (size_t i = 0; i < NR_ACTS; i++)
		longest[i] = delay_of(fill_ring, acts[i].act);
	discard_all();
}

static void test_subbufs(void)
{
	uint64_t few[NR_ACTS], many[NR_ACTS];

	delays_with_subbufs(FEW_KB, few);
	delays_with_subbufs(MANY_KB, many);
	for (size_t i = 0; i < NR_ACTS; i++)
		ok(many[i] < few[i] + 3 * (MANY_KB - FEW_KB) / 4,
		   "%s of %u KiB: %" PRIu64 " instructions without preemption, %" PRIu64
		   " of %u KiB", acts[i].name, MANY_KB, many[i], few[i], FEW_KB);
	set_number("buffer_size_kb", RING_KB);
}

/* ---- many threads */

static void *sleep_until_cancelled(void *unused)
{
	while (!unused)
		pause();
	return NULL;
}

/* Read the list of all threads in one call, as far as the kernel goes. */
static unsigned int count_threads(void)
{
	int fd = open("/dev/rbmap/saved_cmdlines", O_RDONLY);
	unsigned int nr = 0;
	char buf[65536];
	ssize_t size;

	if (fd < 0)
		bail_out("saved_cmdlines: %s", error_name(errno));
	while ((size = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < size; i++)
			nr += buf[i] == '\n';
	close(fd);
	return nr;
}

static void list_threads(void)
{
	for (int i = 0; i < LISTS; i++)
		count_threads();
}

static uint64_t delay_with_threads(int nr_threads)
{
	pthread_t *threads = calloc(nr_threads, sizeof(*threads));
	pthread_attr_t small;
	uint64_t longest;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], &small, sleep_until_cancelled, NULL))
			bail_out("%d threads", i);
	ok(count_threads() >= (unsigned int)nr_threads, "%d threads are listed", nr_threads);
	longest = delay_of(NULL, list_threads);
	for (int i = 0; i < nr_threads; i++)
		pthread_cancel(threads[i]);
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return longest;
}

static int delays(void)
{
	struct rlimit limit = { FILES + 100, FILES + 100 };
	uint64_t alone, with;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		bail_out("RLIMIT_NOFILE: %s", error_name(errno));
	delay_with_files(1);
	alone = delay_with_files(1);
	with = delay_with_files(FILES);
	/* Each file costs several instructions each time that it is looked at. */
	ok(with < alone + FILES, "%d files: %" PRIu64 " instructions without preemption, %"
	   PRIu64 " with one file", FILES, with, alone);

	ring_kb = SMALL_KB;
	delay_with_rings(1);
	alone = delay_with_rings(1);
	with = delay_with_rings(RINGS);
	ok(with < alone + 3 * RINGS, "%d rings: %" PRIu64 " instructions without preemption, %"
	   PRIu64 " with one ring", RINGS, with, alone);

	test_subbufs();
	alone = delay_with_threads(1);
	with = delay_with_threads(THREADS);
	ok(with < alone + 10 * THREADS, "%d threads: %" PRIu64 " instructions without preemption, %"
	   PRIu64 " with one thread", THREADS, with, alone);
	return done_testing();
}

int main(int argc, char **argv)
{
	pin(CPU);
	if (argc == 2 && !strcmp(argv[1], "delays"))
		return delays();
	if (argc == 2 && !strcmp(argv[1], "ends"))
		return ends();
	if (argc == 2 && !strcmp(argv[1], "limit"))
		return limit();
	if (argc == 3 && !strcmp(argv[1], "observers")) {
		cpu_set_t all;

		memset(&all, 0xff, sizeof(all));
		sched_setaffinity(0, sizeof(all), &all);
		return observers(atoi(argv[2]));
	}
	bail_out("the head of retired.c has the commands");
}
