// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile member of the group that may read the rings and write markers.
 *
 *	hostile GROUP SECONDS	all that the member can do, beside a recorder of
 *				root's, snapshots and resizes
 *	hostile copies DIR KIB	open files whose copies for read() the caller's
 *				memory cgroup is charged for
 *	hostile reopens DEVICE N	open, read a page, and close, N times
 *
 * Root's recorder reads a buffer that the member cannot open, and must find
 * each of its events. Root's snapshots and resizes must end in time. A process
 * of the member must end when it is killed, whatever it waits for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CONTROL		"/sys/kernel/rbmap"
#define RECORDED	"recorded"	/* root's buffer */
#define MEMBER		1000
#define NR_FILES	1000
#define END_NS		10000000000ULL	/* longest time for a call of root's, and for a kill */
#define MAX_SUBBUF_READ	65536

static gid_t group;
static int nr_cpus;
static size_t page;

/* Results that the processes share. */
static struct shared {
	uint64_t stop;
	uint64_t faults;		/* forbidden things that a member could do */
	char	 what[128];
	uint64_t emitted, received, lost, bad;
	uint64_t changes, failed, slowest;
} *shared;

static void member_could(const char *what)
{
	if (!__atomic_fetch_add(&shared->faults, 1, __ATOMIC_RELAXED))
		snprintf(shared->what, sizeof(shared->what), "%s", what);
}

static bool stopped(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

/* ---- root */

static void root_buffer(void)
{
	FILE *file = fopen(CONTROL "/instances/create", "we");

	if (!file || fprintf(file, RECORDED " buffer_size_kb=1024") < 0 ||
	    fclose(file))
		bail_out("cannot create a buffer: %s", error_name(errno));
	/* The member writes to the default buffer's marker. */
	file = fopen(CONTROL "/instances/" RECORDED "/options/copy_trace_marker", "we");
	if (!file || fputs("0", file) < 0 || fclose(file))
		bail_out("cannot keep markers out: %s", error_name(errno));
}

static void remove_root_buffer(void)
{
	FILE *file = fopen(CONTROL "/instances/destroy", "we");

	if (!file || fputs(RECORDED, file) < 0 || fclose(file))
		bail_out("cannot destroy the buffer: %s", error_name(errno));
}

/* Add the readable events; each number must follow the one before. */
static void record_all(struct client *client)
{
	for (;;) {
		uint64_t first, last, n;
		bool swapped;

		if (get_reader(client->fd)) {
			shared->bad++;
			return;
		}
		swapped = client->meta->reader.id != client->id;
		if (swapped)
			shared->lost += client->meta->reader.lost_events;
		n = client_new_events(client, &first, &last);
		if (!swapped && !n)
			return;
		if (n && (first != shared->received ||
			  last != first + n - 1))
			shared->bad++;
		shared->received += n;
	}
}

static void run_recorder(void)
{
	struct client client;

	snprintf(target.device, sizeof(target.device),
		 "/dev/rbmap/" RECORDED "/cpu%%d");
	snprintf(target.marker, sizeof(target.marker),
		 "/dev/rbmap/" RECORDED "/marker");
	pin(0);
	if (!client_open(&client, 0, O_RDONLY | O_NONBLOCK))
		_exit(1);
	client.id = client.meta->reader.id;
	while (!stopped()) {
		shared->emitted += emit(shared->emitted, 50, 40);
		record_all(&client);
		usleep(2000);
	}
	record_all(&client);
	client_close(&client);
}

/* Take snapshots and resize the buffer that the member reads. */
static void run_root(void)
{
	static const char *const changes[][2] = {
		{ "snapshot", "1" }, { "buffer_size_kb", "64" },
		{ "per_cpu/cpu0/snapshot", "1" }, { "snapshot", "0" },
		{ "buffer_subbuf_size_kb", "16" },
		{ "per_cpu/cpu0/buffer_size_kb", "128" }, { "reset", "1" },
		{ "buffer_subbuf_size_kb", "4" }, { "buffer_size_kb", "256" },
	};

	for (unsigned int i = 0; !stopped(); i++) {
		const char *const *change =
			changes[i % (sizeof(changes) / sizeof(*changes))];
		uint64_t begin = now(), took;

		if (!set(change[0], change[1]) && errno != ENOMEM)
			shared->failed++;
		took = now() - begin;
		if (took > shared->slowest)
			shared->slowest = took;
		shared->changes++;
		usleep(20000);
	}
	set("snapshot", "0");
	set("buffer_size_kb", "64");
	set("reset", "1");
}

/* ---- the member */

static void become_member(void)
{
	if (setgroups(0, NULL) || setresgid(group, group, group) ||
	    setresuid(MEMBER, MEMBER, MEMBER))
		_exit(3);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int open_cpu(int cpu, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/rbmap/cpu%d", cpu);
	return open(path, O_RDONLY | O_CLOEXEC | flags);
}

static void *map_at(int fd, size_t len, off_t offset)
{
	void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, offset);

	return map == MAP_FAILED ? NULL : map;
}

/* Map a whole ring, and keep the map. */
static bool map_whole(int fd)
{
	const volatile struct rbmap_meta *meta = map_at(fd, page, 0);

	if (!meta)
		return false;
	return map_at(fd, (size_t)meta->nr_subbufs * meta->subbuf_size,
		      meta->meta_page_size) &&
	       (!meta->slot_table_size ||
		map_at(fd, meta->slot_table_size, meta->slot_table_offset));
}

/* A thousand files: each reads once, every fourth maps, every fourth observes. */
static void open_many(void)
{
	static int fds[NR_FILES];
	static char data[MAX_SUBBUF_READ];
	const struct rlimit limit = { NR_FILES + 50, NR_FILES + 50 };
	unsigned int n;

	setrlimit(RLIMIT_NOFILE, &limit);
	while (!stopped()) {
		for (n = 0; n < NR_FILES; n++) {
			fds[n] = open_cpu(n % nr_cpus, O_NONBLOCK);
			if (fds[n] < 0)
				break;
			if (n % 4 == 2)
				ioctl(fds[n], RBMAP_IOCTL_OBSERVE);
			if (n % 4 == 3)
				map_at(fds[n], page, 0);
			else
				(void)!read(fds[n], data, n % 8 ? 100 : 65536);
		}
		/* Sleep, so that each file keeps its ring and its copy. */
		usleep(500000);
		for (unsigned int i = 0; i < n; i++)
			close(fds[i]);
	}
}

static void wait_in_read(void)
{
	char data[64];
	int fd = open_cpu(0, 0);

	while (read(fd, data, sizeof(data)) > 0)
		;
}

/* Call read() once, then sleep: replaced rings wait for this reader. */
static void read_once(void)
{
	char data[64];
	int fd = open_cpu(nr_cpus - 1, O_NONBLOCK);

	(void)!read(fd, data, sizeof(data));
	pause();
}

static void wait_in_get_reader(void)
{
	int fd = open_cpu(0, 0);

	map_whole(fd);
	while (!ioctl(fd, RBMAP_IOCTL_GET_READER))
		;
	pause();
}

static void wait_in_splice(void)
{
	int fd = open_cpu(0, 0), pipes[2];
	char data[MAX_SUBBUF_READ];

	if (pipe(pipes))
		return;
	while (splice(fd, NULL, pipes[1], NULL, 65536, 0) > 0)
		(void)!read(pipes[0], data, sizeof(data));
	pause();
}

static void splice_into_full(void)
{
	int fd = open_cpu(0, 0), pipes[2];

	if (pipe(pipes))
		return;
	for (;;)
		splice(fd, NULL, pipes[1], NULL, 65536, 0);
}

/* Poll in a tight loop. */
static void poll_storm(void)
{
	struct pollfd fds[64];

	for (unsigned int i = 0; i < 64; i++)
		fds[i] = (struct pollfd){ open_cpu(i % nr_cpus, 0), POLLIN, 0 };
	for (;;)
		poll(fds, 64, 0);
}

static void wait_in_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = open_cpu(0, 0), epoll = epoll_create1(0);

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	for (;;)
		epoll_wait(epoll, &event, 1, -1);
}

/* An observer that never maps; its ring is retired meanwhile. */
static void observe_unmapped(void)
{
	int fd = open_cpu(0, 0);
	struct pollfd fds = { fd, POLLIN, 0 };
	char data[64];

	ioctl(fd, RBMAP_IOCTL_OBSERVE);
	for (;;) {
		poll(&fds, 1, 100);
		if (read(fd, data, sizeof(data)) >= 0)
			member_could("read() as an observer");
	}
}

/* A file becomes an observer while a read() of it waits. */
static void observe_while_reading(void)
{
	int fd = open_cpu(0, 0);
	char data[64];
	pid_t pid = fork();

	if (!pid) {
		usleep(20000);
		ioctl(fd, RBMAP_IOCTL_OBSERVE);
		_exit(0);
	}
	while (read(fd, data, sizeof(data)) > 0)
		;
	pause();
}

/* A child inherits the maps. */
static void fork_with_maps(void)
{
	int fd = open_cpu(0, O_NONBLOCK);
	const volatile struct rbmap_meta *meta = map_at(fd, page, 0);

	if (!meta)
		return;
	madvise((void *)meta, page, MADV_DOFORK);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			ioctl(fd, RBMAP_IOCTL_GET_READER);
			usleep(10000);
			_exit(0);
		}
		if (pid > 0 && meta->generation & 1)
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static void flood_markers(void)
{
	static const char text[4096] = "flood";
	int fd = open("/dev/rbmap/marker", O_WRONLY);

	for (size_t n = 0;; n++)
		(void)!write(fd, text, 1 + n * 7 % 4000);
}

/* Each ioctl and each kind of map, of rings in all states, and of snapshots. */
static void try_all_calls(void)
{
	static const int prots[] = { PROT_READ | PROT_WRITE,
				     PROT_READ | PROT_EXEC, PROT_WRITE };
	char path[64];

	for (unsigned int n = 0; !stopped(); n++) {
		int fd;

		snprintf(path, sizeof(path), "/dev/rbmap/%scpu%u",
			 n % 3 ? "" : "snapshot/", n % nr_cpus);
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (open(path, O_RDWR | O_NONBLOCK) >= 0)
			member_could("open a ring for writing");
		for (unsigned int nr = 0; nr < 256; nr++)
			if (ioctl(fd, _IO('R', nr), 0) > 0)
				member_could("SNAPSHOT");
		ioctl(fd, 0, 0);
		for (unsigned int i = 0; i < 3; i++)
			if (mmap(NULL, page, prots[i], MAP_SHARED, fd, 0) !=
			    MAP_FAILED)
				member_could("map for writing");
		if (mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0) !=
		    MAP_FAILED)
			member_could("map privately");
		for (unsigned int i = 0; i < 64; i++) {
			size_t len = page << i % 8;
			void *map = map_at(fd, len,
					   (off_t)(n * 64 + i) % 300 * page);

			if (map && i % 2)
				munmap(map, len);
		}
		close(fd);
		if (n % 16 == 15)
			return;		/* exit with all maps in place */
	}
}

static int try_file(const char *path, const struct stat *stat, int type,
		    struct FTW *ftw)
{
	int fd;

	(void)stat;
	(void)ftw;
	if (type != FTW_F && type != FTW_SL)
		return 0;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		member_could(path);
		close(fd);
	}
	return 0;
}

static void try_control(void)
{
	if (open("/dev/rbmap/" RECORDED "/cpu0", O_RDONLY) >= 0)
		member_could("open root's buffer");
	while (!stopped())
		nftw(CONTROL, try_file, 16, FTW_PHYS);
}

static const struct part {
	const char	*name;
	void		(*run)(void);
	bool		often;	/* killed often; the other parts need time */
} parts[] = {
	{ "a thousand files", open_many, false },
	{ "read()", wait_in_read, true },
	{ "one read()", read_once, true },
	{ "GET_READER", wait_in_get_reader, true },
	{ "splice()", wait_in_splice, true },
	{ "splice() into a full pipe", splice_into_full, true },
	{ "poll()", poll_storm, true },
	{ "epoll_wait()", wait_in_epoll, true },
	{ "poll() of an observer", observe_unmapped, true },
	{ "read() that becomes an observer's", observe_while_reading, true },
	{ "fork()", fork_with_maps, true },
	{ "write() of markers", flood_markers, true },
	{ "each call", try_all_calls, false },
	{ "control files", try_control, false },
};

#define NR_PARTS	(sizeof(parts) / sizeof(*parts))

static pid_t begin_part(void (*run)(void), bool member)
{
	pid_t pid = fork();

	if (pid < 0)
		bail_out("fork: %s", error_name(errno));
	if (pid)
		return pid;
	if (member)
		become_member();
	run();
	_exit(0);
}

/*
 * Kill a process and return the time until it has ended, in ns. Its children
 * are killed with it.
 */
static uint64_t end_part(pid_t pid)
{
	uint64_t begin = now();

	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (now() - begin > END_NS * slowness())
			break;
		usleep(1000);
	}
	return now() - begin;
}

static void run_all(unsigned int seconds)
{
	const uint64_t end = now() + seconds * 1000000000ULL;
	uint64_t slowest[NR_PARTS] = { 0 };
	unsigned int kills[NR_PARTS] = { 0 };
	pid_t pids[NR_PARTS], recorder, root;
	unsigned int turn = 0;

	recorder = begin_part(run_recorder, false);
	root = begin_part(run_root, false);
	for (size_t i = 0; i < NR_PARTS; i++)
		pids[i] = begin_part(parts[i].run, true);
	/* On a busy machine root needs longer for enough changes. */
	while (now() < end || (shared->changes <= 10 && now() < end + 6 * END_NS * slowness())) {
		usleep(5000 + turn++ * 7919 % 40000);
		/* Kill one after the other, each at another point of its work. */
		for (size_t i = 0; i < NR_PARTS; i++) {
			uint64_t took;

			if ((turn + i) % (parts[i].often ? 2 : 16))
				continue;
			took = end_part(pids[i]);
			if (took > slowest[i])
				slowest[i] = took;
			kills[i]++;
			pids[i] = begin_part(parts[i].run, true);
		}
	}
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < NR_PARTS; i++) {
		uint64_t took = end_part(pids[i]);

		if (took > slowest[i])
			slowest[i] = took;
		ok(slowest[i] < END_NS * slowness(), "%s: killed %u times, %llu ms at most",
		   parts[i].name, kills[i],
		   (unsigned long long)slowest[i] / 1000000);
	}
	waitpid(root, NULL, 0);
	waitpid(recorder, NULL, 0);
}

/* ---- memory */

static void copies(const char *dir, unsigned int kib)
{
	unsigned int opened = 0, reads = 0, refused = 0;
	char path[128], byte;

	for (; opened < 300; opened++) {
		int fd;

		snprintf(path, sizeof(path), "%s/cpu0", dir);
		fd = open(path, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			break;
		if (read(fd, &byte, 1) < 0 && errno == ENOMEM)
			refused++;
		else
			reads++;
	}
	printf("%u %u %u %u\n", opened, reads, refused, reads * kib);
	fflush(stdout);
	/* Wait until the caller has measured the memory in use. */
	(void)!read(STDIN_FILENO, &byte, 1);
}

static void reopens(const char *path, unsigned int count)
{
	char *to = malloc(page);
	unsigned int reads = 0, i;

	for (i = 0; i < count; i++) {
		int fd = open(path, O_RDONLY | O_NONBLOCK);

		reads += read(fd, to, page) == (ssize_t)page;
		close(fd);
	}
	printf("%u\n", reads);
}

int main(int argc, char **argv)
{
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	page = sysconf(_SC_PAGESIZE);
	if (argc == 4 && !strcmp(argv[1], "copies")) {
		copies(argv[2], strtoul(argv[3], NULL, 0));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "reopens")) {
		reopens(argv[2], strtoul(argv[3], NULL, 0));
		return 0;
	}
	if (argc != 3)
		bail_out("the head of hostile.c has the arguments");
	target_options(1, argv);
	group = strtoul(argv[1], NULL, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		bail_out("no memory to count in");
	root_buffer();
	run_all(strtoul(argv[2], NULL, 0));
	is(shared->faults, 0,
	   "the member could do nothing forbidden: %s", shared->what);
	ok(shared->emitted && shared->received == shared->emitted &&
	   !shared->lost && !shared->bad,
	   "root's recorder: %llu of %llu events, %llu lost, %llu wrong",
	   (unsigned long long)shared->received,
	   (unsigned long long)shared->emitted,
	   (unsigned long long)shared->lost, (unsigned long long)shared->bad);
	ok(shared->changes > 10 && !shared->failed && shared->slowest < END_NS * slowness(),
	   "root's snapshots and resizes: %llu, %llu failed, %llu ms at most",
	   (unsigned long long)shared->changes,
	   (unsigned long long)shared->failed,
	   (unsigned long long)shared->slowest / 1000000);
	remove_root_buffer();
	return done_testing();
}
