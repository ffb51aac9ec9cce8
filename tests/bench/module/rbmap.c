// SPDX-License-Identifier: GPL-2.0-only
/* rbmap's ring */
#include <linux/err.h>
#include <rbmap/buffer.h>

#include "bench.h"

static struct rbmap_buffer *ring;

static __always_inline void write_inline(size_t size)
{
	struct rbmap_reservation r rbmap_uninitialized;
	void *payload = rbmap_reserve(ring, &r, size);

	if (payload) {
		memcpy(payload, bench_payload, size);
		rbmap_commit(&r);
	}
}

static __always_inline void write_calls(size_t size)
{
	struct rbmap_reservation r rbmap_uninitialized;
	void *payload = rbmap_reserve_noinline(ring, &r, size);

	if (payload) {
		memcpy(payload, bench_payload, size);
		rbmap_commit_noinline(&r);
	}
}

static __always_inline void write_whole(size_t size)
{
	rbmap_write(ring, bench_payload, size);
}

static __always_inline void write_discarded(size_t size)
{
	struct rbmap_reservation r rbmap_uninitialized;
	void *payload = rbmap_reserve(ring, &r, size);

	if (payload) {
		memcpy(payload, bench_payload, size);
		rbmap_discard(&r);
	}
}

BENCH_SIZES(inlined, write_inline)
BENCH_SIZES(calls, write_calls)
BENCH_SIZES(write, write_whole)
BENCH_WAY(discarded, 16, write_discarded)
BENCH_ONCE(write_inline)

static const struct bench_way ways[] = {
	BENCH_ENTRIES(inlined),
	BENCH_ENTRIES(calls),
	BENCH_ENTRIES(write),
	BENCH_ENTRY(discarded, 16),
	{ }
};

static int begin(const struct bench_ring *wanted)
{
	const struct rbmap_buffer_config config = {
		.size_kb = wanted->kb,
		.subbuf_size_kb = wanted->subbuf_kb,
		.mode = wanted->overwrite ? RBMAP_MODE_OVERWRITE :
					    RBMAP_MODE_DISCARD,
		.clock = wanted->tsc ? RBMAP_CLOCK_X86_TSC : RBMAP_CLOCK_LOCAL,
		.raw = true,
	};

	int err;

	if (ring)
		return -EBUSY;
	ring = rbmap_buffer_create("bench", &config);
	err = PTR_ERR_OR_ZERO(ring);
	if (err)
		ring = NULL;
	return err;
}

static void end(void)
{
	rbmap_buffer_destroy(ring);
	ring = NULL;
}

static void *reserve(struct bench_room *room, size_t size)
{
	BUILD_BUG_ON(sizeof(struct rbmap_reservation) > sizeof(*room));
	return rbmap_reserve(ring, (struct rbmap_reservation *)room, size);
}

static void commit(struct bench_room *room)
{
	rbmap_commit((struct rbmap_reservation *)room);
}

const struct bench_rival bench_rbmap = {
	.name = "rbmap", .begin = begin, .end = end, .reserve = reserve,
	.commit = commit, .once = once, .ways = ways,
};
