// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observers, as linux/rbmap.h specifies them: they map the ring and the slot
 * table, walk the table, and check everything that they decode.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "client.h"
#include "device.h"

#define MAX_COPY	(256UL << 10)	/* bytes; larger sub-buffers are not copied */
#define MAX_WALK	40U		/* most sub-buffers in one walk */

/**
 * struct observer - an observing file and its maps
 * @fd: the file
 * @meta: the meta-page
 * @meta_size: size of the meta-page in bytes
 * @data: the sub-buffers
 * @data_size: size of the sub-buffers in bytes
 * @table: the slot table
 * @table_size: size of the slot table in bytes
 * @generation: generation of the last ring that was mapped
 */
struct observer {
	int				fd;
	const volatile struct rbmap_meta *meta;
	size_t				meta_size;
	const char			*data;
	size_t				data_size;
	const struct rbmap_slot_table	*table;
	size_t				table_size;
	uint32_t			generation;
};

static const void *map_part(int fd, size_t size, off_t offset)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);

	return map == MAP_FAILED ? NULL : map;
}

static void unmap_part(const volatile void *map, size_t size)
{
	if (map)
		munmap((void *)map, size);
}

static void unmap_ring(struct observer *o)
{
	unmap_part(o->table, o->table_size);
	unmap_part(o->data, o->data_size);
	unmap_part(o->meta, o->meta_size);
	o->table = NULL;
	o->data = NULL;
	o->meta = NULL;
}

static bool map_ring(struct observer *o)
{
	o->meta_size = page;
	o->meta = map_part(o->fd, page, 0);
	if (!o->meta)
		return false;
	if (o->meta->generation < o->generation)
		wrong("observer: ring %u after ring %u", o->meta->generation,
		      o->generation);
	o->generation = o->meta->generation;
	o->data_size = (size_t)o->meta->subbuf_size * o->meta->nr_subbufs;
	o->table_size = o->meta->slot_table_size;
	if (!o->table_size) {
		wrong("observer: a ring without a slot table");
		return false;
	}
	o->data = map_part(o->fd, o->data_size, o->meta->meta_page_size);
	o->table = map_part(o->fd, o->table_size, o->meta->slot_table_offset);
	if (o->data && o->table)
		return true;
	unmap_ring(o);
	return false;
}

/* Count the events in a copy of a sub-buffer; return -1 if it does not decode. */
static long count_events(const char *copy)
{
	struct cursor cursor;
	struct record record;
	long n = 0;

	cursor_begin(&cursor, copy);
	while (cursor_next(&cursor, &record))
		n++;
	if (!cursor.bad)
		return n;
	wrong("observer: at %zu of %zu: %s", cursor.at, cursor.end, cursor.bad);
	return -1;
}

/**
 * look_at - copy a sub-buffer and decode the copy
 * @o: the observer, mapped
 * @seq: the sequence number of the sub-buffer
 * @before: the number of events before the sub-buffer, set on success
 *
 * Return: the number of events in the sub-buffer, or -1 if it was overwritten or
 * does not exist yet.
 */
static long look_at(const struct observer *o, uint64_t seq, uint64_t *before)
{
	static __thread char copy[MAX_COPY] __attribute__((aligned(8)));
	const uint32_t nr = o->meta->nr_subbufs - 1;
	const volatile struct rbmap_table_slot *at = &o->table->slot[seq % nr];
	const uint64_t slot = at->slot;
	const uint32_t id = RBMAP_TABLE_ID(slot);
	const size_t room = o->meta->subbuf_size - RBMAP_SUBBUF_HEADER_SIZE;
	const char *subbuf;
	size_t commit;

	if (slot != RBMAP_TABLE_SLOT(seq, id))
		return -1;
	if (id > nr) {
		wrong("observer: sub-buffer %u of %u", id, nr + 1);
		return -1;
	}
	subbuf = o->data + (size_t)id * o->meta->subbuf_size;
	*before = at->events;
	commit = subbuf_commit(subbuf);
	if (commit <= room)
		memcpy(copy, subbuf, RBMAP_SUBBUF_HEADER_SIZE + commit);
	atomic_thread_fence(memory_order_acquire);
	if (at->slot != slot)
		return -1;
	if (commit > room) {
		wrong("observer: commit %zu in a sub-buffer of %zu", commit,
		      room);
		return -1;
	}
	((struct rbmap_subbuf_header *)copy)->commit = commit;
	return count_events(copy);
}

static bool walk_ring(const struct observer *o)
{
	const uint32_t nr = o->meta->nr_subbufs - 1;
	const uint64_t newest = atomic_load_explicit(
			(const _Atomic __u64 *)&o->table->newest,
			memory_order_acquire);
	const uint64_t modulus = o->table->modulus;
	uint32_t back = pick(nr < MAX_WALK ? nr : MAX_WALK);
	uint64_t before, events = 0;
	bool found = false;
	long n;

	if (o->meta->subbuf_size > MAX_COPY)
		return false;
	if (newest >= modulus) {
		wrong("observer: newest %llu, modulus %llu",
		      (unsigned long long)newest, (unsigned long long)modulus);
		return false;
	}
	for (;; back--) {
		n = look_at(o, (newest + modulus - back) % modulus, &before);
		if (n >= 0 && before < events)
			wrong("observer: %llu events before a sub-buffer, %llu before its end",
			      (unsigned long long)before,
			      (unsigned long long)events);
		if (n >= 0)
			events = before + n;
		found |= n >= 0;
		if (!back)
			return found;
	}
}

/* An observer's calls that would consume are refused, whether it has maps or not. */
static void try_to_consume(int fd)
{
	char bytes[64];
	int out[2];

	switch (pick(3)) {
	case 0:
		if (read(fd, bytes, sizeof(bytes)) >= 0 || errno != EBADF)
			wrong("observer: read(): errno %d", errno);
		break;
	case 1:
		if (!ioctl(fd, RBMAP_IOCTL_GET_READER) || errno != EBADF)
			wrong("observer: GET_READER: errno %d", errno);
		break;
	default:
		if (pipe2(out, O_NONBLOCK | O_CLOEXEC))
			return;
		if (splice(fd, NULL, out[1], NULL, 16 * page,
			   SPLICE_F_NONBLOCK) >= 0 || errno != EBADF)
			wrong("observer: splice(): errno %d", errno);
		close(out[0]);
		close(out[1]);
	}
}

static void poll_it(int fd)
{
	struct pollfd poll_fd = { fd, POLLIN, 0 };

	poll(&poll_fd, 1, pick(4));
}

bool do_observe(void)
{
	struct observer o = { .fd = -1 };
	bool found = false;
	char path[96];

	device_path(path, sizeof(path), a_buffer(), "cpu");
	o.fd = open_high(path, O_RDONLY | (pick(2) ? O_NONBLOCK : 0));
	if (o.fd < 0)
		return false;
	if (ioctl(o.fd, RBMAP_IOCTL_OBSERVE)) {
		close(o.fd);
		return false;
	}
	for (unsigned int i = 1 + pick(5); i; i--) {
		if (!pick(4))
			poll_it(o.fd);
		if (!pick(4))
			try_to_consume(o.fd);
		if (!map_ring(&o))
			break;
		for (unsigned int k = pick(4); k; k--) {
			found |= walk_ring(&o);
			if (!pick(3))
				poll_it(o.fd);
		}
		if (!pick(3))
			replace_rings();
		if (!pick(8))
			try_to_consume(o.fd);
		unmap_ring(&o);
	}
	unmap_ring(&o);
	if (pick(4))
		close(o.fd);
	else
		keep_file(o.fd);
	return found;
}

/* Turn one of the common files into an observer. */
bool do_turn_observer(void)
{
	return !ioctl(a_file(), RBMAP_IOCTL_OBSERVE);
}
