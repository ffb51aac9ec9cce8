// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steps with files, with the bytes read from them, and with other parts of the
 * system.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "device.h"

int files[NR_FILES];
int pipes[2], epoll_fd, marker, scratch;

int nr_cpus;
size_t page;
const char *module_path, *modules_dir;
bool may_hotplug, may_fail;

__thread uint64_t random_state;
__thread sigjmp_buf fault;
__thread volatile sig_atomic_t may_fault;

/* splitmix64 */
uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

unsigned int pick(unsigned int n)
{
	return next_random() % n;
}

/* Sizes near those of pages and sub-buffers, and some other sizes. */
size_t pick_size(void)
{
	switch (pick(6)) {
	case 0:
		return pick(200);
	case 1:
		return (size_t)pick(70) * page;
	case 2:
		return (size_t)pick(70) * page + pick(page);
	case 3:
		return 16 * page << pick(8);
	case 4:
		return next_random() >> pick(64);
	default:
		return page << pick(6);
	}
}

/* ---- files */

int a_file(void)
{
	return __atomic_load_n(&files[pick(NR_FILES)], __ATOMIC_RELAXED);
}

void keep_file(int fd)
{
	int old = __atomic_exchange_n(&files[pick(NR_FILES)], fd,
				      __ATOMIC_RELAXED);

	if (old >= 0)
		close(old);
}

/*
 * Open a file and move it to a high number. Low numbers are unsafe: another
 * thread may have closed one, and may still use it by mistake.
 */
int open_high(const char *path, int flags)
{
	int low = open(path, flags | O_CLOEXEC), fd;

	if (low < 0)
		return low;
	fd = fcntl(low, F_DUPFD_CLOEXEC, 500);
	close(low);
	return fd;
}

bool do_open(void)
{
	static const int flags[] = {
		O_RDONLY, O_RDONLY | O_NONBLOCK, O_RDONLY | O_NONBLOCK,
		O_RDONLY, O_RDONLY | O_NONBLOCK, O_RDONLY | O_NONBLOCK,
		O_RDWR | O_NONBLOCK, O_RDONLY | O_NONBLOCK | O_CLOEXEC,
		O_PATH, O_RDONLY | O_NONBLOCK | O_DIRECT,
	};
	static const char *const names[] = {
		"cpu", "cpu", "cpu", "cpu", "cpu", "cpu", "cpu", "cpu",
		"snapshot/cpu", "snapshot/cpu", "trace", "trace_pipe",
	};
	char path[96];
	int fd;

	device_path(path, sizeof(path), a_buffer(), pick_of(names));
	fd = open(path, pick_of(flags));
	if (fd < 0)
		return false;
	keep_file(fd);
	return true;
}

bool do_close(void)
{
	int fd = __atomic_exchange_n(&files[pick(NR_FILES)], -1,
				     __ATOMIC_RELAXED);

	return fd >= 0 && !close(fd);
}

bool do_dup(void)
{
	int fd = dup(a_file());

	if (fd < 0)
		return false;
	keep_file(fd);
	return true;
}

bool do_fcntl(void)
{
	int fd = a_file(), flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !fcntl(fd, F_SETFL, flags ^ O_NONBLOCK);
}

bool do_seek(void)
{
	static const int whence[] = { SEEK_SET, SEEK_CUR, SEEK_END };

	if (pick(2))
		return lseek(a_file(), pick_size(), pick_of(whence)) >= 0;
	return ftruncate(a_file(), pick_size()) == 0;
}

bool do_ioctl(void)
{
	static const unsigned int known[] = {
		RBMAP_IOCTL_GET_READER, RBMAP_IOCTL_GET_READER,
		RBMAP_IOCTL_GET_READER, RBMAP_IOCTL_GET_READER,
		RBMAP_IOCTL_GET_READER, RBMAP_IOCTL_OBSERVE,
		RBMAP_IOCTL_SNAPSHOT, RBMAP_IOCTL_DISCARD, RBMAP_IOCTL_CREATE,
		RBMAP_IOCTL_SYMBOLS, 0,
	};
	unsigned int cmd = pick_of(known);
	int ret;

	if (!pick(5))
		cmd = _IOC(pick(4), 'R', pick(256), pick(64));
	/* The ioctl may return a new file. */
	ret = ioctl(a_file(), cmd, pick(2) ? 0 : next_random());
	if (ret > STDERR_FILENO)
		keep_file(ret);
	return ret >= 0;
}

/* ---- data */

bool do_read(void)
{
	static __thread char buffer[80 * CHUNK];
	struct fuzz_map *map = NULL;
	struct iovec parts[2];
	ssize_t got;

	switch (pick(6)) {
	case 0:
		return read(a_file(), (void *)(uintptr_t)next_random(),
			    CHUNK) > 0;
	case 1:
		/*
		 * Read into a mapped ring: the page fault comes while read()
		 * copies.
		 */
		map = take_map();
		if (!map)
			return false;
		got = read(a_file(), map->addr, map->len);
		put_map(map);
		return got > 0;
	case 2:
		parts[0] = (struct iovec){ buffer, pick(CHUNK) };
		parts[1] = (struct iovec){ buffer + CHUNK, pick(8 * CHUNK) };
		return readv(a_file(), parts, 2) > 0;
	case 3:
		return pread(a_file(), buffer, CHUNK, pick_size()) > 0;
	default:
		return read(a_file(), buffer, pick_size() % sizeof(buffer)) > 0;
	}
}

bool do_splice(void)
{
	static __thread char buffer[16 * CHUNK];
	unsigned int flags = pick(16) | SPLICE_F_NONBLOCK;

	switch (pick(6)) {
	case 0:
		return read(pipes[0], buffer, sizeof(buffer)) > 0;
	case 1:
		return splice(pipes[0], NULL, scratch, NULL, 16 * page, flags) > 0;
	case 2:
		return sendfile(pipes[1], a_file(), NULL, page << pick(5)) > 0;
	default:
		return splice(a_file(), NULL, pipes[1], NULL,
			      pick(2) ? page << pick(5) : pick_size(), flags) > 0;
	}
}

bool do_poll(void)
{
	struct pollfd fds[3] = { { a_file(), POLLIN, 0 },
				 { a_file(), POLLIN | POLLPRI | POLLOUT, 0 },
				 { epoll_fd, POLLIN, 0 } };
	struct epoll_event event = {
		.events = EPOLLIN | (pick(2) ? EPOLLET : 0) |
			  (pick(2) ? EPOLLONESHOT : 0),
	};

	switch (pick(4)) {
	case 0:
		return !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, a_file(), &event);
	case 1:
		return !epoll_ctl(epoll_fd, pick(2) ? EPOLL_CTL_DEL :
				  EPOLL_CTL_MOD, a_file(), &event);
	case 2:
		return epoll_wait(epoll_fd, &event, 1, pick(3)) >= 0;
	default:
		return poll(fds, 3, pick(3)) >= 0;
	}
}

bool do_marker(void)
{
	static const char text[CHUNK] = "fuzz";
	struct fuzz_map *map;
	ssize_t put;
	int fd;

	if (marker < 0)
		return write_file("/dev/rbmap/marker", text);
	switch (pick(8)) {
	case 0:
		/* Write the bytes of a mapped ring as an event. */
		map = take_map();
		if (!map)
			return false;
		put = write(marker, map->addr, pick_size() % map->len);
		put_map(map);
		return put > 0;
	case 1:
		fd = open("/dev/rbmap/marker", O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return false;
		put = write(fd, (void *)(uintptr_t)next_random(), 100);
		close(fd);
		return put > 0;
	default:
		return write(marker, text, pick(sizeof(text))) > 0;
	}
}

bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, text, strlen(text)) > 0;
	close(fd);
	return good;
}

/* Read some bytes of a file, from an offset. */
bool read_file(const char *path, off_t offset)
{
	static __thread char text[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, text, pick(sizeof(text)), offset);
	close(fd);
	return got > 0;
}

/* ---- the rest */

bool do_proc(void)
{
	static const char *const names[] = { "/proc/self/smaps",
					     "/proc/self/maps",
					     "/proc/self/numa_maps",
					     "/proc/self/smaps_rollup" };
	static __thread char buffer[CHUNK];
	int fd = open(pick_of(names), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
	return true;
}

bool do_pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(pick(nr_cpus), &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

bool do_hotplug(void)
{
	char path[80];

	/* A single CPU cannot go offline. */
	if (!may_hotplug || nr_cpus < 2 || pick(10))
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
		 1 + pick(nr_cpus - 1));
	return write_file(path, pick(2) ? "0" : "1");
}
