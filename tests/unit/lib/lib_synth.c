// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib_synth.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define DELTA_MAX	((1u << RBMAP_TS_SHIFT) - 1)
#define META_SIZE	4096

uint64_t rng_next(struct rng *rng)
{
	uint64_t x = rng->state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

uint64_t rng_below(struct rng *rng, uint64_t limit)
{
	return rng_next(rng) % limit;
}

uint64_t test_seed(uint64_t otherwise)
{
	const char *seed = getenv("RBMAP_TEST_SEED");

	return seed ? strtoull(seed, NULL, 0) : otherwise;
}

void synth_begin(struct synth *s, void *subbuf, size_t size, uint64_t ts)
{
	s->subbuf = subbuf;
	s->size = size;
	s->at = 0;
	s->ts = ts;
	memset(subbuf, 0, HEAD);
	memcpy(subbuf, &ts, sizeof(ts));
}

size_t synth_left(const struct synth *s)
{
	return s->size - HEAD - s->at;
}

void synth_raw(struct synth *s, uint32_t word)
{
	memcpy(s->subbuf + HEAD + s->at, &word, sizeof(word));
	s->at += sizeof(word);
}

void synth_word(struct synth *s, uint32_t type_len, uint32_t delta)
{
	synth_raw(s, type_len | delta << 5);
}

static size_t data_bytes(size_t size)
{
	size_t words = (size + 3) / 4;

	return words && words <= RBMAP_TYPE_LEN_MAX ? 4 + 4 * words :
						      8 + 4 * words;
}

static void put_data(struct synth *s, uint32_t delta, const void *data,
		     size_t size)
{
	size_t words = (size + 3) / 4;

	if (words && words <= RBMAP_TYPE_LEN_MAX) {
		synth_word(s, words, delta);
	} else {
		synth_word(s, 0, delta);
		synth_raw(s, 4 * words + 4);
	}
	memset(s->subbuf + HEAD + s->at, 0, 4 * words);
	memcpy(s->subbuf + HEAD + s->at, data, size);
	s->at += 4 * words;
}

bool synth_event(struct synth *s, uint64_t ts, const void *data, size_t size)
{
	uint64_t delta = ts - s->ts;

	if (synth_left(s) < data_bytes(size) + (delta > DELTA_MAX ? 8 : 0))
		return false;
	if (delta > DELTA_MAX) {
		synth_word(s, RBMAP_TYPE_TIME_EXTEND, delta & DELTA_MAX);
		synth_raw(s, delta >> RBMAP_TS_SHIFT);
		delta = 0;
	}
	put_data(s, delta, data, size);
	s->ts = ts;
	return true;
}

bool synth_event_absolute(struct synth *s, uint64_t ts, const void *data,
			  size_t size)
{
	if (synth_left(s) < data_bytes(size) + 8)
		return false;
	synth_word(s, RBMAP_TYPE_TIME_STAMP, ts & DELTA_MAX);
	synth_raw(s, (ts & ((1ULL << 59) - 1)) >> RBMAP_TS_SHIFT);
	put_data(s, 0, data, size);
	s->ts = ts;
	return true;
}

bool synth_padding(struct synth *s, uint32_t delta, size_t bytes)
{
	if (synth_left(s) < bytes)
		return false;
	synth_word(s, RBMAP_TYPE_PADDING, delta);
	synth_raw(s, bytes - 4);
	memset(s->subbuf + HEAD + s->at, 0xa5, bytes - 8);
	s->at += bytes - 8;
	s->ts += delta;
	return true;
}

void synth_commit(struct synth *s, unsigned long flags, unsigned long lost)
{
	unsigned long commit = s->at | flags;

	if (flags & RBMAP_MISSED_STORED)
		memcpy(s->subbuf + HEAD + s->at, &lost, sizeof(lost));
	memcpy(s->subbuf + 8, &commit, sizeof(commit));
}

static unsigned char *fake_subbuf(struct fake_ring *ring, uint32_t id)
{
	return ring->memory + META_SIZE + id * ring->map.subbuf_size;
}

static struct rbmap_subbuf_header *fake_header(struct fake_ring *ring,
					       uint32_t id)
{
	return (struct rbmap_subbuf_header *)fake_subbuf(ring, id);
}

/* Swap the reader's sub-buffer for the oldest one, and count the lost events. */
static bool fake_swap(struct fake_ring *ring)
{
	struct fake_slot taken = ring->slot[0];
	unsigned long commit, lost = taken.first - ring->reader_end;
	struct rbmap_subbuf_header *header;

	if (!ring->nr_used || !taken.events)
		return false;
	ring->spare[ring->nr_spare++] = ring->meta->reader.id;
	memmove(ring->slot, ring->slot + 1,
		--ring->nr_used * sizeof(*ring->slot));
	ring->writer_with_reader = !ring->nr_used;
	ring->reader_end = taken.first + taken.events;
	ring->meta->reader.id = taken.id;
	ring->meta->reader.read = 0;
	ring->meta->reader.lost_events = lost;
	ring->meta->lost_reported += lost;
	header = fake_header(ring, taken.id);
	commit = header->commit;
	if (lost && !ring->writer_with_reader) {
		header->commit |= RBMAP_MISSED_EVENTS;
		if (ring->map.subbuf_size - HEAD - commit >= sizeof(lost)) {
			header->commit |= RBMAP_MISSED_STORED;
			memcpy(fake_subbuf(ring, taken.id) + HEAD + commit,
			       &lost, sizeof(lost));
		}
	}
	return true;
}

/* Return the number of events behind @from bytes of a sub-buffer. */
static uint64_t fake_events_from(struct fake_ring *ring, uint32_t id, size_t from)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	uint64_t nr = 0;

	while (rbmap_decode(fake_subbuf(ring, id), ring->map.subbuf_size, &cursor,
			    &ev) == 1)
		nr += cursor.offset > from;
	return nr;
}

static int fake_get_reader(struct rbmap_map *map)
{
	struct fake_ring *ring = (struct fake_ring *)map;
	struct rbmap_meta *meta = ring->meta;
	uint64_t value;
	size_t held, from;

	ring->calls++;
	if (ring->clock)
		meta->now = ring->clock();
	if (ring->error)
		return ring->error;
	held = fake_header(ring, meta->reader.id)->commit & RBMAP_COMMIT_MASK;
	if (ring->next_slots && held == meta->reader.read && !ring->nr_used) {
		meta->reader.lost_events = ring->lost_behind;
		if (!ring->more_rings)
			ring->lost_behind = 0;
		return -ESTALE;
	}
	if (held == meta->reader.read && !ring->writer_with_reader)
		fake_swap(ring);
	from = meta->reader.read;
	meta->reader.read = fake_header(ring, meta->reader.id)->commit &
			    RBMAP_COMMIT_MASK;
	meta->read += fake_events_from(ring, meta->reader.id, from);
	meta->entries = ring->emitted;
	/* Tests write to the eventfd to make poll() report events. */
	if (read(map->fd, &value, sizeof(value)) < 0)
		return 0;
	return 0;
}

/*
 * Pass on one sub-buffer, which the reader then has empty.  The writer's own sub-buffer
 * stays unread; like the kernel, look for one only if the reader has read its own.
 */
static ssize_t fake_splice(struct rbmap_map *map, int pipe, size_t size)
{
	struct fake_ring *ring = (struct fake_ring *)map;
	struct rbmap_meta *meta = ring->meta;
	struct rbmap_subbuf_header *header = fake_header(ring, meta->reader.id);

	(void)pipe;
	(void)size;
	map->data = NULL;
	if ((header->commit & RBMAP_COMMIT_MASK) == meta->reader.read) {
		if (ring->nr_used + ring->lapped < 2 || !fake_swap(ring))
			return -EAGAIN;
		header = fake_header(ring, meta->reader.id);
	}
	if (ring->writer_with_reader)
		return -EAGAIN;
	meta->read += fake_events_from(ring, meta->reader.id, meta->reader.read);
	header->commit = 0;
	meta->reader.read = 0;
	meta->reader.lost_events = 0;
	return map->subbuf_size;
}

static int fake_map_subbufs(struct rbmap_map *map)
{
	map->data = fake_subbuf((struct fake_ring *)map, 0);
	return 0;
}

static int fake_wake(struct rbmap_map *map)
{
	(void)map;
	return 0;
}

/* The test frees the ring. */
static void fake_close(struct rbmap_map *map)
{
	(void)map;
}

/* Make an empty ring in the same structure, so that stale pointers hit it. */
static void fake_make(struct fake_ring *ring, int cpu, size_t subbuf_size,
		      unsigned int nr_slots)
{
	unsigned int nr_subbufs = nr_slots + 1;

	ring->nr_spare = 0;
	ring->nr_used = 0;
	ring->next_slots = 0;
	ring->emitted = ring->reader_end = 0;
	ring->writer_with_reader = false;
	ring->writer.subbuf = NULL;
	ring->memory = aligned_alloc(META_SIZE, META_SIZE +
				     (nr_subbufs * subbuf_size + META_SIZE - 1) /
				     META_SIZE * META_SIZE);
	memset(ring->memory, 0, META_SIZE + nr_subbufs * subbuf_size);
	ring->slot = calloc(nr_slots, sizeof(*ring->slot));
	ring->spare = calloc(nr_subbufs, sizeof(*ring->spare));
	ring->nr_slots = nr_slots;
	while (ring->nr_spare < nr_slots) {
		ring->spare[ring->nr_spare] = nr_slots - ring->nr_spare;
		ring->nr_spare++;
	}
	ring->meta = (struct rbmap_meta *)ring->memory;
	*ring->meta = (struct rbmap_meta){
		.meta_page_size = META_SIZE,
		.meta_struct_len = sizeof(*ring->meta),
		.subbuf_size = subbuf_size,
		.nr_subbufs = nr_subbufs,
		.magic = RBMAP_META_MAGIC,
		.version = RBMAP_META_VERSION,
		.generation = ++ring->generation,
		.clock = ring->next_clock,
		.cpu = cpu,
	};
	if (rbmap_map_init(&ring->map, ring->meta, META_SIZE))
		abort();
	ring->map.data = ring->memory + META_SIZE;
	ring->map.cpu = cpu;
}

static void fake_unmake(struct fake_ring *ring)
{
	free(ring->memory);
	free(ring->slot);
	free(ring->spare);
}

static int fake_next_ring(struct rbmap_map *map)
{
	struct fake_ring *ring = (struct fake_ring *)map;
	unsigned int slots = ring->next_slots;

	/* The ring before it is unmapped, as by the device. */
	if (ring->next_error) {
		map->meta = NULL;
		map->data = NULL;
		return ring->next_error;
	}
	fake_unmake(ring);
	fake_make(ring, map->cpu, ring->next_subbuf_size, slots);
	if (ring->more_rings) {
		ring->more_rings--;
		ring->next_slots = slots;
	}
	return 0;
}

static const struct rbmap_transport fake = {
	.get_reader	= fake_get_reader,
	.wake		= fake_wake,
	.next_ring	= fake_next_ring,
	.splice		= fake_splice,
	.map_subbufs	= fake_map_subbufs,
	.close		= fake_close,
};

struct fake_ring *fake_new(int cpu, size_t subbuf_size, unsigned int nr_slots)
{
	struct fake_ring *ring = calloc(1, sizeof(*ring));

	fake_make(ring, cpu, subbuf_size, nr_slots);
	ring->map.transport = &fake;
	ring->map.fd = eventfd(0, EFD_NONBLOCK);
	ring->map.wake_fd = eventfd(0, EFD_NONBLOCK);
	return ring;
}

void fake_free(struct fake_ring *ring)
{
	close(ring->map.fd);
	close(ring->map.wake_fd);
	fake_unmake(ring);
	free(ring);
}

static void fake_open(struct fake_ring *ring, uint64_t ts)
{
	uint32_t id;

	if (ring->nr_used == ring->nr_slots) {
		ring->meta->overrun += ring->slot[0].events;
		ring->meta->lost += ring->slot[0].events;
		ring->spare[ring->nr_spare++] = ring->slot[0].id;
		memmove(ring->slot, ring->slot + 1,
			--ring->nr_used * sizeof(*ring->slot));
	}
	id = ring->spare[--ring->nr_spare];
	ring->slot[ring->nr_used++] = (struct fake_slot){
		.id = id,
		.first = ring->emitted,
	};
	ring->writer_with_reader = false;
	synth_begin(&ring->writer, fake_subbuf(ring, id), ring->map.subbuf_size,
		    ts);
}

void fake_emit(struct fake_ring *ring, uint64_t ts, uint64_t number)
{
	struct {
		struct rbmap_event_common common;
		uint64_t number;
	} data = { .common = { .type = 1 }, .number = number };

	if (!ring->writer.subbuf ||
	    !synth_event(&ring->writer, ts, &data, sizeof(data))) {
		fake_open(ring, ts);
		synth_event(&ring->writer, ts, &data, sizeof(data));
	}
	ring->emitted++;
	if (ring->writer_with_reader)
		ring->reader_end++;
	else
		ring->slot[ring->nr_used - 1].events++;
	synth_commit(&ring->writer, 0, 0);
}

void fake_losses(struct fake_ring *ring, uint64_t times)
{
	struct rbmap_meta *meta = ring->meta;

	meta->overrun = 1 * times;
	meta->dropped_full = 2 * times;
	meta->dropped_lapped = 4 * times;
	meta->dropped_nested = 8 * times;
	meta->dropped_too_large = 16 * times;
	meta->expired = 32 * times;
	meta->dropped_no_ring = 64 * times;
	meta->disabled = 128 * times;
}

void assert_losses(const struct rbmap_loss *loss, uint64_t times)
{
	assert_int_equal(loss->overrun, 1 * times);
	assert_int_equal(loss->full, 2 * times);
	assert_int_equal(loss->lapped, 4 * times);
	assert_int_equal(loss->nested, 8 * times);
	assert_int_equal(loss->too_large, 16 * times);
	assert_int_equal(loss->expired, 32 * times);
	assert_int_equal(loss->no_ring, 64 * times);
	assert_int_equal(loss->disabled, 128 * times);
	assert_int_equal(loss->total, 127 * times);
}

uint64_t event_number(const struct rbmap_event *ev)
{
	uint64_t number;

	memcpy(&number, (const char *)ev->data + 8, sizeof(number));
	return number;
}
