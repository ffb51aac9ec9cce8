// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lifetimes of open files, rings and buffers: what each object holds, and
 * that it releases that when an operation fails.
 *
 *	lives		the tests, with a buffer "life" beside the default one
 *	lives churn	opens, reads, splices and snapshots, for a test of leaks
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU		0
#define INSTANCES	"/sys/kernel/rbmap/instances/"
#define SNAPSHOT	"/dev/rbmap/life/snapshot/cpu0"

static size_t page;

/*
 * Write events. The marker is closed afterwards, because an open one holds the
 * buffer.
 */
static void more(unsigned int count)
{
	static const char text[] = "an event of some length";
	int fd = open(target.marker, O_WRONLY);

	while (count-- && write(fd, text, strlen(text)) > 0)
		;
	close(fd);
}

/* Write to a file of instances/. Return 0 or an errno. */
static int instance(const char *what, const char *name)
{
	int fd, err = 0;
	char path[64];

	snprintf(path, sizeof(path), INSTANCES "%s", what);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return errno;
	if (write(fd, name, strlen(name)) < 0)
		err = errno;
	close(fd);
	return err;
}

static void be_instance(const char *name)
{
	is_error(instance("create", name), 0, "a buffer is made");
	snprintf(target.device, sizeof(target.device), "/dev/rbmap/life/cpu%%d");
	snprintf(target.marker, sizeof(target.marker), "/dev/rbmap/life/marker");
	snprintf(target.control, sizeof(target.control), INSTANCES "life");
}

/* Check that no reference is left, not even one that was held for a moment. */
static void let_go(const char *text)
{
	is(stat_of(CPU, "retired rings"), 0, "%s: no ring is left", text);
	is_error(instance("destroy", "life"), 0,
		 "%s: no reference to the buffer is left", text);
}

/* A snapshot's file that could not be created changes nothing, and leaves nothing behind. */
static void test_no_file_left(void)
{
	struct rlimit limit, none;
	int fd, i, err = 0;

	be_instance("life buffer_size_kb=64");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	more(10);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){ .rlim_cur = fd + 1, .rlim_max = limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	for (i = 0; i < 4 && !err; i++)
		err = ioctl(fd, RBMAP_IOCTL_SNAPSHOT) < 0 &&
		      errno == EMFILE ? 0 : EINVAL;
	setrlimit(RLIMIT_NOFILE, &limit);
	is_error(err, 0, "no file is left: SNAPSHOT says EMFILE");
	is(stat_of(CPU, "entries"), 10, "no file is left: the events stay where they are");
	close(fd);
	set("reset", "1");
	let_go("no file is left");
}

static void test_no_snapshot(void)
{
	int fd;

	be_instance("life buffer_size_kb=64");
	fd = open(SNAPSHOT, O_RDONLY);
	is_error(fd < 0 ? errno : 0, ENODATA,
		 "without a snapshot its device cannot be opened");
	more(10);
	set("snapshot", "1");
	fd = open(SNAPSHOT, O_RDONLY);
	ok(fd >= 0, "a snapshot can be opened");
	is_error(instance("destroy", "life"), EBUSY,
		 "an open snapshot holds the buffer");
	is_error(ioctl(fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, EINVAL,
		 "a snapshot cannot be observed");
	close(fd);
	set("snapshot", "0");
	let_go("snapshot");
}

static void test_open_holds(void)
{
	int fd, marker;

	be_instance("life buffer_size_kb=64");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	is_error(instance("destroy", "life"), EBUSY,
		 "an open ring holds the buffer");
	close(fd);
	marker = open(target.marker, O_WRONLY);
	is_error(instance("destroy", "life"), EBUSY,
		 "an open marker holds the buffer");
	close(marker);
	let_go("opened");
}

/* A failed map does not count: the file can begin to observe. */
static void test_failed_map(void)
{
	struct client client;
	void *map;
	int fd;

	be_instance("life buffer_size_kb=64");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	map = mmap(NULL, 1000 * page, PROT_READ, MAP_SHARED, fd, 0);
	is_error(map == MAP_FAILED ? errno : 0, EINVAL,
		 "a map that is too long is refused");
	is_error(ioctl(fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, 0,
		 "a refused map does not count as a map");
	close(fd);

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	is_error(ioctl(client.fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, EBUSY,
		 "a file that is mapped does not begin to observe");
	client_unmap(&client);
	is_error(get_reader(client.fd), ENODEV, "an unmapped file has no map");
	is_error(ioctl(client.fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, 0,
		 "a file that is no longer mapped can begin to observe");
	client_close(&client);
	let_go("maps");
}

/* Consume one sub-buffer with read() or splice(). Return false if none is left. */
static bool take(int fd, char *subbuf, size_t size, bool by_splice)
{
	size_t got = 0;
	ssize_t ret;
	int ends[2];

	if (!by_splice)
		return read(fd, subbuf, size) == (ssize_t)size;
	if (pipe(ends))
		bail_out("pipe: %s", error_name(errno));
	if (splice(fd, NULL, ends[1], NULL, size, SPLICE_F_NONBLOCK) > 0)
		while (got < size && (ret = read(ends[0], subbuf + got,
						 size - got)) > 0)
			got += ret;
	close(ends[0]);
	close(ends[1]);
	return got == size;
}

/*
 * Count the bytes of earlier laps behind the events and the number of lost
 * events; there must be none.
 */
static size_t bytes_behind(const char *subbuf, size_t size)
{
	size_t at = sizeof(struct rbmap_subbuf_header) + subbuf_commit(subbuf);
	uint64_t lost;
	size_t bytes = 0;

	if (subbuf_lost(subbuf, size, &lost) && lost)
		at += sizeof(unsigned long);
	for (; at < size; at++)
		bytes += !!subbuf[at];
	return bytes;
}

/* The sub-buffers of a ring of 64 KiB, which are as large as a page */
static unsigned int ring_subbufs(void)
{
	return (64 << 10) / stat_of(CPU, "subbuf size");
}

static void test_nothing_behind(void)
{
	size_t size, bytes = 0;
	unsigned int i, round, subbufs = 0;
	char *subbuf;
	int fd;

	be_instance("life buffer_size_kb=64");
	size = stat_of(CPU, "subbuf size");
	subbuf = malloc(size);
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	for (round = 0; round < 4; round++) {
		/* Short events overwrite a lap of long ones. */
		more(5000);
		for (i = 0; take(fd, subbuf, size, round % 2); i++)
			bytes += bytes_behind(subbuf, size);
		subbufs += i;
	}
	ok(subbufs > 2 * ring_subbufs() - 2, "%u sub-buffers are consumed", subbufs);
	is(bytes, 0, "consumed sub-buffers have zeroes behind their events");
	close(fd);
	free(subbuf);
	let_go("taken");
}

/*
 * A loss is reported with the events that follow it, and not again with later
 * events.
 */
static void test_told_once(void)
{
	uint64_t lost, told = 0, all;
	size_t size;
	char *subbuf;
	int fd, i;

	be_instance("life buffer_size_kb=64 overwrite=0");
	size = stat_of(CPU, "subbuf size");
	subbuf = malloc(size);
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	more(5000);
	for (i = 0; i < 40; i++) {
		/*
		 * At first the ring is full; later each read makes room for the
		 * next event.
		 */
		if (take(fd, subbuf, size, false) &&
		    subbuf_lost(subbuf, size, &lost))
			told += lost;
		more(1);
	}
	while (take(fd, subbuf, size, false))
		if (subbuf_lost(subbuf, size, &lost))
			told += lost;
	all = stat_of(CPU, "dropped full");
	ok(all > 0, "a full ring drops events");
	is(told, all, "each dropped event is reported once");
	close(fd);
	free(subbuf);
	let_go("told");
}

/* The meta-page: at the first map, after a loss, after a reset. */
static void test_meta(void)
{
	struct client client = {};
	uint64_t lost = 0;

	be_instance("life buffer_size_kb=64");
	client.fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	more(3);
	client_map(&client);
	is(client.meta->entries, 3, "a first map finds the current counters");
	is(client.meta->nr_subbufs, ring_subbufs() + 1,
	   "the number of sub-buffers includes the reader's");
	is(client.meta->first_seq, 0, "first_seq is 0 before a reset");
	is_error(get_reader(client.fd), 0, "GET_READER reads the three events");
	more(5000);
	do {
		is_error(get_reader(client.fd), 0,
			 "GET_READER reads events behind a loss");
	} while (!client.meta->reader.lost_events);
	/* A sub-buffer that is full of events has no room for the number. */
	ok(!subbuf_lost(client_subbuf(&client), client.subbuf_size, &lost) ||
	   lost, "the sub-buffer reports the lost events");
	lost = client.meta->reader.lost_events;
	is(client.meta->lost_reported, lost,
	   "the meta-page's sum counts the reported loss");
	is(client.meta->overrun, lost,
	   "the meta-page counts the lost events as overwritten");

	more(5000);
	set("reset", "1");
	get_reader(client.fd);
	ok(client.meta->first_seq > 16,
	   "a reset moves first_seq behind the old sub-buffers");
	client_close(&client);
	let_go("meta-page");
}

/*
 * A checksum of the snapshot's bytes, which depends on their order.  Damaged sub-buffers
 * can have no end.
 */
static uint64_t snapshot_sum(void)
{
	unsigned int reads = 2 * ring_subbufs();
	char *subbuf = malloc(1 << 16);
	int fd = open(SNAPSHOT, O_RDONLY);
	uint64_t sum = 0;
	ssize_t got, i;

	while (reads-- && (got = read(fd, subbuf, 1 << 16)) > 0)
		for (i = 0; i < got; i++)
			sum = sum * 31 + (unsigned char)subbuf[i];
	close(fd);
	free(subbuf);
	return sum;
}

/* Fill memory that was just freed, so that nothing in it is as it was. */
static void use_freed_memory(void)
{
	size_t size = 16 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		bail_out("mmap: %s", error_name(errno));
	memset(memory, 0xff, size);
	munmap(memory, size);
}

/* A reader of the ring does not remove events from its snapshot. */
static void test_snapshot_stays(bool by_splice)
{
	const char *how = by_splice ? "splice" : "read";
	char *subbuf = malloc(page);
	uint64_t sum;
	int fd, i;

	be_instance("life buffer_size_kb=64");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	more(1);
	ok(read(fd, subbuf, page) > 0, "a reader has read a sub-buffer");
	more(900);
	set("snapshot", "1");
	sum = snapshot_sum();
	for (i = 0; take(fd, subbuf, page, by_splice); i++)
		;
	ok(3 * i > (int)ring_subbufs(), "%s: the reader has read the whole ring", how);
	use_freed_memory();
	is(snapshot_sum(), sum, "%s: the snapshot is unchanged after the reader", how);
	close(fd);
	set("snapshot", "0");
	free(subbuf);
	let_go("read beside a snapshot");
}

/* A map keeps its ring after all events in it were read. */
static void test_map_stays(void)
{
	struct client client;

	be_instance("life buffer_size_kb=64");
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(10);
	set("buffer_size_kb", "128");
	more(10);
	is_error(get_reader(client.fd), 0, "a ring that was replaced is read");
	is_error(get_reader(client.fd), ESTALE,
		 "GET_READER reports the end of a replaced ring");
	close(device_open(CPU, O_RDONLY | O_NONBLOCK));
	is_error(get_reader(client.fd), ESTALE,
		 "a map keeps the replaced ring");
	client_close(&client);
	set("reset", "1");
	let_go("mapped");
}

/*
 * A child inherits the map of its parent, which stays mapped after the child
 * has ended.
 */
static void test_fork(void)
{
	struct client client;
	int status;
	pid_t pid;

	be_instance("life buffer_size_kb=64");
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	ok(!madvise((void *)client.meta, client.meta_size, MADV_DOFORK) &&
	   !madvise(client.data, client.subbuf_size * client.nr_subbufs,
		    MADV_DOFORK), "MADV_DOFORK lets a child inherit the map");
	more(1);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(client.meta->nr_subbufs);
	waitpid(pid, &status, 0);
	is(WIFEXITED(status) ? WEXITSTATUS(status) : 0, ring_subbufs() + 1,
	   "the child reads the map");
	is_error(get_reader(client.fd), 0,
		 "the parent's map still counts after the child");
	client_unmap(&client);
	is_error(get_reader(client.fd), ENODEV,
		 "no map counts after the parent's munmap");
	client_close(&client);
	let_go("forked");
}

/*
 * One file continues in rings with larger sub-buffers; another, idle file holds
 * no ring.
 */
static void test_larger(void)
{
	char *subbuf = malloc(1 << 16);
	int fd, idle;

	be_instance("life buffer_size_kb=64");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	idle = device_open(CPU, O_RDONLY | O_NONBLOCK);
	more(1);
	is(read(fd, subbuf, 1 << 16), stat_of(CPU, "subbuf size"),
	   "a small sub-buffer is read");
	set("buffer_subbuf_size_kb", "64");
	is(stat_of(CPU, "retired rings"), 0, "an idle file keeps no ring");
	more(1);
	is(read(fd, subbuf, 1 << 16), 1 << 16,
	   "the same file reads a larger sub-buffer");
	close(fd);
	close(idle);
	free(subbuf);
	let_go("larger");
}

static volatile bool came;
static volatile pid_t waiter_id;

static void *wait_in_read(void *data)
{
	char *subbuf = malloc(1 << 16);

	waiter_id = syscall(SYS_gettid);
	if (read(*(int *)data, subbuf, 1 << 16) > 0)
		came = true;
	free(subbuf);
	return NULL;
}

/* A reader that waits in a ring continues in the ring that replaces it. */
static void test_waits_on(void)
{
	pthread_t waiter;
	int fd, i;

	be_instance("life buffer_size_kb=64");
	fd = device_open(CPU, O_RDONLY);
	pthread_create(&waiter, NULL, wait_in_read, &fd);
	while (!waiter_id)
		nap(1);
	await_sleep(waiter_id);
	set("buffer_size_kb", "128");
	nap(100);
	more(1);
	for (i = 0; i < 50 * (int)slowness() && !came; i++)
		nap(100);
	if (!ok(came, "a waiting reader gets the next ring's event"))
		pthread_kill(waiter, SIGTERM);
	pthread_join(waiter, NULL);
	close(fd);
	set("reset", "1");
	let_go("waited");
}

static uint32_t mapped_generation(struct client *client)
{
	uint32_t generation = 0;

	if (ok(client_map(client), "an observer maps its ring")) {
		generation = client->meta->generation;
		client_unmap(client);
	}
	return generation;
}

/* An observer skips no ring: it continues from the ring that it has mapped. */
static void test_observer_goes_on(void)
{
	struct pollfd pollfd = { .events = POLLIN };
	struct client client = {};
	uint32_t first;

	be_instance("life buffer_size_kb=64");
	client.fd = pollfd.fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	is_error(ioctl(client.fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, 0,
		 "a file becomes an observer");
	first = mapped_generation(&client);
	more(10);
	set("buffer_size_kb", "128");
	more(10);
	poll(&pollfd, 1, 0);
	set("buffer_size_kb", "64");
	more(10);
	poll(&pollfd, 1, 0);
	is(mapped_generation(&client), first + 1,
	   "the observer maps the next ring");
	is(mapped_generation(&client), first + 2,
	   "the observer maps the ring after the next one");
	is(mapped_generation(&client), first + 2, "the one that is written stays");
	close(client.fd);
	set("reset", "1");
	let_go("observer");
}

/* A map that fails shows nothing, and the observer has not seen the ring. */
static void test_observer_maps_again(void)
{
	struct pollfd pollfd = { .events = POLLIN };
	struct client client = {};
	void *map;

	be_instance("life buffer_size_kb=64");
	client.fd = pollfd.fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	is_error(ioctl(client.fd, RBMAP_IOCTL_OBSERVE) ? errno : 0, 0,
		 "a file becomes an observer");
	more(10);
	map = mmap(NULL, 1000 * page, PROT_READ, MAP_SHARED, client.fd, 0);
	is_error(map == MAP_FAILED ? errno : 0, EINVAL, "its map is refused");
	set("buffer_size_kb", "128");
	poll(&pollfd, 1, 0);
	if (ok(client_map(&client), "it maps its ring")) {
		is(client.meta->nr_subbufs * client.meta->subbuf_size / 65536, 1,
		   "the ring from before the resize");
		client_unmap(&client);
	}
	close(client.fd);
	set("reset", "1");
	let_go("observer, again");
}

/*
 * Rings are freed while the thread that replaces them wakes many waiters, which
 * takes time.
 */
#define ENTRIES		2000
#define REPLACED	40

static volatile bool through;

static void *open_and_close(void *unused __attribute__((unused)))
{
	pin(1);
	while (!through)
		close(device_open(CPU, O_RDONLY | O_NONBLOCK));
	return NULL;
}

/* Poll the same file in many entries of the wait queue; no event arrives. */
static void *wait_for_nothing(void *data)
{
	struct pollfd *entries = calloc(ENTRIES, sizeof(*entries));
	int *fd = data, i;

	pin(1);
	for (i = 0; i < ENTRIES; i++)
		entries[i].fd = *fd;
	while (!through)
		poll(entries, ENTRIES, 100);
	free(entries);
	return NULL;
}

static void test_replaced_while_read(void)
{
	struct rlimit limit = { .rlim_cur = ENTRIES, .rlim_max = ENTRIES };
	pthread_t opener, waiter;
	bool replaced = true;
	int fd, i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("one processor", "rings are replaced while others open them");
		return;
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	be_instance("life buffer_size_kb=64");
	more(10);
	/*
	 * This observer stays at its ring, which nobody reads, so no end of the
	 * ring wakes it.
	 */
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	ioctl(fd, RBMAP_IOCTL_OBSERVE);
	set("buffer_size_kb", "32");
	pthread_create(&waiter, NULL, wait_for_nothing, &fd);
	pthread_create(&opener, NULL, open_and_close, NULL);
	for (i = 0; i < REPLACED && replaced; i++)
		replaced = set_number("buffer_size_kb", i % 2 ? 32 : 64);
	through = true;
	pthread_join(opener, NULL);
	pthread_join(waiter, NULL);
	ok(replaced, "rings are replaced while others open them");
	close(fd);
	set("reset", "1");
	let_go("replaced");
}

static void churn(void)
{
	char *subbuf = malloc(1 << 20);
	int i, fd, snapshot, ends[2];

	for (i = 0; i < 48; i++) {
		fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
		if (fd < 0 || pipe(ends))
			exit(1);
		more(4000);
		read(fd, subbuf, 1 << 20);
		splice(fd, NULL, ends[1], NULL, 1 << 16, SPLICE_F_NONBLOCK);
		snapshot = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);
		if (snapshot < 0 || read(snapshot, subbuf, 1 << 20) <= 0)
			exit(1);
		close(snapshot);
		/* Replace rings that nobody opens: their meta-pages have no reader. */
		for (int k = 0; k < 8; k++)
			set("snapshot", "1");
		close(fd);
		close(ends[0]);
		close(ends[1]);
	}
	set("snapshot", "0");
	set("reset", "1");
	free(subbuf);
}

int main(int argc, char **argv)
{
	int first = target_options(argc, argv);

	page = sysconf(_SC_PAGESIZE);
	pin(CPU);
	if (first < argc && !strcmp(argv[first], "churn")) {
		churn();
		return 0;
	}
	test_no_file_left();
	test_no_snapshot();
	test_open_holds();
	test_failed_map();
	test_nothing_behind();
	test_told_once();
	test_meta();
	test_snapshot_stays(false);
	test_snapshot_stays(true);
	test_map_stays();
	test_fork();
	test_larger();
	test_waits_on();
	test_observer_goes_on();
	test_observer_maps_again();
	test_replaced_while_read();
	return done_testing();
}
