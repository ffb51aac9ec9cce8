// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots: take one, read it in two ways that must agree, and keep it open. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "client.h"
#include "device.h"

#define MAX_COPY	(256UL << 10)
#define MAX_TAKES	100000

/* Return false, and report a fault, if the sub-buffer does not decode. */
static bool add_events(const char *subbuf, size_t from, uint64_t *events)
{
	struct cursor cursor;
	struct record record;

	cursor_begin(&cursor, subbuf);
	while (cursor_next(&cursor, &record))
		*events += cursor.at > from;
	if (!cursor.bad)
		return true;
	wrong("snapshot: at %zu of %zu: %s", cursor.at, cursor.end, cursor.bad);
	return false;
}

/*
 * Count the events that read() returns until the end. Return false if it was
 * cut short.
 */
static bool count_read(int fd, size_t subbuf_size, uint64_t *events)
{
	static __thread char copy[MAX_COPY] __attribute__((aligned(8)));
	ssize_t got;

	for (*events = 0;;) {
		got = read(fd, copy, subbuf_size);
		if (got <= 0)
			return !got;
		if ((size_t)got != subbuf_size)
			return false;
		if (!add_events(copy, 0, events))
			return false;
	}
}

/* Count the events that a map has until ESTALE. Return false if it was cut short. */
static bool count_mapped(int fd, const volatile struct rbmap_meta *meta,
			 uint64_t *events)
{
	const size_t size = (size_t)meta->subbuf_size * meta->nr_subbufs;
	/*
	 * The events before this offset were consumed before the snapshot was
	 * taken.
	 */
	uint32_t id = meta->reader.id;
	size_t from = meta->reader.read;
	bool ends = false;
	char *data;

	*events = 0;
	data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd,
		    meta->meta_page_size);
	if (data == MAP_FAILED)
		return false;
	for (unsigned int i = 0; i < MAX_TAKES; i++) {
		const char *subbuf;

		if (ioctl(fd, RBMAP_IOCTL_GET_READER)) {
			ends = errno == ESTALE;
			break;
		}
		subbuf = data + (size_t)meta->reader.id * meta->subbuf_size;
		if (meta->reader.id != id)
			from = 0;
		id = meta->reader.id;
		if (!add_events(subbuf, from, events))
			break;
		from = subbuf_commit(subbuf);
	}
	munmap(data, size);
	return ends;
}

static const volatile struct rbmap_meta *map_meta(int fd)
{
	void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Return 1 if both ways agree, 0 if that is unknown, -1 if they differ. */
static int compare_ways(int read_fd, int map_fd)
{
	const volatile struct rbmap_meta *read_meta = map_meta(read_fd);
	const volatile struct rbmap_meta *meta = map_meta(map_fd);
	uint64_t by_read, by_map;
	int ret = 0;

	if (!read_meta || !meta || meta->generation != read_meta->generation ||
	    meta->subbuf_size > MAX_COPY)
		goto out;
	if (!meta->snapshot || !meta->retired || meta->slot_table_size)
		wrong("snapshot: snapshot %u, retired %u, slot table of %u",
		      meta->snapshot, meta->retired, meta->slot_table_size);
	if (count_read(read_fd, meta->subbuf_size, &by_read) &&
	    count_mapped(map_fd, meta, &by_map))
		ret = by_read == by_map ? 1 : -1;
out:
	if (meta)
		munmap((void *)meta, page);
	if (read_meta)
		munmap((void *)read_meta, page);
	return ret;
}

static int compare_snapshot(const char *path)
{
	int read_fd = open_high(path, O_RDONLY);
	int map_fd = open_high(path, O_RDONLY | O_NONBLOCK);
	int ret = 0;

	if (read_fd >= 0 && map_fd >= 0)
		ret = compare_ways(read_fd, map_fd);
	if (read_fd >= 0)
		close(read_fd);
	if (map_fd >= 0)
		close(map_fd);
	return ret;
}

/* Take a snapshot, or use the last one, and read it to its end. */
bool do_snapshot(void)
{
	char path[96], control[128];
	int ret = 0;

	if (pick(2)) {
		control_path(control, sizeof(control), "",
			     pick(2) ? "snapshot" : "per_cpu/cpu/snapshot");
		write_file(control, "1");
	}
	device_path(path, sizeof(path), "", "snapshot/cpu");
	/*
	 * Another thread may still have used the number of one of these files.
	 * Only a difference that repeats is a fault.
	 */
	for (unsigned int i = 0; i < 4; i++) {
		ret = compare_snapshot(path);
		if (ret >= 0)
			return ret;
	}
	wrong("snapshot: read() and a map find different events");
	return false;
}

/* Take a snapshot of one of the common files and keep it among them. */
bool do_snapshot_fd(void)
{
	int fd = ioctl(a_file(), RBMAP_IOCTL_SNAPSHOT);

	if (fd < 0)
		return false;
	keep_file(fd);
	return true;
}
