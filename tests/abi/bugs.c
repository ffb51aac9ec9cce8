// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors that the kernel's ring and others like it had. "bug-N" begins the name
 * of each such case. This file tests those that no other file tests; the others
 * are tested beside the feature that they broke:
 *
 *	1   page offsets that overflow			map.c
 *	2   errors of the first map that are lost	map.c
 *	3   failed maps that count as mapped		map.c, resize.c
 *	4   maps that are split				vma.c
 *	5   fork after MADV_DOFORK			life.c
 *	6   mremap and its mapping count		life.c, resize.c
 *	7   virt_to_page() on vmalloc memory		abi.sh
 *	8   sizes that change while mmap() reads them	resize.c
 *	9   state that a file keeps from before a resize	resize.c
 *	12  old contents of the ring's memory		reader.c
 *	14  unload while the module is in use		../vm/module/lifetime.sh
 *	16  sizes that overflow				large.c, ../vm/module/lifetime.sh
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

#define OTHER_CPU	1
#define ROUNDS		2000

static void write_for_ever(void *unused)
{
	(void)unused;
	pin(OTHER_CPU);
	for (;;)
		emit_one(1, LARGE);
}

/* bug-10: a reader that the writer laps again and again; each call returns. */
static void test_lapped(void)
{
	char *subbuf = malloc(subbuf_size);
	struct client client;
	uint64_t began;
	bool good = true;
	pid_t writer;
	int i;

	set_overwrite(true);
	fresh();
	client_open(&client, OTHER_CPU, O_RDONLY | O_NONBLOCK);
	writer = later(0, write_for_ever, NULL);
	/* Wait until the writer has lapped the reader once. */
	began = now();
	while (!client.meta->overrun && now() - began < 20000 * MSEC) {
		get_reader(client.fd);
		nap(100);
	}
	case_ok(client.meta->overrun > 0, "bug-10: the writer laps its reader");
	for (i = 0; i < ROUNDS; i++)
		good &= !get_reader(client.fd);
	case_ok(good, "bug-10: %d times GET_READER, lapped", ROUNDS);
	for (i = 0; i < ROUNDS; i++) {
		ssize_t got = read(client.fd, subbuf, subbuf_size);

		/*
		 * The kernel's ring returns 0 once in many runs: the writer has
		 * filled an empty ring in the meantime. rbmap never returns 0.
		 */
		good &= got > 0 || (got < 0 && errno == EAGAIN) ||
			(!got && !target.own);
	}
	case_ok(good, "bug-10: %d times read(), lapped", ROUNDS);
	kill(writer, SIGKILL);
	reap(writer);
	client_close(&client);
	free(subbuf);
}

/**
 * struct slow_read - a read() into memory that is not populated yet
 * @fd: the file to read
 * @to: the destination, which faults until userfaultfd supplies a page
 * @ret: the result of the read
 */
struct slow_read {
	pthread_t	thread;
	int		fd;
	char		*to;
	ssize_t		ret;
};

static void *read_slowly(void *data)
{
	struct slow_read *slow = data;

	slow->ret = read(slow->fd, slow->to, subbuf_size);
	return NULL;
}

static int watch_faults(char *at, size_t len)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = (unsigned long)at, .len = len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range)) {
		diag("userfaultfd: %s", error_name(errno));
		return -1;
	}
	return fd;
}

/*
 * bug-11: mmap() takes mmap_lock and then the ring's locks. A read() that holds
 * a lock of the ring while it accesses user memory takes them in the opposite
 * order. This test stops a read() at that point and runs all other operations.
 */
static void test_lock_order(void)
{
	char *area = mmap(NULL, subbuf_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct slow_read slow = {
		.fd = device_open(CPU, O_RDONLY | O_NONBLOCK), .to = area,
	};
	struct uffdio_zeropage zero = {
		.range = { .start = (unsigned long)area, .len = subbuf_size },
	};
	struct pollfd fault = { .fd = watch_faults(area, subbuf_size),
				.events = POLLIN };
	struct client client;
	char byte;

	if (fault.fd < 0) {
		skip("no userfaultfd here", "bug-11");
		return;
	}
	fresh();
	more(3, SMALL);
	pthread_create(&slow.thread, NULL, read_slowly, &slow);
	case_is(poll(&fault, 1, limit(10000)), 1,
		"bug-11: a read() waits for user memory");
	case_ok(client_open(&client, CPU, O_RDONLY | O_NONBLOCK),
		"bug-11: mmap meanwhile");
	case_is(more(2, SMALL), 2, "bug-11: events meanwhile");
	case_error(get_reader(client.fd), 0, "bug-11: GET_READER meanwhile");
	case_error(read(client.fd, &byte, 1) < 0 ? errno : 0, EAGAIN,
		   "bug-11: read() of another file meanwhile");
	fresh();
	client_close(&client);
	case_ok(!ioctl(fault.fd, UFFDIO_ZEROPAGE, &zero),
		"bug-11: munmap, reset and close meanwhile");
	pthread_join(slow.thread, NULL);
	case_ok(slow.ret == (ssize_t)subbuf_size,
		"bug-11: the waiting read() ends");
	case_is(subbuf_events(area, 0, NULL, NULL), 3,
		"bug-11: the waiting read() returns its events");
	close(fault.fd);
	close(slow.fd);
	munmap(area, subbuf_size);
}

/*
 * bug-13: pages that others have pinned one by one, for longer than the map
 * exists.
 */
static void test_pages(void)
{
	char *copy = malloc(data_size);
	struct iovec from, to = { .iov_base = copy, .iov_len = data_size };
	struct iovec one;
	struct client client;
	int pipes[2];

	if (pipe(pipes))
		bail_out("pipe: %s", error_name(errno));
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	get_reader(client.fd);
	case_ok(all_there(&client), "bug-13: each page can be read");
	from = (struct iovec){ client.data, data_size };
	case_ok(process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
		(ssize_t)data_size && !memcmp(copy, client.data, data_size),
		"bug-13: the kernel can read each page, too");
	/* The second page of a sub-buffer, if a sub-buffer has more than one. */
	one = (struct iovec){
		client.data + client.meta->reader.id * subbuf_size +
		(subbuf_size > page ? page : 0), page
	};
	memcpy(copy, one.iov_base, page);
	case_is(vmsplice(pipes[1], &one, 1, 0), page,
		"bug-13: a pipe takes a page of the map");
	client_close(&client);
	case_ok(read(pipes[0], copy + page, page) == (ssize_t)page &&
		!memcmp(copy, copy + page, page),
		"bug-13: the pipe has the page after munmap");
	close(pipes[0]);
	close(pipes[1]);
	free(copy);
}

/* bug-15: an event that is larger than the ring, and all sizes up to that size. */
static void test_too_large(void)
{
	const size_t len = 4 << 20;
	char *text = malloc(len);
	int fd = open(target.marker, O_WRONLY | O_CLOEXEC);
	struct client client;
	uint64_t first = 0, last = 0;
	ssize_t ret;

	memset(text, 'x', len);
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	ret = write(fd, text, len);
	case_ok(ret > 0 && ret < (ssize_t)subbuf_size,
		"bug-15: a write of 4 MiB is cut to what fits");
	ret = write(fd, text, subbuf_size);
	case_ok(ret > 0 && ret < (ssize_t)subbuf_size,
		"bug-15: a write of a sub-buffer is cut to what fits");
	get_reader(client.fd);
	case_is(client.meta->entries, 2, "bug-15: each write is one event");
	more(1, SMALL);
	drain(&client);
	subbuf_events(client_subbuf(&client), 0, &first, &last);
	case_ok(last == number - 1, "bug-15: the next event is recorded");
	case_is(client.meta->read, 3, "bug-15: all events are read");
	close(fd);
	client_close(&client);
	free(text);
}

/*
 * bug-17: the ring of a CPU that has gone offline, and of one that is online
 * again.
 */
static void test_offline(void)
{
	char *subbuf = malloc(subbuf_size);
	struct client client;
	uint64_t last = 0;

	set_overwrite(true);
	fresh();
	client_open(&client, OTHER_CPU, O_RDONLY | O_NONBLOCK);
	pin(OTHER_CPU);
	more(3 * subbuf_size / LARGE, LARGE);
	pin(CPU);
	get_reader(client.fd);
	case_ok(set_online(OTHER_CPU, false),
		"bug-17: the ring's CPU goes off line");
	case_ok(all_there(&client), "bug-17: the map is there");
	case_error(get_reader(client.fd), 0, "bug-17: GET_READER");
	case_ok(take(&client, NULL, &last) > 0, "bug-17: events come");
	case_is(read(client.fd, subbuf, subbuf_size), subbuf_size,
		"bug-17: read()");
	drain(&client);
	fresh();
	case_ok(client.meta->entries == 0, "bug-17: reset");
	client_unmap(&client);
	case_ok(client_map(&client), "bug-17: munmap and mmap");
	case_ok(set_online(OTHER_CPU, true),
		"bug-17: the ring's CPU comes back");
	pin(OTHER_CPU);
	more(1, SMALL);
	pin(CPU);
	get_reader(client.fd);
	subbuf_events(client_subbuf(&client), 0, NULL, &last);
	case_ok(last == number - 1,
		"bug-17: a new event is recorded on the CPU");
	client_close(&client);
	free(subbuf);
}

void theme_bugs(void)
{
	test_lapped();
	test_lock_order();
	test_pages();
	test_too_large();
	test_offline();
}
