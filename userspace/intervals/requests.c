// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of block devices. block_rq_insert puts one into the queue of a scheduler,
 * block_rq_issue passes it to the driver, and block_rq_complete ends it, or its first
 * sectors. A request is found by its device and its first sector.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define FIRST_SLOTS	256	/* a power of two */

/* The first sector of a request, and its device */
struct request_key {
	uint32_t dev;
	uint64_t sector;
};

static inline size_t hash_of(struct request_key key)
{
	/* One after the other: many pairs of a device and a sector have the same sum. */
	return hash_u64(hash_u32(key.dev) ^ key.sector);
}

static inline struct request_key key_of(const struct request *r)
{
	return (struct request_key){ r->dev, r->sector };
}

static inline bool is_of(const struct request *r, struct request_key key)
{
	return r->dev == key.dev && r->sector == key.sector;
}

HASH_FUNCTIONS(request_table, struct request, struct request_key, FIRST_SLOTS, hash_of, is_of,
	       key_of);

static struct request *find_request(struct intervals *intervals, uint32_t dev, uint64_t sector)
{
	return request_table_find(&intervals->requests, (struct request_key){ dev, sector });
}

/* Return the request, which may be new, or NULL: out of memory. */
static struct request *add_request(struct intervals *intervals, uint32_t dev, uint64_t sector)
{
	struct request *r;

	r = request_table_place(&intervals->requests, (struct request_key){ dev, sector });
	if (!r) {
		intervals->failed = true;
		return NULL;
	}
	if (!r->used) {
		*r = (struct request){ .used = true, .dev = dev, .sector = sector };
		intervals->requests.nr++;
	}
	return r;
}

/* ---- what was read before */
#define MOST_SECTORS	8192	/* larger requests are ignored */

static inline struct request_key chunk_key(const struct read_chunk *chunk)
{
	return (struct request_key){ chunk->dev, chunk->number };
}

static inline bool is_chunk(const struct read_chunk *chunk, struct request_key key)
{
	return chunk->dev == key.dev && chunk->number == key.sector;
}

HASH_FUNCTIONS(chunk_table, struct read_chunk, struct request_key, FIRST_SLOTS, hash_of, is_chunk,
	       chunk_key);

/* Return the chunk, which may be new, or NULL: out of memory, or there are too many. */
static struct read_chunk *find_chunk(struct intervals *intervals, uint32_t dev, uint64_t number)
{
	struct request_key key = { dev, number };
	struct read_chunk *chunk;

	if (intervals->chunks.nr >= CHUNKS_MAX)
		return chunk_table_find(&intervals->chunks, key);
	chunk = chunk_table_place(&intervals->chunks, key);
	if (!chunk) {
		intervals->failed = true;
		return NULL;
	}
	if (!chunk->used) {
		*chunk = (struct read_chunk){ .used = true, .dev = dev, .number = number };
		intervals->chunks.nr++;
	}
	return chunk;
}

/* Note the sectors that the request reads. Return whether each of them was read before. */
static bool note_sectors(struct intervals *intervals, const struct request *r)
{
	uint64_t first = r->sector, end = r->sector + r->sectors;
	bool again = true;

	if (end <= first || r->sectors > MOST_SECTORS)
		return false;
	while (first < end) {
		struct read_chunk *chunk = find_chunk(intervals, r->dev, first / CHUNK_SECTORS);
		uint64_t next = first / CHUNK_SECTORS * CHUNK_SECTORS + CHUNK_SECTORS;
		uint64_t bits = UINT64_MAX << first % CHUNK_SECTORS;

		if (!next || next > end)
			bits &= UINT64_MAX >> (next - end);
		again &= chunk && (chunk->sectors & bits) == bits;
		if (chunk)
			chunk->sectors |= bits;
		if (!next)
			break;
		first = next;
	}
	return again;
}

/* ---- how many requests a device has */
static inline uint32_t device_key(const struct other_device *device)
{
	return device->dev;
}

static inline bool is_device(const struct other_device *device, uint32_t dev)
{
	return device->dev == dev;
}

HASH_FUNCTIONS(device_table, struct other_device, uint32_t, FIRST_SLOTS, hash_u32, is_device,
	       device_key);

static void note_other_device(struct intervals *intervals, uint32_t dev)
{
	struct other_device *device;

	if (intervals->other_devices.nr >= OTHER_DEVICES_MAX)
		return;
	device = device_table_place(&intervals->other_devices, dev);
	if (!device) {
		intervals->failed = true;
	} else if (!device->used) {
		*device = (struct other_device){ .used = true, .dev = dev };
		intervals->other_devices.nr++;
	}
}

unsigned int intervals_other_devices(const struct intervals *intervals)
{
	return intervals->other_devices.nr;
}

static struct interval_requests *find_device(struct intervals *intervals, uint32_t dev)
{
	for (unsigned int i = 0; i < intervals->nr_devices; i++)
		if (intervals->device[i].dev == dev)
			return &intervals->device[i];
	if (intervals->nr_devices == MAX_DEVICES) {
		note_other_device(intervals, dev);
		return NULL;
	}
	intervals->device[intervals->nr_devices] = (struct interval_requests){ .dev = dev };
	return &intervals->device[intervals->nr_devices++];
}

/* Update the counters: called before and after a change of a request's state. */
static void uncount(struct intervals *intervals, const struct request *r)
{
	struct interval_requests *device = find_device(intervals, r->dev);

	if (!device || r->counted_since != intervals->lossless_since)
		return;
	device->queued -= r->inserted && device->queued;
	device->issued -= r->issued && device->issued;
}

static void count(struct intervals *intervals, struct request *r)
{
	struct interval_requests *device = find_device(intervals, r->dev);

	if (!device)
		return;
	r->counted_since = intervals->lossless_since;
	device->queued += r->inserted != 0;
	device->issued += r->issued != 0;
}

void intervals_requests_forget(struct intervals *intervals)
{
	for (unsigned int i = 0; i < intervals->nr_devices; i++)
		intervals->device[i].queued = intervals->device[i].issued = 0;
}

unsigned int intervals_requests(const struct intervals *intervals,
				const struct interval_requests **requests)
{
	*requests = intervals->device;
	return intervals->nr_devices;
}

/* ---- events */
/* Flushes and commands have no sectors: they cannot be told from each other. */
static bool has_sectors(const struct event_context *m)
{
	return layout_number(m->layout, m->ev, REQUEST_SECTORS);
}

static uint32_t dev_of(const struct event_context *m)
{
	return layout_number(m->layout, m->ev, REQUEST_DEV);
}

static uint64_t sector_of(const struct event_context *m)
{
	return layout_number(m->layout, m->ev, REQUEST_SECTOR);
}

/* The kernel's letters: flags may be before that of the operation. */
static bool reads(const struct event_context *m)
{
	char rwbs[16];

	layout_text(m->layout, m->ev, REQUEST_RWBS, rwbs, sizeof(rwbs));
	return strchr(rwbs, 'R') && !strchr(rwbs, 'W');
}

/* "254,0 WS": the kernel's dev_t, and what the request does */
static const char *name_of(struct intervals *intervals, const struct event_context *m)
{
	uint32_t dev = dev_of(m);
	char text[48], rwbs[16];

	layout_text(m->layout, m->ev, REQUEST_RWBS, rwbs, sizeof(rwbs));
	snprintf(text, sizeof(text), "%u,%u %s", dev >> 20, dev & ((1 << 20) - 1), rwbs);
	return intervals_name(intervals, text);
}

/* The caller sets the end. */
static struct interval interval_of(const struct intervals *intervals, const struct request *r,
				   enum interval_kind kind, int cpu)
{

	return (struct interval){
		.kind = kind,
		.begin = kind == INTERVAL_BLOCK_QUEUE ? r->inserted : r->issued,
		.cpu = cpu,
		.pid = r->pid,
		.comm = intervals_comm(intervals, r->pid),
		.name = r->name,
		.dev = r->dev,
		.again = r->again,
		.device = intervals_device(intervals, r->dev),
		.bytes = (uint64_t)r->sectors * 512,
	};
}

static void pass_request(struct intervals *intervals, const struct request *r,
			 enum interval_kind kind, const struct event_context *m)
{
	struct interval interval = interval_of(intervals, r, kind, m->ev->cpu);

	interval.end = m->ev->ts;
	if (interval.begin && interval.name)
		intervals_pass(intervals, &interval, NULL);
}

static struct request *begin_request(struct intervals *intervals, const struct event_context *m)
{
	struct request *r = has_sectors(m) ? add_request(intervals, dev_of(m), sector_of(m)) : NULL;

	if (!r)
		return NULL;
	r->sectors = layout_number(m->layout, m->ev, REQUEST_SECTORS);
	r->name = name_of(intervals, m);
	return r;
}

void intervals_request_insert(struct intervals *intervals, const struct event_context *m)
{
	struct request *r = begin_request(intervals, m);

	if (!r)
		return;
	uncount(intervals, r);
	r->inserted = m->ev->ts;
	r->issued = 0;
	r->pid = m->pid;
	count(intervals, r);
}

void intervals_request_issue(struct intervals *intervals, const struct event_context *m)
{
	struct request *r = begin_request(intervals, m);

	if (!r)
		return;
	/* A worker of the kernel may issue what a task has inserted. */
	if (!r->inserted)
		r->pid = m->pid;
	if (!r->was_issued)
		r->again = reads(m) && note_sectors(intervals, r);
	r->was_issued = true;
	pass_request(intervals, r, INTERVAL_BLOCK_QUEUE, m);
	uncount(intervals, r);
	r->inserted = 0;
	r->issued = m->ev->ts;
	count(intervals, r);
}

void intervals_request_complete(struct intervals *intervals, const struct event_context *m)
{
	struct request *r = find_request(intervals, dev_of(m), sector_of(m)), rest;
	uint64_t sectors = layout_number(m->layout, m->ev, REQUEST_SECTORS);

	if (!r || !sectors)
		return;
	if (sectors < r->sectors) {
		rest = *r;
		rest.sector += sectors;
		rest.sectors -= sectors;
		uncount(intervals, r);
		request_table_remove(&intervals->requests, r);
		r = add_request(intervals, rest.dev, rest.sector);
		if (!r)
			return;
		uncount(intervals, r);
		*r = rest;
		count(intervals, r);
		return;
	}
	pass_request(intervals, r, INTERVAL_BLOCK_DEVICE, m);
	uncount(intervals, r);
	request_table_remove(&intervals->requests, r);
}

/* The driver gives the request back to the queue. */
void intervals_request_requeue(struct intervals *intervals, const struct event_context *m)
{
	struct request *r = find_request(intervals, dev_of(m), sector_of(m));

	if (!r)
		return;
	uncount(intervals, r);
	r->inserted = m->ev->ts;
	r->issued = 0;
	count(intervals, r);
}

static void pass_unfinished(struct intervals *intervals, const struct request *r,
			    enum interval_kind kind, enum layout_role end)
{
	/* It is not known which CPU will complete it. */
	struct interval interval = interval_of(intervals, r, kind, -1);

	if (interval.begin && interval.name)
		intervals_pass_unfinished(intervals, &interval, NULL, end);
}

static int by_key(const void *a, const void *b)
{
	const struct request *x = *(const struct request *const *)a;
	const struct request *y = *(const struct request *const *)b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (x->sector > y->sector) - (x->sector < y->sector);
}

void intervals_requests_end(struct intervals *intervals)
{
	struct request **sorted = hash_sorted(&intervals->requests, by_key);

	if (!sorted) {
		intervals->failed = true;
		return;
	}
	for (size_t i = 0; i < intervals->requests.nr; i++) {
		pass_unfinished(intervals, sorted[i], INTERVAL_BLOCK_QUEUE, ROLE_ISSUE);
		pass_unfinished(intervals, sorted[i], INTERVAL_BLOCK_DEVICE, ROLE_COMPLETE);
	}
	free(sorted);
}
