// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps that are moved, inherited, kept longer than their file and shared with
 * others, and how each of them is counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

#define FORKED	"bug-5: "
#define MOVED	"bug-6: "

static void test_move(void)
{
	unsigned int warnings = kernel_warnings();
	struct client client;
	char *to, *moved;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(1, SMALL);
	get_reader(client.fd);
	to = mmap(NULL, data_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	moved = mremap(client.data, data_size, data_size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (case_ok(moved == to, MOVED "mremap: moves the whole map")) {
		client.data = moved;
		case_ok(all_there(&client),
			MOVED "mremap: the moved map is complete");
		case_ok(subbuf_events(client_subbuf(&client), 0, NULL, NULL) >
			0, MOVED "mremap: the moved map has the events");
	}
	case_error(get_reader(client.fd), 0, MOVED "mremap: a moved map counts");
	munmap((void *)client.meta, page);
	case_error(get_reader(client.fd), 0,
		   MOVED "mremap: the moved map counts on its own, too");
	munmap(client.data, data_size);
	case_error(get_reader(client.fd), ENODEV,
		   MOVED "mremap: the moved map counts once");
	case_ok(kernel_warnings() == warnings,
		MOVED "mremap: the kernel has no warning");
	close(client.fd);
}

/* A copy of the map, which mremap() makes of a shared map. */
static void test_duplicate(void)
{
	struct client client;
	char *copy;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	copy = mremap(client.data, 0, data_size, MREMAP_MAYMOVE);
	case_error(copy == MAP_FAILED ? errno : 0, EFAULT,
		   MOVED "mremap: from length 0");
	if (copy != MAP_FAILED)
		munmap(copy, data_size);
	client_unmap(&client);
	case_error(get_reader(client.fd), ENODEV,
		   MOVED "mremap: from length 0: nothing stays mapped");
	close(client.fd);
}

static void test_close(void)
{
	struct client client;
	uint64_t last;
	int fd;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	close(client.fd);
	case_ok(all_there(&client), "close: the map is there");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	case_error(get_reader(fd), 0, "close: another file can advance it");
	case_is(subbuf_events(client_subbuf(&client), 0, NULL, &last), 3,
		"close: the map has the events that the other file read");
	client_unmap(&client);
	case_error(get_reader(fd), ENODEV, "close: no other map is left");
	close(fd);
}

/* The outcome of a child's access to the map after fork(). */
static const char *child_word(const struct client *client)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(touch(client->data));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? signal_word(WEXITSTATUS(status)) : "killed";
}

static void test_fork(void)
{
	char *subbuf = malloc(subbuf_size);
	struct client client;
	pid_t pid;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	case_text(child_word(&client), "SIGSEGV", "fork: a child has no map");
	case_error(get_reader(client.fd), 0,
		   "fork: a child's end leaves the parent's map");
	client_close(&client);

	/* A file that a child has closed, too, stays usable. */
	fresh();
	client.fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	pid = fork();
	if (!pid)
		_exit(0);
	reap(pid);
	case_error(read(client.fd, subbuf, subbuf_size) < 0 ? errno : 0,
		   EAGAIN, "fork: a child's end: read of an empty ring");
	close(client.fd);
	free(subbuf);
}

/* A child inherits the map. Do both maps count? */
static void test_child_counts(struct client *client)
{
	int to_child[2], status;
	char byte = 0;
	pid_t pid;

	if (pipe(to_child))
		bail_out("pipe: %s", error_name(errno));
	pid = fork();
	if (!pid) {
		/* The parent has unmapped its own map before it writes this byte. */
		if (read(to_child[0], &byte, 1) != 1)
			_exit(100);
		status = get_reader(client->fd);
		_exit(touch(client->data) ? 101 : status);
	}
	client_unmap(client);
	case_error(get_reader(client->fd), 0,
		   FORKED "MADV_DOFORK: a child's map counts");
	if (write(to_child[1], &byte, 1) != 1)
		bail_out("pipe: %s", error_name(errno));
	waitpid(pid, &status, 0);
	case_error(WIFEXITED(status) ? WEXITSTATUS(status) : 102, 0,
		   FORKED "MADV_DOFORK: a child's GET_READER");
	case_error(get_reader(client->fd), ENODEV,
		   FORKED "MADV_DOFORK: until the child ends");
	close(to_child[0]);
	close(to_child[1]);
}

/* The child's map is either refused, or each reference is counted. */
static void test_dofork(void)
{
	unsigned int warnings = kernel_warnings();
	struct client client;
	int error;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	error = error_of(madvise(client.data, data_size, MADV_DOFORK));
	case_ok(!error || error == EINVAL,
		FORKED "MADV_DOFORK: refused, or counted");
	diag("MADV_DOFORK: %s", error ? error_name(error) : "works");
	if (!error) {
		test_child_counts(&client);
	} else {
		case_text(child_word(&client), "SIGSEGV",
			  FORKED "MADV_DOFORK: refused: a child has no map");
		client_unmap(&client);
	}
	case_ok(kernel_warnings() == warnings,
		FORKED "MADV_DOFORK: the kernel has no warning");
	close(client.fd);
}

/* Several readers of one ring take turns: each event goes to one of them. */
static void test_turns(void)
{
	char *subbuf = malloc(subbuf_size);
	uint64_t first = 0, last = 0, expected;
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	unsigned int turn, idle = 0, shares[3] = { 0 };
	struct client clients[2];
	bool in_order = true;

	set_overwrite(true);
	fresh();
	client_open(&clients[0], CPU, O_RDONLY | O_NONBLOCK);
	client_open(&clients[1], CPU, O_RDONLY | O_NONBLOCK);
	expected = number;
	more((nr_subbufs - 2) * (subbuf_size / (LARGE + 32)), LARGE);
	/*
	 * A reader that maps sees which events the others have consumed: the
	 * meta-page holds what they left when GET_READER returns.
	 */
	for (turn = 0; idle < 6; turn++) {
		size_t events = 0;

		if (turn % 3 == 2) {
			if (read(fd, subbuf, subbuf_size) ==
			    (ssize_t)subbuf_size)
				events = subbuf_events(subbuf, 0, &first,
						       &last);
		} else {
			struct client *client = &clients[turn % 3];
			uint32_t id = client->meta->reader.id;
			size_t from = client->meta->reader.read;

			get_reader(client->fd);
			if (client->meta->reader.id != id)
				from = 0;
			events = subbuf_events(client_subbuf(client), from,
					       &first, &last);
		}
		idle = events ? 0 : idle + 1;
		if (!events)
			continue;
		shares[turn % 3] += events;
		in_order &= first == expected && last == first + events - 1;
		expected = last + 1;
	}
	case_ok(expected == number, "mappers: each event");
	case_ok(in_order, "mappers: in order, once");
	diag("shares of the three: %u, %u, %u", shares[0], shares[1],
	     shares[2]);
	case_ok(shares[0] && shares[1] && shares[2],
		"mappers: for each of three readers");
	case_ok(clients[0].meta->read == clients[1].meta->read,
		"mappers: see the same meta-page");
	client_close(&clients[0]);
	case_error(get_reader(clients[1].fd), 0, "mappers: one ends, one is left");
	client_close(&clients[1]);
	case_error(get_reader(fd), ENODEV, "mappers: none is left");
	close(fd);
	free(subbuf);
}

static void test_reset(void)
{
	struct client client;
	uint64_t first = 0, last = 0;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(10, LARGE);
	drain(&client);
	more(10, LARGE);
	fresh();
	case_is(client.meta->entries, 0, "reset: entries");
	case_is(client.meta->read, 0, "reset: read");
	case_is(client.meta->overrun, 0, "reset: overrun");
	case_is(client.meta->reader.read, 0, "reset: reader.read");
	case_is(subbuf_commit(client_subbuf(&client)), 0,
		"reset: bytes in the reader's sub-buffer");
	more(2, SMALL);
	take(&client, &first, &last);
	case_ok(last == number - 1, "reset: new events come");
	case_is(client.meta->entries, 2, "reset: new events are counted");
	case_is(client.meta->read, 2, "reset: new events are read");
	case_is(client.meta->reader.lost_events, 0, "reset: nothing is lost");
	client_close(&client);
}

void theme_life(void)
{
	test_move();
	test_duplicate();
	test_close();
	test_fork();
	test_dofork();
	test_turns();
	test_reset();
}
