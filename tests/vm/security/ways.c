// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways of the kernel to an open file and to mapped memory that other tests do not go. Among
 * them are io_uring, userfaultfd, ptrace(), vmsplice(), memory that moves or is locked,
 * descriptors in messages and the freezer. Each call ends, nothing changes the ring, and no
 * event is lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/io_uring.h>
#include <linux/userfaultfd.h>

#include "client.h"
#include "tap.h"

#define CPU	0
#define DEVICE	"/dev/rbmap/cpu0"
#define LEN	60

static uint64_t number;

static void more(uint64_t count)
{
	emit(number, count, LEN);
	number += count;
}

/* ---- io_uring, by its system calls */

struct uring {
	int			fd;
	struct io_uring_params	p;
	char			*ring;
	struct io_uring_sqe	*sqes;
};

static bool uring_open(struct uring *u)
{
	*u = (struct uring){ .fd = -1 };
	u->fd = syscall(SYS_io_uring_setup, 8, &u->p);
	if (u->fd < 0)
		return false;
	u->ring = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	u->sqes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQES);
	return u->ring != MAP_FAILED && u->sqes != MAP_FAILED;
}

static void uring_close(struct uring *u)
{
	munmap(u->ring, 16384);
	munmap(u->sqes, 4096);
	close(u->fd);
}

static int uring_submit(struct uring *u, const struct io_uring_sqe *sqe)
{
	unsigned int *tail = (void *)(u->ring + u->p.sq_off.tail);
	unsigned int *mask = (void *)(u->ring + u->p.sq_off.ring_mask);
	unsigned int *array = (void *)(u->ring + u->p.sq_off.array);
	unsigned int at = *tail & *mask;

	u->sqes[at] = *sqe;
	array[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return syscall(SYS_io_uring_enter, u->fd, 1, 0, 0, NULL, 0);
}

/* Return the result of the next operation that ends. */
static int uring_wait(struct uring *u)
{
	unsigned int *head = (void *)(u->ring + u->p.cq_off.head);
	unsigned int *mask = (void *)(u->ring + u->p.cq_off.ring_mask);
	struct io_uring_cqe *cqes = (void *)(u->ring + u->p.cq_off.cqes);
	int result;

	if (syscall(SYS_io_uring_enter, u->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -errno;
	result = cqes[*head & *mask].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

static struct io_uring_sqe read_of(int fd, void *to, size_t size)
{
	return (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = fd, .addr = (uintptr_t)to,
				      .len = size, .off = -1 };
}

static void test_uring_ends(int fd, char *buf)
{
	struct io_uring_sqe sqe = read_of(fd, buf, MAX_SUBBUF);
	struct uring u;
	pid_t child;
	int status;

	reset();
	child = fork();
	if (!child) {
		uring_open(&u);
		uring_submit(&u, &sqe);
		nap(100);
		_exit(0);
	}
	ok(waitpid(child, &status, 0) == child && !status,
	   "io_uring: a process ends while its ring reads");
	uring_open(&u);
	uring_submit(&u, &sqe);
	nap(100);
	uring_close(&u);
	ok(true, "io_uring: a ring ends while it reads");
}

static void test_uring(void)
{
	int fd = device_open(CPU, O_RDONLY), pipes[2];
	struct io_uring_sqe sqe;
	char *buf = malloc(MAX_SUBBUF);
	struct iovec iov;
	struct client client;
	struct uring u;

	if (!uring_open(&u)) {
		skip("this kernel has no io_uring", "io_uring");
		return;
	}
	test_uring_ends(fd, buf);
	reset();
	set_number("buffer_percent", 0);
	sqe = read_of(fd, buf, MAX_SUBBUF);
	uring_submit(&u, &sqe);
	nap(50);
	more(1);
	ok(uring_wait(&u) > 0, "io_uring: a read ends with an event");

	sqe = (struct io_uring_sqe){ .opcode = IORING_OP_POLL_ADD, .fd = fd, .poll_events = POLLIN };
	uring_submit(&u, &sqe);
	nap(50);
	more(1);
	ok(uring_wait(&u) & POLLIN, "io_uring: a poll ends with an event");
	uring_submit(&u, &sqe);
	ok(uring_wait(&u) & POLLIN, "io_uring: a poll ends at once while there is one");

	reset();
	if (pipe(pipes))
		bail_out("pipe: %s", error_name(errno));
	sqe = (struct io_uring_sqe){ .opcode = IORING_OP_SPLICE, .fd = pipes[1],
				     .splice_fd_in = fd, .len = 65536, .off = -1,
				     .splice_off_in = -1 };
	more(500);
	uring_submit(&u, &sqe);
	ok(uring_wait(&u) > 0, "io_uring: a splice has sub-buffers");
	close(pipes[0]);
	close(pipes[1]);

	reset();
	more(500);
	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("map: %s", error_name(errno));
	iov = (struct iovec){ client.data, client.subbuf_size };
	ok(syscall(SYS_io_uring_register, u.fd, IORING_REGISTER_BUFFERS, &iov, 1) < 0,
	   "io_uring: a map cannot be a buffer that the kernel writes to");
	ok(!syscall(SYS_io_uring_register, u.fd, IORING_REGISTER_FILES, &client.fd, 1),
	   "io_uring: a device is registered");
	client_close(&client);
	uring_close(&u);
	close(fd);
	free(buf);
}

/* ---- memory */

/* A map of the ring, and a copy of its memory, which nothing may change. */
static struct client map;
static size_t map_size;
static char *map_before;

static void begin_map(void)
{
	reset();
	more(500);
	if (!client_open(&map, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("map: %s", error_name(errno));
	map_size = map.subbuf_size * map.nr_subbufs;
	map_before = malloc(map_size);
	memcpy(map_before, map.data, map_size);
}

static void unchanged(const char *what)
{
	ok(!memcmp(map_before, map.data, map_size), "%s: the ring is unchanged", what);
}

static void test_faults(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)map.data, map.subbuf_size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api)) {
		skip("this kernel has no userfaultfd", "userfaultfd");
		return;
	}
	ok(ioctl(fd, UFFDIO_REGISTER, &range) < 0, "userfaultfd: a map is refused");
	range.mode = UFFDIO_REGISTER_MODE_WP;
	ok(ioctl(fd, UFFDIO_REGISTER, &range) < 0, "userfaultfd: to protect it, too");
	close(fd);
	unchanged("userfaultfd");
}

static void test_foreign(void)
{
	struct iovec here, there = { map.data, map.subbuf_size };
	char *copy = malloc(map.subbuf_size);
	int fd = open("/proc/self/mem", O_RDWR), status;
	bool has_map;
	pid_t child;

	here = (struct iovec){ copy, map.subbuf_size };
	is(process_vm_readv(getpid(), &here, 1, &there, 1, 0), map.subbuf_size,
	   "process_vm_readv: it reads a map");
	ok(!memcmp(copy, map_before, map.subbuf_size), "process_vm_readv: as it is");
	memset(copy, 0xa5, map.subbuf_size);
	is_error(process_vm_writev(getpid(), &here, 1, &there, 1, 0) < 0 ? errno : 0, EFAULT,
		 "process_vm_writev: it cannot write");
	ok(pwrite(fd, copy, 64, (uintptr_t)map.data) <= 0, "/proc/self/mem: it cannot write");
	close(fd);
	/* Newer kernels let no child have such a map. */
	has_map = !madvise((char *)map.data, map_size, MADV_DOFORK);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, &status, 0);
	errno = 0;
	ptrace(PTRACE_PEEKDATA, child, map.data, NULL);
	is_error(errno, has_map ? 0 : EIO, "ptrace: it reads a map that the child has");
	ok(ptrace(PTRACE_POKEDATA, child, map.data, -1L) < 0, "ptrace: it cannot write");
	ptrace(PTRACE_KILL, child, NULL, NULL);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	madvise((char *)map.data, map_size, MADV_DONTFORK);
	unchanged("other processes");
	free(copy);
}

static void test_places(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned long nodes = 1;
	void *pages[4], *at;
	int states[4], i;

	syscall(SYS_remap_file_pages, map.data, page, 0, 2, 0);
	unchanged("remap_file_pages() of a part");
	at = mremap(map.data, 0, map_size, MREMAP_MAYMOVE);
	if (at != MAP_FAILED)
		munmap(at, map_size);
	ok(mremap(map.data, map_size, map_size / 2, 0) == MAP_FAILED, "mremap: it does not shrink");
	ok(mremap(map.data, map_size, 2 * map_size, MREMAP_MAYMOVE) == MAP_FAILED,
	   "mremap: it does not grow");
	at = mremap(map.data, map_size, map_size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	if (at != MAP_FAILED)
		munmap(at, map_size);
	unchanged("mremap");
	syscall(SYS_mbind, map.data, map_size, 2, &nodes, 64, 1 << 1 | 1 << 0);
	syscall(SYS_mbind, map.data + page, page, 2, &nodes, 64, 1 << 1 | 1 << 0);
	for (i = 0; i < 4; i++)
		pages[i] = map.data + i * page;
	memset(states, 0, sizeof(states));
	syscall(SYS_move_pages, 0, 4UL, pages, NULL, states, 0);
	syscall(SYS_move_pages, 0, 4UL, pages, (int[4]){ 0 }, states, 1 << 1);
	syscall(SYS_migrate_pages, 0, 64, &nodes, &nodes);
	unchanged("memory that moves");
	if (mlock(map.data, map_size))
		diag("mlock: %s", error_name(errno));
	munlock(map.data, map_size);
	if (!mlockall(MCL_CURRENT | MCL_FUTURE)) {
		int fd = device_open(CPU, O_RDONLY);

		at = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
		ok(at != MAP_FAILED, "mlockall: another map");
		munmap(at, page);
		close(fd);
		munlockall();
	}
	for (i = 0; i < 128; i++)
		if (i != MADV_DONTFORK && i != MADV_DOFORK && i != MADV_HWPOISON && i != 101)
			madvise((char *)map.data, map_size, i);
	unchanged("every advice");
	for (i = 0; i < 4; i++)
		mprotect((char *)map.data, map_size, i & 1 ? PROT_READ : PROT_NONE);
	ok(mprotect((char *)map.data, map_size, PROT_READ | PROT_WRITE) < 0,
	   "mprotect: it does not become writable");
	ok(mprotect((char *)map.data + page, page, PROT_NONE) < 0, "mprotect: not a part of it");
	unchanged("mprotect");
}

/* ---- pages in pipes: nobody can take them, and write to them */

static void move_to_file(int from, const char *what)
{
	char name[] = "/tmp/ways.XXXXXX", zeros[4096] = "";
	int fd = mkstemp(name);
	loff_t at = 0;
	ssize_t size;

	size = splice(from, NULL, fd, &at, 4096, SPLICE_F_MOVE);
	ok(size > 0, "%s: a page is moved to a file", what);
	for (int i = 0; i < 4; i++)
		pwrite(fd, zeros, sizeof(zeros), 0);
	close(fd);
	unlink(name);
	unchanged(what);
}

static void test_pipes(void)
{
	struct iovec iov = { map.data, map.subbuf_size };
	int pipes[2], fd;

	if (pipe(pipes))
		bail_out("pipe: %s", error_name(errno));
	ok(vmsplice(pipes[1], &iov, 1, SPLICE_F_GIFT) > 0, "vmsplice: a gift of a map");
	move_to_file(pipes[0], "vmsplice");
	close(pipes[0]);
	close(pipes[1]);
	if (pipe(pipes))
		bail_out("pipe: %s", error_name(errno));
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	ok(splice(fd, NULL, pipes[1], NULL, 65536, SPLICE_F_MOVE) > 0, "splice: sub-buffers");
	move_to_file(pipes[0], "splice");
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

/* ---- descriptors */

static void send_fd(int socket, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { "x", 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(socket, &message, 0) != 1)
		diag("sendmsg: %s", error_name(errno));
}

static void test_descriptors(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK), path, again, pair[2], poll_fd, outer;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	char buf[64];

	path = open(DEVICE, O_PATH);
	is_error(ioctl(path, 0) ? errno : 0, EBADF, "O_PATH: no ioctl");
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", path);
	again = open(buf, O_RDONLY | O_NONBLOCK);
	ok(again >= 0, "O_PATH: it is opened again");
	is_error(ioctl(again, RBMAP_IOCTL_OBSERVE) ? errno : 0, 0, "O_PATH: as a file of its own");
	close(again);
	close(path);

	/* Two sockets that hold each other, and a device that nobody receives. */
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		bail_out("socketpair: %s", error_name(errno));
	again = device_open(CPU, O_RDONLY);
	send_fd(pair[0], again);
	send_fd(pair[0], pair[0]);
	send_fd(pair[0], pair[1]);
	close(again);
	close(pair[0]);
	close(pair[1]);
	/* The kernel looks for such sockets when another one is closed. */
	close(socket(AF_UNIX, SOCK_STREAM, 0));

	poll_fd = epoll_create1(0);
	outer = epoll_create1(0);
	again = device_open(CPU, O_RDONLY);
	epoll_ctl(poll_fd, EPOLL_CTL_ADD, again, &event);
	epoll_ctl(outer, EPOLL_CTL_ADD, poll_fd, &event);
	/* More than half of the ring, which buffer_percent asks for */
	more(60000);
	ok(epoll_wait(outer, &event, 1, 60000) == 1, "epoll in epoll: it is ready");
	close(again);
	ok(!epoll_wait(outer, &event, 1, 50) || !epoll_wait(poll_fd, &event, 1, 0),
	   "epoll in epoll: it is not after the close");
	close(outer);
	close(poll_fd);

	ok(fcntl(fd, F_SETLEASE, F_RDLCK) < 0, "fcntl: no lease");
	ok(fcntl(fd, F_SETFL, O_NONBLOCK | O_DIRECT) < 0, "fcntl: no direct access");
	fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
	fcntl(fd, F_NOTIFY, DN_ACCESS);
	ok(ftruncate(fd, 0) < 0 && fallocate(fd, 0, 0, 1) < 0 && fsync(fd) < 0,
	   "the file has no length");
	is_error(lseek(fd, 0, SEEK_SET) < 0 ? errno : 0, ESPIPE, "and no position");
	is_error(pread(fd, buf, sizeof(buf), 0) < 0 ? errno : 0, ESPIPE, "pread: neither");
	ok(sendfile(poll_fd, fd, NULL, 4096) < 0, "sendfile: it is refused");
	ok(!flock(fd, LOCK_EX) && !flock(fd, LOCK_UN), "flock: it can be locked");
	close(fd);
}

/* A read that fails consumes nothing. */
static void test_bad_memory(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	char *buf = malloc(MAX_SUBBUF);
	uint64_t first, last;
	void *shut;

	reset();
	more(5);
	shut = mmap(NULL, MAX_SUBBUF, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	is_error(read(fd, shut, MAX_SUBBUF) < 0 ? errno : 0, EFAULT, "read: memory that is shut");
	ok(read(fd, buf, MAX_SUBBUF) > 0, "read: the events are still there");
	is(subbuf_events(buf, 0, &first, &last), 5, "read: all of them");
	munmap(shut, MAX_SUBBUF);
	free(buf);
	close(fd);
}

/* Read into memory that never comes. The kernel waits for it with the file's lock held. */
static void read_for_ever(int fd)
{
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = {
		.range = { (uintptr_t)page, 4096 }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range))
		_exit(1);
	read(fd, page, 4096);
	_exit(0);
}

static bool ends(pid_t pid)
{
	for (unsigned int i = 0; i < 100 * slowness(); i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		nap(50);
	}
	return false;
}

static void test_stuck(void)
{
	int fd = open("/dev/rbmap/trace", O_RDONLY);
	pid_t reader = fork(), seeker;

	if (!reader)
		read_for_ever(fd);
	await_sleep(reader);
	seeker = fork();
	if (!seeker)
		_exit(lseek(fd, 0, SEEK_SET) != 0);
	nap(200);
	kill(seeker, SIGKILL);
	ok(ends(seeker), "trace: lseek() ends by SIGKILL while another process reads");
	kill(reader, SIGKILL);
	ok(ends(reader), "trace: so does read(), which waits for memory");
	close(fd);
}

/* ---- the freezer */

#define GROUP	"/tmp/cgroup/ways"

static bool group_set(const char *file, const char *value)
{
	char path[128];
	int fd;
	bool good;

	snprintf(path, sizeof(path), GROUP "/%s", file);
	fd = open(path, O_WRONLY);
	good = fd >= 0 && write(fd, value, strlen(value)) > 0;
	close(fd);
	return good;
}

static bool group_frozen(void)
{
	char text[256] = "";
	int fd = open(GROUP "/cgroup.events", O_RDONLY);

	read(fd, text, sizeof(text) - 1);
	close(fd);
	return strstr(text, "frozen 1");
}

static void test_freezer(void)
{
	char pid[16];
	pid_t child;
	int status;

	if (!group_set("cgroup.freeze", "0")) {
		skip("this kernel has no freezer of cgroup2", "the freezer");
		return;
	}
	reset();
	set_number("buffer_percent", 0);
	child = fork();
	if (!child) {
		struct client client;

		pin(1);
		_exit(!client_open(&client, CPU, O_RDONLY) || get_reader(client.fd));
	}
	snprintf(pid, sizeof(pid), "%d", child);
	group_set("cgroup.procs", pid);
	await_sleep(child);
	group_set("cgroup.freeze", "1");
	for (unsigned int i = 0; i < 1000 && !group_frozen(); i++)
		nap(20);
	ok(group_frozen(), "the freezer stops a reader that waits");
	nap(100);
	group_set("cgroup.freeze", "0");
	more(1);
	ok(waitpid(child, &status, 0) == child && !status, "it goes on to wait, and gets an event");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	pin(CPU);
	set_overwrite(true);
	test_uring();
	begin_map();
	test_faults();
	test_foreign();
	test_places();
	test_pipes();
	client_close(&map);
	test_descriptors();
	test_bad_memory();
	test_stuck();
	test_freezer();
	return done_testing();
}
