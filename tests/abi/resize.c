// SPDX-License-Identifier: GPL-2.0-only
/* Resizing: after maps that failed, while a map exists, after a map was moved. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

#define LEAKED	"bug-3: "
#define MOVED	"bug-6: "
#define RACED	"bug-8: "
#define SPARE	"bug-9: "

#define ROUNDS	30

static unsigned int size_kb, subbuf_kb;

static unsigned int kb_of(const char *name)
{
	char path[300];
	unsigned int kb = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", target.control, name);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%u", &kb) != 1)
		bail_out("%s: no number", path);
	fclose(file);
	return kb;
}

/* Check all pages, not only the first. */
static bool whole(const struct client *client)
{
	measure_client(client);
	return all_there(client);
}

static int set_sizes(unsigned int subbuf, unsigned int size)
{
	if (!set_number("buffer_subbuf_size_kb", subbuf) ||
	    !set_number("buffer_size_kb", size))
		return errno;
	return 0;
}

static void test_failed_maps(void)
{
	int fd = device_open(CPU, O_RDWR | O_NONBLOCK);
	int i;

	for (i = 0; i < 20; i++) {
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
		mmap(NULL, page, PROT_READ, MAP_SHARED, fd,
		     meta_size + data_size);
	}
	close(fd);
	case_error(set_sizes(2 * subbuf_kb, 2 * size_kb), 0,
		   LEAKED "resize: after maps that failed");
	case_error(set_sizes(subbuf_kb, size_kb), 0, LEAKED "resize: and back");
}

/* Maps do not prevent a resize, and they keep their ring. */
static void test_mapped(void)
{
	struct client client, next;
	uint64_t last = 0;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	case_error(set_number("buffer_size_kb", 2 * size_kb) ? 0 : errno, 0,
		   "resize: buffer_size_kb while mapped");
	case_error(set_number("buffer_subbuf_size_kb", 2 * subbuf_kb) ? 0 :
		   errno, 0, "resize: buffer_subbuf_size_kb while mapped");
	case_ok(whole(&client), "resize: the map is there");
	case_error(get_reader(client.fd), 0, "resize: GET_READER");
	case_is(subbuf_events(client_subbuf(&client), 0, NULL, &last), 3,
		"resize: the events are there");
	case_ok(last == number - 1 && client.meta->subbuf_size == client.subbuf_size,
		"resize: the events of the map's own ring");
	more(1, SMALL);
	client_open(&next, CPU, O_RDONLY | O_NONBLOCK);
	case_ok(take(&next, NULL, &last) && last == number - 1,
		"resize: a new map gets the next event");
	client_close(&next);
	client_close(&client);
	case_error(set_sizes(subbuf_kb, size_kb), 0, "resize: back");
}

/* Each ring has its own counters; the file stats has the sums. */
static void test_counters(void)
{
	struct client client;

	fresh();
	more(3, SMALL);
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	drain(&client);
	client_close(&client);
	case_error(set_sizes(subbuf_kb, 2 * size_kb), 0,
		   "resize: of a ring that was read");
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	case_is(client.meta->entries, 0, "resize: entries of the next map");
	client_close(&client);
	case_is(stat_of(CPU, "read events"), 3, "resize: stats: read events");
	case_error(set_sizes(subbuf_kb, size_kb), 0, "resize: and its size again");
}

static void test_moved(void)
{
	struct client client;
	char *to;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	measure_client(&client);
	to = mmap(NULL, data_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	client.data = mremap(client.data, data_size, data_size,
			     MREMAP_MAYMOVE | MREMAP_FIXED, to);
	munmap((void *)client.meta, page);
	client.meta = NULL;
	case_error(set_number("buffer_size_kb", 2 * size_kb) ? 0 : errno, 0,
		   MOVED "resize: while a moved map is there");
	case_ok(all_there(&client), MOVED "resize: it is whole");
	/* The old ring is drained; otherwise GET_READER would succeed. */
	case_error(get_reader(client.fd), ESTALE, MOVED "resize: and counts");
	client_close(&client);
	case_error(set_sizes(2 * subbuf_kb, 2 * size_kb), 0,
		   MOVED "resize: after its munmap");
	case_error(set_sizes(subbuf_kb, size_kb), 0, MOVED "resize: and back");
}

static void change_for_ever(void *unused)
{
	unsigned int i;

	(void)unused;
	for (i = 0;; i++)
		set_number("buffer_subbuf_size_kb", subbuf_kb << (i & 1));
}

/* Sizes that change while a reader computes how much to map. */
static void test_race(void)
{
	pid_t changer = later(0, change_for_ever, NULL);
	unsigned int good = 0, sizes = 0, i;
	size_t last = 0;

	for (i = 0; i < ROUNDS; i++) {
		struct client client;
		int error;

		if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK)) {
			diag("round %u: %s", i, error_name(errno));
			close(client.fd);
			continue;
		}
		error = get_reader(client.fd);
		good += whole(&client) && (!error || error == ESTALE) &&
			client.meta->subbuf_size == client.subbuf_size;
		sizes += client.subbuf_size != last;
		last = client.subbuf_size;
		client_close(&client);
		nap(20);
	}
	kill(changer, SIGKILL);
	reap(changer);
	diag("%u times another size", sizes);
	case_is(good, ROUNDS, RACED "resize: maps that are whole meanwhile");
	case_ok(sizes > 1, RACED "resize: the size did change");
	case_error(set_sizes(subbuf_kb, size_kb), 0, RACED "resize: then back");
	measure();
}

/* A file has read half a sub-buffer when the size of sub-buffers changes. */
static void test_half_read(unsigned int to_kb, const char *what)
{
	uint64_t first = 0, last = 0;
	char *subbuf;
	ssize_t ret;
	int fd;

	measure();
	subbuf = malloc(4 * subbuf_size);
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	fresh();
	more(3, SMALL);
	ret = read(fd, subbuf, subbuf_size / 2);
	case_ok(ret == (ssize_t)subbuf_size / 2, SPARE "resize: %s: half",
		what);
	case_ok(set_number("buffer_subbuf_size_kb", to_kb),
		SPARE "resize: %s: the size changes", what);
	more(2, SMALL);
	ret = read(fd, subbuf + subbuf_size / 2, 4 * subbuf_size);
	case_ok(ret == (ssize_t)subbuf_size / 2,
		SPARE "resize: %s: the other half", what);
	case_is(subbuf_events(subbuf, 0, NULL, NULL), 3,
		SPARE "resize: %s: as it was", what);
	memset(subbuf, 0xff, 4 * subbuf_size);
	ret = read(fd, subbuf, 4 * subbuf_size);
	case_ok(ret == (ssize_t)to_kb << 10,
		SPARE "resize: %s: then one of the new size", what);
	case_is(subbuf_events(subbuf, 0, &first, &last), 2,
		SPARE "resize: %s: with what came since", what);
	case_ok(last == number - 1, SPARE "resize: %s: up to the last", what);
	close(fd);
	free(subbuf);
}

void theme_resize(void)
{
	unsigned int subbufs = nr_subbufs;

	subbuf_kb = kb_of("buffer_subbuf_size_kb");
	size_kb = kb_of("buffer_size_kb");
	percent(0);
	set_overwrite(true);
	test_failed_maps();
	test_mapped();
	test_counters();
	test_moved();
	test_race();
	test_half_read(2 * subbuf_kb, "larger");
	test_half_read(subbuf_kb, "smaller");
	case_error(set_sizes(subbuf_kb, size_kb), 0, "resize: for the rest");
	measure();
	case_ok(subbuf_size == subbuf_kb << 10 && nr_subbufs == subbufs,
		"resize: the sizes are what they were");
}
