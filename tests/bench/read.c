// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the whole ring of CPU 0 in one way, and prints the number of bytes and the
 * nanoseconds that it took:
 *
 *	read [--tracefs] map|decode|read|splice|memory|called SUBBUF-SIZE
 *
 * map and read sum up all bytes. decode decodes the events of a map, and sums up the time
 * and the first word of each. splice moves the sub-buffers to a file in memory. memory only
 * sums up the data pages of a map, for comparison. called does the same, with a system call
 * that does nothing after each sub-buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rbmap.h>

#include "client.h"
#include "tap.h"

struct result {
	uint64_t	bytes, ns;
};

/* Volatile, so that the compiler must compute the sum. */
static volatile uint64_t looked_at;

static void look(const void *bytes, size_t size)
{
	const uint64_t *word = bytes;
	uint64_t sum = 0;

	for (size_t i = 0; i < size / sizeof(*word); i++)
		sum += word[i];
	looked_at = sum;
}

static void map(struct client *client)
{
	if (!client_open(client, 0, O_NONBLOCK))
		bail_out("map: %s", error_name(errno));
	/* Touch all pages, so that no page fault is measured. */
	look(client->data, client->subbuf_size * client->nr_subbufs);
}

static struct result by_memory(bool called)
{
	struct result result = { 0 };
	struct client client;
	uint64_t begin;

	map(&client);
	begin = now();
	for (uint32_t i = 0; i < client.nr_subbufs; i++) {
		look(client.data + i * client.subbuf_size, client.subbuf_size);
		if (called)
			syscall(SYS_getppid);
	}
	result.ns = now() - begin;
	result.bytes = client.subbuf_size * client.nr_subbufs;
	client_close(&client);
	return result;
}

/* Decode the events behind the cursor, and return the end of the last one. */
static size_t decode(const void *subbuf, size_t size, struct rbmap_cursor *cursor)
{
	struct rbmap_event ev;
	uint64_t sum = 0;
	uint32_t word;

	while (rbmap_decode(subbuf, size, cursor, &ev) == 1) {
		memcpy(&word, ev.data, sizeof(word));
		sum += word + ev.ts;
	}
	looked_at = sum;
	return cursor->offset;
}

static struct result by_map(bool decodes)
{
	struct rbmap_cursor cursor = { 0 };
	struct result result = { 0 };
	struct client client;
	uint64_t begin;
	size_t at = 0;

	map(&client);
	begin = now();
	for (uint32_t id = UINT32_MAX;; id = client.meta->reader.id) {
		const void *subbuf;
		size_t end;

		if (get_reader(client.fd))
			break;
		subbuf = client_subbuf(&client);
		end = subbuf_commit(subbuf);
		if (id != client.meta->reader.id) {
			at = 0;
			cursor = (struct rbmap_cursor){ 0 };
		} else if (at == end) {
			break;
		}
		if (decodes)
			end = decode(subbuf, client.subbuf_size, &cursor);
		else
			look((const char *)subbuf + RBMAP_SUBBUF_HEADER_SIZE + at,
			     end - at);
		result.bytes += end - at;
		at = end;
	}
	result.ns = now() - begin;
	client_close(&client);
	return result;
}

static struct result by_read(size_t subbuf_size)
{
	struct result result = { 0 };
	int fd = device_open(0, O_NONBLOCK);
	char *subbuf = aligned_alloc(4096, subbuf_size);
	uint64_t begin;

	memset(subbuf, 0, subbuf_size);
	begin = now();
	while (read(fd, subbuf, subbuf_size) > 0) {
		size_t size = subbuf_commit(subbuf);

		look(subbuf + RBMAP_SUBBUF_HEADER_SIZE, size);
		result.bytes += size;
	}
	result.ns = now() - begin;
	free(subbuf);
	close(fd);
	return result;
}

static struct result by_splice(size_t subbuf_size)
{
	struct result result = { 0 };
	int fd = device_open(0, O_NONBLOCK), pipe_fd[2], to;
	uint64_t begin;
	ssize_t got;

	to = open("/tmp/spliced", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (to < 0 || pipe(pipe_fd))
		bail_out("/tmp/spliced: %s", error_name(errno));
	/* A pipe holds 16 sub-buffers, or only one of 1 MiB or more. */
	if (fcntl(pipe_fd[1], F_SETPIPE_SZ,
		  subbuf_size < 1 << 20 ? 16 * subbuf_size : subbuf_size) < 0)
		bail_out("pipe: %s", error_name(errno));
	begin = now();
	while ((got = splice(fd, NULL, pipe_fd[1], NULL, 16 * subbuf_size,
			     SPLICE_F_NONBLOCK)) > 0) {
		result.bytes += got;
		while (got > 0) {
			ssize_t moved = splice(pipe_fd[0], NULL, to, NULL, got,
					       SPLICE_F_MOVE);

			if (moved <= 0)
				bail_out("splice to /tmp/spliced: %s", error_name(errno));
			got -= moved;
		}
	}
	result.ns = now() - begin;
	close(fd);
	unlink("/tmp/spliced");
	return result;
}

int main(int argc, char **argv)
{
	int i = target_options(argc, argv);
	const char *how = i + 2 == argc ? argv[i] : "";
	size_t subbuf_size = i + 2 == argc ? strtoul(argv[i + 1], NULL, 10) : 0;
	struct result result;

	if (!subbuf_size)
		bail_out("usage: read [--tracefs] map|decode|read|splice|memory|called SUBBUF-SIZE");
	if (!strcmp(how, "map") || !strcmp(how, "decode"))
		result = by_map(!strcmp(how, "decode"));
	else if (!strcmp(how, "memory") || !strcmp(how, "called"))
		result = by_memory(!strcmp(how, "called"));
	else if (!strcmp(how, "read"))
		result = by_read(subbuf_size);
	else if (!strcmp(how, "splice"))
		result = by_splice(subbuf_size);
	else
		bail_out("unknown way '%s'", how);
	printf("%" PRIu64 " %" PRIu64 "\n", result.bytes, result.ns);
	return 0;
}
