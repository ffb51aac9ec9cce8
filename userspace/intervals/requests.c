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

static bool grow(struct intervals *iv)
{
	size_t nr = iv->nr_request_slots ? 2 * iv->nr_request_slots : FIRST_SLOTS;
	struct request *more = calloc(nr, sizeof(*more)), *r;

	if (!more)
		return false;
	for (size_t i = 0; i < iv->nr_request_slots; i++) {
		r = &iv->request[i];
		if (r->used)
			*find_slot(more, nr, r->dev, r->sector) = *r;
	}
	free(iv->request);
	iv->request = more;
	iv->nr_request_slots = nr;
	return true;
}

static struct request *find_request(struct intervals *iv, uint32_t dev, uint64_t sector)
{
	struct request *r;

	if (!iv->nr_request_slots)
		return NULL;
	r = find_slot(iv->request, iv->nr_request_slots, dev, sector);
	return r->used ? r : NULL;
}

/* Return the request, which may be new, or NULL: out of memory. */
static struct request *add_request(struct intervals *iv, uint32_t dev, uint64_t sector)
{
	struct request *r;

	if (2 * iv->nr_requests >= iv->nr_request_slots && !grow(iv)) {
		iv->failed = true;
		return NULL;
	}
	r = find_slot(iv->request, iv->nr_request_slots, dev, sector);
	if (!r->used) {
		*r = (struct request){ .used = true, .dev = dev, .sector = sector };
		iv->nr_requests++;
	}
	return r;
}

/* Requests behind a free slot must still be found. */
static void remove_request(struct intervals *iv, struct request *gone)
{
	size_t mask = iv->nr_request_slots - 1, i = gone - iv->request;
	struct request moved;

	iv->request[i].used = false;
	iv->nr_requests--;
	for (i = (i + 1) & mask; iv->request[i].used; i = (i + 1) & mask) {
		moved = iv->request[i];
		iv->request[i].used = false;
		*find_slot(iv->request, iv->nr_request_slots, moved.dev, moved.sector) = moved;
	}
}

/* ---- how many requests a device has */
static struct interval_requests *find_device(struct intervals *iv, uint32_t dev)
{
	for (unsigned int i = 0; i < iv->nr_devices; i++)
		if (iv->device[i].dev == dev)
			return &iv->device[i];
	if (iv->nr_devices == MAX_DEVICES)
		return NULL;
	iv->device[iv->nr_devices] = (struct interval_requests){ .dev = dev };
	return &iv->device[iv->nr_devices++];
}

/* Count a request before it goes from one state to the other, and behind that. */
static void uncount(struct intervals *iv, const struct request *r)
{
	struct interval_requests *device = find_device(iv, r->dev);

	if (!device || r->counted_since != iv->lossless_since)
		return;
	device->queued -= r->inserted && device->queued;
	device->issued -= r->issued && device->issued;
}

static void count(struct intervals *iv, struct request *r)
{
	struct interval_requests *device = find_device(iv, r->dev);

	if (!device)
		return;
	r->counted_since = iv->lossless_since;
	device->queued += r->inserted != 0;
	device->issued += r->issued != 0;
}

void intervals_requests_forget(struct intervals *iv)
{
	for (unsigned int i = 0; i < iv->nr_devices; i++)
		iv->device[i].queued = iv->device[i].issued = 0;
}

unsigned int intervals_requests(const struct intervals *iv,
				const struct interval_requests **requests)
{
	*requests = iv->device;
	return iv->nr_devices;
}

/* ---- events */
/* Flushes and commands have no sectors: they cannot be told from each other. */
static bool has_sectors(const struct moment_of *m)
{
	return layout_number(m->layout, m->ev, REQUEST_SECTORS);
}

static uint32_t dev_of(const struct moment_of *m)
{
	return layout_number(m->layout, m->ev, REQUEST_DEV);
}

static uint64_t sector_of(const struct moment_of *m)
{
	return layout_number(m->layout, m->ev, REQUEST_SECTOR);
}

/* "254,0 WS": the kernel's dev_t, and what the request does */
static const char *name_of(struct intervals *iv, const struct moment_of *m)
{
	uint32_t dev = dev_of(m);
	char text[48], rwbs[16];

	layout_text(m->layout, m->ev, REQUEST_RWBS, rwbs, sizeof(rwbs));
	snprintf(text, sizeof(text), "%u,%u %s", dev >> 20, dev & ((1 << 20) - 1), rwbs);
	return intervals_name(iv, text);
}

/* The caller sets the end. */
static struct interval interval_of(const struct intervals *iv, const struct request *r,
				   enum interval_kind kind, int cpu)
{

	return (struct interval){
		.kind = kind,
		.begin = kind == INTERVAL_BLOCK_QUEUE ? r->inserted : r->issued,
		.cpu = cpu,
		.pid = r->pid,
		.comm = intervals_comm(iv, r->pid),
		.name = r->name,
		.dev = r->dev,
		.bytes = (uint64_t)r->sectors * 512,
	};
}

static void pass_request(struct intervals *iv, const struct request *r,
			 enum interval_kind kind, const struct moment_of *m)
{
	struct interval interval = interval_of(iv, r, kind, m->ev->cpu);

	interval.end = m->ev->ts;
	if (interval.begin && interval.name)
		intervals_pass(iv, &interval, iv->lossless_since);
}

static struct request *begin_request(struct intervals *iv, const struct moment_of *m)
{
	struct request *r = has_sectors(m) ? add_request(iv, dev_of(m), sector_of(m)) : NULL;

	if (!r)
		return NULL;
	r->sectors = layout_number(m->layout, m->ev, REQUEST_SECTORS);
	r->name = name_of(iv, m);
	return r;
}

void intervals_request_insert(struct intervals *iv, const struct moment_of *m)
{
	struct request *r = begin_request(iv, m);

	if (!r)
		return;
	uncount(iv, r);
	r->inserted = m->ev->ts;
	r->issued = 0;
	r->pid = m->pid;
	count(iv, r);
}

void intervals_request_issue(struct intervals *iv, const struct moment_of *m)
{
	struct request *r = begin_request(iv, m);

	if (!r)
		return;
	/* A worker of the kernel may issue what a task has inserted. */
	if (!r->inserted)
		r->pid = m->pid;
	pass_request(iv, r, INTERVAL_BLOCK_QUEUE, m);
	uncount(iv, r);
	r->inserted = 0;
	r->issued = m->ev->ts;
	count(iv, r);
}

void intervals_request_complete(struct intervals *iv, const struct moment_of *m)
{
	struct request *r = find_request(iv, dev_of(m), sector_of(m)), rest;
	uint64_t sectors = layout_number(m->layout, m->ev, REQUEST_SECTORS);

	if (!r || !sectors)
		return;
	if (sectors < r->sectors) {
		rest = *r;
		rest.sector += sectors;
		rest.sectors -= sectors;
		uncount(iv, r);
		remove_request(iv, r);
		r = add_request(iv, rest.dev, rest.sector);
		if (!r)
			return;
		uncount(iv, r);
		*r = rest;
		count(iv, r);
		return;
	}
	pass_request(iv, r, INTERVAL_BLOCK_DEVICE, m);
	uncount(iv, r);
	remove_request(iv, r);
}

/* The driver gives the request back to the queue. */
void intervals_request_requeue(struct intervals *iv, const struct moment_of *m)
{
	struct request *r = find_request(iv, dev_of(m), sector_of(m));

	if (!r)
		return;
	uncount(iv, r);
	r->inserted = m->ev->ts;
	r->issued = 0;
	count(iv, r);
}

static void pass_unfinished(struct intervals *iv, const struct request *r,
			    enum interval_kind kind, enum layout_role end)
{
	/* It is not known which CPU will complete it. */
	struct interval interval = interval_of(iv, r, kind, -1);

	if (interval.begin && interval.name)
		intervals_pass_unfinished(iv, &interval, iv->lossless_since, end);
}

void intervals_requests_end(struct intervals *iv)
{
	for (size_t i = 0; i < iv->nr_request_slots; i++) {
		if (!iv->request[i].used)
			continue;
		pass_unfinished(iv, &iv->request[i], INTERVAL_BLOCK_QUEUE, ROLE_ISSUE);
		pass_unfinished(iv, &iv->request[i], INTERVAL_BLOCK_DEVICE, ROLE_COMPLETE);
	}
}
