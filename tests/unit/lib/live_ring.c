// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include <rbmap/ring/reserve.h>

#include "live_ring.h"

#define META_SIZE	4096

static __thread u64 time_now;

u64 rb_clock(u32 clock)
{
	(void)clock;
	return time_now;
}

static void closed(struct rbmap_ring *ring)
{
	(void)ring;
}

static const struct rbmap_ring_ops ops = { .closed = closed };

size_t live_size(uint64_t number)
{
	return 8 + number * 7919 % (LIVE_MAX - 8);
}

void live_fill(unsigned char *data, uint64_t number)
{
	size_t size = live_size(number), i;

	memcpy(data, &number, sizeof(number));
	for (i = sizeof(number); i < size; i++)
		data[i] = number * 31 + i;
}

static void *zeroed(size_t size)
{
	void *p = aligned_alloc(64, ALIGN(size, 64));

	if (!p)
		abort();
	return memset(p, 0, ALIGN(size, 64));
}

struct live_ring *live_new(unsigned int slots, size_t subbuf_size, bool discard,
			   uint64_t before_wrap, uint32_t generation)
{
	struct live_ring *live = zeroed(sizeof(*live));
	u64 modulus = rbmap_seq_modulus(slots);
	struct rbmap_ring_config config = {
		.nr_slots	= slots,
		.subbuf_size	= subbuf_size,
		.mode		= discard ? RBMAP_MODE_DISCARD :
					    RBMAP_MODE_OVERWRITE,
		.subbuf		= zeroed((slots + 1) *
					 sizeof(struct rbmap_ring_subbuf)),
		.slot		= zeroed(slots * sizeof(u64)),
		.slot_table		= zeroed(rbmap_slot_table_size(slots)),
		.ops		= &ops,
		.first_seq	= before_wrap ? modulus - before_wrap : 0,
	};
	unsigned int i;

	live->data = zeroed((slots + 1) * subbuf_size);
	for (i = 0; i <= slots; i++)
		config.subbuf[i].header = (void *)(live->data +
						   i * subbuf_size);
	live->ring = zeroed(sizeof(struct rbmap_ring));
	live->slot_table = config.slot_table;
	rbmap_ring_init(live->ring, &config);
	live->meta = zeroed(META_SIZE);
	*live->meta = (struct rbmap_meta) {
		.meta_page_size	= META_SIZE,
		.meta_struct_len = sizeof(*live->meta),
		.subbuf_size	= subbuf_size,
		.nr_subbufs	= slots + 1,
		.magic		= RBMAP_META_MAGIC,
		.version	= RBMAP_META_VERSION,
		.generation	= generation,
		.slot_table_size	= rbmap_slot_table_size(slots),
		.first_seq	= config.first_seq,
	};
	return live;
}

void live_free(struct live_ring *live)
{
	struct rbmap_ring *ring = live->ring;

	free(ring->subbuf);
	free(ring->slot);
	free(live->slot_table);
	free(live->ring);
	free(live->data);
	free(live->meta);
	free(live);
}

bool live_emit(struct live_ring *live, uint64_t number)
{
	return live_emit_at(live, number, number);
}

bool live_emit_at(struct live_ring *live, uint64_t number, uint64_t time)
{
	struct rbmap_ring *ring = live->ring;
	struct rbmap_event_common common = { .type = 1 };
	struct rbmap_reservation room;
	enum rbmap_drop drop = RBMAP_DROP_NESTED;
	size_t size = sizeof(common) + live_size(number);
	u8 *payload;

	time_now = time;
	payload = rbmap_ring_reserve_fast(ring, rbmap_event_len(size), 0, false, &room);
	if (!payload)
		payload = rbmap_ring_reserve(ring, size, &room, &drop);
	if (!payload) {
		rbmap_ring_drop(ring, drop);
		return false;
	}
	memcpy(payload, &common, sizeof(common));
	live_fill(payload + sizeof(common), number);
	rbmap_ring_commit(ring, &room);
	return true;
}

uint64_t live_read(struct live_ring *live)
{
	struct rbmap_ring *ring = live->ring;
	u64 read = ring->reader.read;
	enum rbmap_get took = rbmap_ring_get(ring);

	if (took == RBMAP_GET_NEXT || took == RBMAP_GET_MORE)
		rbmap_ring_consume(ring, ring->reader.offset +
				   rbmap_ring_unread(ring));
	return ring->reader.read - read;
}

void live_close(struct live_ring *live)
{
	struct rbmap_ring *ring = live->ring;

	rbmap_ring_close(ring, rbmap_commit_seq(ring->commit));
}
