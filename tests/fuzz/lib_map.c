// SPDX-License-Identifier: GPL-2.0-only
/*
 * A map whose fake kernel writes arbitrary bytes into the meta-page and the
 * sub-buffers at each GET_READER. Events must lie within the map, and calls
 * must end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/lib/internal.h"

#define META	4096
#define SUBBUF	128
#define NR	4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct device {
	struct rbmap_map map;
	unsigned char *memory;
	const uint8_t *data;
	size_t size;
};

/* A piece of the input says how many of its bytes to copy, and to which place. */
static int get_reader(struct rbmap_map *map)
{
	struct device *d = (struct device *)map;
	size_t at, len;

	if (d->size < 3)
		return -EAGAIN;
	at = (d->data[0] | d->data[1] << 8) % (RBMAP_META_TRACE_LEN +
					       NR * SUBBUF);
	len = d->data[2] % 32;
	d->data += 3;
	d->size -= 3;
	if (len > d->size)
		len = d->size;
	if (at < RBMAP_META_TRACE_LEN) {
		if (len > RBMAP_META_TRACE_LEN - at)
			len = RBMAP_META_TRACE_LEN - at;
		memcpy(d->memory + at, d->data, len);
	} else {
		at -= RBMAP_META_TRACE_LEN;
		if (len > NR * SUBBUF - at)
			len = NR * SUBBUF - at;
		memcpy(d->memory + META + at, d->data, len);
	}
	d->data += len;
	d->size -= len;
	return 0;
}

static const struct rbmap_transport transport = {
	.get_reader	= get_reader,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct device d = { .data = data, .size = size };
	volatile uint8_t sum = 0;
	struct rbmap_event ev;
	struct rbmap_loss loss;
	struct rbmap_meta *meta;

	d.memory = malloc(META + NR * SUBBUF);
	memset(d.memory, 0, META + NR * SUBBUF);
	meta = (struct rbmap_meta *)d.memory;
	meta->meta_page_size = META;
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = SUBBUF;
	meta->nr_subbufs = NR;
	meta->magic = RBMAP_META_MAGIC;
	meta->version = RBMAP_META_VERSION;
	if (rbmap_map_init(&d.map, meta, META))
		abort();
	d.map.transport = &transport;
	d.map.data = d.memory + META;

	/* Without further input nothing changes, so the rest of the map is finite. */
	for (unsigned int turn = 0; d.size >= 3 || turn < 2 * SUBBUF; turn++) {
		if (d.size >= 3)
			turn = 0;
		if (rbmap_next_event(&d.map, &ev) == 1) {
			const uint8_t *payload = ev.data;

			if (payload < d.map.data ||
			    payload + ev.size > d.map.data + NR * SUBBUF)
				abort();
			for (uint32_t i = 0; i < ev.size; i++)
				sum ^= payload[i];
		}
	}
	rbmap_loss(&d.map, &loss);
	(void)sum;
	free(d.memory);
	return 0;
}
