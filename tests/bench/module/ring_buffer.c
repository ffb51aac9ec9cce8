// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's ring, called by its exported functions */
#include <linux/errno.h>
#include <linux/ring_buffer.h>

#include "bench.h"

static struct trace_buffer *ring;

/* Kernels before 6.4 also take the event; later ones ignore the second argument. */
int unlock_commit(struct trace_buffer *buffer, struct ring_buffer_event *event)
	asm("ring_buffer_unlock_commit");

static __always_inline void write_calls(size_t size)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(ring, size);

	if (event) {
		memcpy(ring_buffer_event_data(event), bench_payload, size);
		unlock_commit(ring, event);
	}
}

static __always_inline void write_whole(size_t size)
{
	ring_buffer_write(ring, size, bench_payload);
}

static __always_inline void write_discarded(size_t size)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(ring, size);

	if (event) {
		memcpy(ring_buffer_event_data(event), bench_payload, size);
		ring_buffer_discard_commit(ring, event);
	}
}

BENCH_SIZES(calls, write_calls)
BENCH_SIZES(write, write_whole)
BENCH_WAY(discarded, 16, write_discarded)
BENCH_ONCE(write_calls)

static const struct bench_way ways[] = {
	BENCH_ENTRIES(calls),
	BENCH_ENTRIES(write),
	BENCH_ENTRY(discarded, 16),
	{ }
};

/* Modules cannot choose the size of sub-buffers or the clock. */
static int begin(const struct bench_ring *wanted)
{
	ring = ring_buffer_alloc(wanted->kb << 10,
				 wanted->overwrite ? RB_FL_OVERWRITE : 0);
	return ring ? 0 : -ENOMEM;
}

static void end(void)
{
	ring_buffer_free(ring);
}

static void disable(void)
{
	ring_buffer_record_disable(ring);
}

static void *reserve(struct bench_room *room, size_t size)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(ring, size);

	room->words[0] = (unsigned long)event;
	return event ? ring_buffer_event_data(event) : NULL;
}

static void commit(struct bench_room *room)
{
	unlock_commit(ring, (struct ring_buffer_event *)room->words[0]);
}

const struct bench_rival bench_ring_buffer = {
	.name = "ring_buffer", .begin = begin, .end = end,
	.disable = disable, .reserve = reserve, .commit = commit,
	.once = once, .ways = ways,
};
