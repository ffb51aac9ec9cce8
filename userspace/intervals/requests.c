// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of block devices. block_rq_insert puts one into the queue of a scheduler,
 * block_rq_issue passes it to the driver, and block_rq_complete ends it, or its first
 * sectors. A request is found by its device and its first sector.
 */
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"

#define FIRST_SLOTS	256	/* a power of two */

static size_t slot_of(uint32_t dev, uint64_t sector, size_t nr_slots)
{
	uint64_t hash = (sector ^ (uint64_t)dev << 40) * 0x9e3779b97f4a7c15ULL;

	return hash >> 32 & (nr_slots - 1);
}

/* Return the slot of a request, or the free slot where it belongs. */
static struct request *find_slot(struct request *request, size_t nr_slots, uint32_t dev,
				 uint64_t sector)
{
	size_t i = slot_of(dev, sector, nr_slots);

	while (request[i].used && (request[i].dev != dev || request[i].sector != sector))
		i = (i + 1) & (nr_slots - 1);
	return &request[i];
}

static bool grow(struct intervals *intervals)
{
	size_t nr = intervals->nr_request_slots ? 2 * intervals->nr_request_slots : FIRST_SLOTS;
	struct request *more = calloc(nr, sizeof(*more)), *r;

	if (!more)
		return false;
	for (size_t i = 0; i < intervals->nr_request_slots; i++) {
		r = &intervals->request[i];
		if (r->used)
			*find_slot(more, nr, r->dev, r->sector) = *r;
	}
	free(intervals->request);
	intervals->request = more;
	intervals->nr_request_slots = nr;
	return true;
}

static struct request *find_request(struct intervals *intervals, uint32_t dev, uint64_t sector)
{
	struct request *r;

	if (!intervals->nr_request_slots)
		return NULL;
	r = find_slot(intervals->request, intervals->nr_request_slots, dev, sector);
	return r->used ? r : NULL;
}

/* Return the request, which may be new, or NULL: out of memory. */
static struct request *add_request(struct intervals *intervals, uint32_t dev, uint64_t sector)
{
	struct request *r;

	if (2 * intervals->nr_requests >= intervals->nr_request_slots && !grow(intervals)) {
		intervals->failed = true;
		return NULL;
	}
	r = find_slot(intervals->request, intervals->nr_request_slots, dev, sector);
	if (!r->used) {
		*r = (struct request){ .used = true, .dev = dev, .sector = sector };
		intervals->nr_requests++;
	}
	return r;
}

/* Requests behind a free slot must still be found. */
static void remove_request(struct intervals *intervals, struct request *gone)
{
	size_t mask = intervals->nr_request_slots - 1, i = gone - intervals->request;
	struct request moved;

	intervals->request[i].used = false;
	intervals->nr_requests--;
	for (i = (i + 1) & mask; intervals->request[i].used; i = (i + 1) & mask) {
		moved = intervals->request[i];
		intervals->request[i].used = false;
		*find_slot(intervals->request, intervals->nr_request_slots, moved.dev,
			   moved.sector) = moved;
	}
}

/* ---- how many requests a device has */
static struct interval_requests *find_device(struct intervals *intervals, uint32_t dev)
{
	for (unsigned int i = 0; i < intervals->nr_devices; i++)
		if (intervals->device[i].dev == dev)
			return &intervals->device[i];
	if (intervals->nr_devices == MAX_DEVICES)
		return NULL;
	intervals->device[intervals->nr_devices] = (struct interval_requests){ .dev = dev };
	return &intervals->device[intervals->nr_devices++];
}

/* Count a request before it goes from one state to the other, and behind that. */
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
		.bytes = (uint64_t)r->sectors * 512,
	};
}

static void pass_request(struct intervals *intervals, const struct request *r,
			 enum interval_kind kind, const struct event_context *m)
{
	struct interval interval = interval_of(intervals, r, kind, m->ev->cpu);

	interval.end = m->ev->ts;
	if (interval.begin && interval.name)
		intervals_pass(intervals, &interval, intervals->lossless_since);
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
		remove_request(intervals, r);
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
	remove_request(intervals, r);
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
		intervals_pass_unfinished(intervals, &interval, intervals->lossless_since, end);
}

void intervals_requests_end(struct intervals *intervals)
{
	for (size_t i = 0; i < intervals->nr_request_slots; i++) {
		if (!intervals->request[i].used)
			continue;
		pass_unfinished(intervals, &intervals->request[i], INTERVAL_BLOCK_QUEUE,
				ROLE_ISSUE);
		pass_unfinished(intervals, &intervals->request[i], INTERVAL_BLOCK_DEVICE,
				ROLE_COMPLETE);
	}
}
