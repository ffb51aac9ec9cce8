// SPDX-License-Identifier: GPL-2.0-only
/*
 * bug-16: a ring of more than 4 GiB. Each sub-buffer is at the place that its
 * id gives, even where an offset of 32 bits would overflow. A page has the same
 * frame of memory through the map of the whole ring and through a map of its
 * sub-buffer alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

#define FRAME_BITS	55
#define PRESENT		(1ULL << 63)

/* The frame of memory that is mapped at an address, or 0 for none. */
static uint64_t frame_of(const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	if (touch(at) ||
	    pread(fd, &entry, sizeof(entry), (uintptr_t)at / page * 8) !=
	    sizeof(entry) || !(entry & PRESENT))
		entry = 0;
	close(fd);
	return entry & ((1ULL << FRAME_BITS) - 1);
}

static void test_subbuf(const struct client *client, unsigned int id)
{
	size_t offset = (size_t)id * subbuf_size;
	char *alone = mmap(NULL, subbuf_size, PROT_READ, MAP_SHARED, client->fd,
			   meta_size + offset);
	uint64_t first, last;

	if (!case_ok(alone != MAP_FAILED, "bug-16: sub-buffer %u: a map", id))
		return;
	first = frame_of(alone);
	last = frame_of(alone + subbuf_size - page);
	case_ok(first && first == frame_of(client->data + offset),
		"bug-16: sub-buffer %u: its first page", id);
	case_ok(last && last == frame_of(client->data + offset + subbuf_size -
					 page),
		"bug-16: sub-buffer %u: its last page", id);
	case_ok(first != frame_of(client->data) || !id,
		"bug-16: sub-buffer %u: is not the first one", id);
	munmap(alone, subbuf_size);
}

void theme_large(void)
{
	unsigned int id_of_2g = (1ULL << 31) / subbuf_size;
	unsigned int id_of_4g = (1ULL << 32) / subbuf_size;
	struct client client;
	uint64_t last = 0;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	case_ok(data_size > 1ULL << 32, "bug-16: more than 4 GiB of data");
	case_ok(client.meta->nr_subbufs == nr_subbufs,
		"bug-16: one map has all sub-buffers");
	test_subbuf(&client, 0);
	test_subbuf(&client, id_of_2g - 1);
	test_subbuf(&client, id_of_2g);
	test_subbuf(&client, id_of_4g - 1);
	test_subbuf(&client, id_of_4g);
	test_subbuf(&client, nr_subbufs - 1);
	case_error(mmap(NULL, 2 * subbuf_size, PROT_READ, MAP_SHARED, client.fd,
			meta_size + data_size - subbuf_size) == MAP_FAILED ?
		   errno : 0, EINVAL, "bug-16: a map of one sub-buffer more");
	more(3, SMALL);
	case_is(take(&client, NULL, &last), 3, "bug-16: events");
	case_ok(last == number - 1, "bug-16: the right ones");
	client_unmap(&client);
	case_error(get_reader(client.fd), ENODEV, "bug-16: nothing stays mapped");
	close(client.fd);
}
