// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib_device.h"

#define DATA_SIZE	(FUZZ_NR * FUZZ_SUBBUF)
#define TABLE_SIZE	rbmap_observer_size(FUZZ_NR)

/* The memory that changes, one area after the other */
static unsigned char *place(const struct fuzz_device *d, size_t at, size_t *room)
{
	const struct {
		unsigned char *start;
		size_t size;
	} area[] = {
		{ d->memory, RBMAP_META_TRACE_LEN },
		{ d->memory + FUZZ_META, DATA_SIZE },
		{ d->slot_table, d->slot_table ? TABLE_SIZE : 0 },
	};
	unsigned int i = 0;

	while (at >= area[i].size)
		at -= area[i++].size;
	*room = area[i].size - at;
	return area[i].start + at;
}

/* A piece of the input says how many of its bytes to copy, and to which place. */
bool fuzz_device_change(struct fuzz_device *d)
{
	size_t all = RBMAP_META_TRACE_LEN + DATA_SIZE + (d->slot_table ? TABLE_SIZE : 0);
	size_t len, room;
	unsigned char *to;

	if (d->size < 3)
		return false;
	to = place(d, (d->data[0] | d->data[1] << 8) % all, &room);
	len = d->data[2] % 32;
	d->data += 3;
	d->size -= 3;
	if (len > d->size)
		len = d->size;
	memcpy(to, d->data, len < room ? len : room);
	d->data += len;
	d->size -= len;
	return true;
}

static int get_reader(struct rbmap_map *map)
{
	return fuzz_device_change((struct fuzz_device *)map) ? 0 : -EAGAIN;
}

static void close_map(struct rbmap_map *map)
{
	rbmap_observer_free(map);
}

static const struct rbmap_transport transport = {
	.get_reader	= get_reader,
	.close		= close_map,
};

void fuzz_device_begin(struct fuzz_device *d, int cpu, const uint8_t *data, size_t size)
{
	struct rbmap_meta *meta;

	*d = (struct fuzz_device){ .data = data, .size = size };
	d->memory = calloc(1, FUZZ_META + DATA_SIZE);
	meta = (struct rbmap_meta *)d->memory;
	meta->meta_page_size = FUZZ_META;
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = FUZZ_SUBBUF;
	meta->nr_subbufs = FUZZ_NR;
	meta->magic = RBMAP_META_MAGIC;
	meta->version = RBMAP_META_VERSION;
	meta->generation = 1;
	if (rbmap_map_init(&d->map, meta, FUZZ_META))
		abort();
	d->map.transport = &transport;
	d->map.data = d->memory + FUZZ_META;
	d->map.fd = d->map.wake_fd = -1;
	d->map.cpu = cpu;
}

void fuzz_device_observe(struct fuzz_device *d, int cpu, const uint8_t *data, size_t size)
{
	struct rbmap_slot_table *table;

	fuzz_device_begin(d, cpu, data, size);
	d->slot_table = calloc(1, TABLE_SIZE);
	table = (struct rbmap_slot_table *)d->slot_table;
	table->modulus = 1ULL << 20;
	table->newest = FUZZ_NR - 2;
	for (unsigned int i = 0; i < FUZZ_NR - 1; i++)
		table->slot[i].slot = RBMAP_TABLE_SLOT(i, i + 1);
	if (rbmap_observer_new(&d->map) ||
	    rbmap_observer_init(&d->map, table))
		abort();
}

void fuzz_device_end(struct fuzz_device *d)
{
	free(d->memory);
	free(d->slot_table);
}

void fuzz_device_check_event(const struct fuzz_device *d, const struct rbmap_event *ev)
{
	const uint8_t *payload = ev->data;
	volatile uint8_t sum = 0;

	/* AddressSanitizer checks the copy of an observer. */
	if (!d->slot_table && (payload < d->map.data ||
			       payload + ev->size > d->map.data + DATA_SIZE))
		abort();
	for (uint32_t i = 0; i < ev->size; i++)
		sum ^= payload[i];
	(void)sum;
}
