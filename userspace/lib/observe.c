// SPDX-License-Identifier: LGPL-2.1-only
/*
 * An observer's map: linux/rbmap.h, "Observe".
 *
 * The observer copies the new bytes of a sub-buffer, then checks that the
 * sub-buffer was not overwritten during the copy, and returns the copy.  It makes
 * no system call for that.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The kernel does not wake observers: they poll with this period. */
#define LOOK_AGAIN_MS	10

/**
 * struct rbmap_observer - position of an observer in its ring
 * @slot_table: slot table, mapped
 * @modulus: modulus of the slot table, read once and checked
 * @nr: number of slots
 * @copy: copy of the current sub-buffer, up to @have
 * @seq: number of the current sub-buffer
 * @have: bytes of events in @copy
 * @inside: a part of the current sub-buffer was returned
 * @counted: cursor that counts the events in @copy
 * @exact: @expected is valid
 * @expected: number of the next event if no event is missed
 * @unknown: rings between the previous ring and this one were freed
 * @generation: generation of this ring
 * @ended: this ring is the last one
 * @missed: number of missed events, as far as it is known
 */
struct rbmap_observer {
	const struct rbmap_slot_table *slot_table;
	uint64_t		modulus;
	uint32_t		nr;
	unsigned char		*copy;
	uint64_t		seq;
	size_t			have;
	bool			inside;
	struct rbmap_cursor	counted;
	bool			exact;
	uint64_t		expected;
	bool			unknown;
	uint32_t		generation;
	bool			ended;
	uint64_t		missed;
};

static uint64_t newest_of(const struct rbmap_observer *o)
{
	/* Pairs with the writer's release: header.commit is of this lap. */
	return __atomic_load_n(&o->slot_table->newest, __ATOMIC_ACQUIRE);
}

static bool is_retired(const struct rbmap_map *map)
{
	/* Acquire, and before the load of newest: the last events are visible. */
	return __atomic_load_n(&map->meta->retired, __ATOMIC_ACQUIRE);
}

static uint64_t seq_add(const struct rbmap_observer *o, uint64_t seq,
			uint64_t n)
{
	return (seq + n) % o->modulus;
}

/* Number of sub-buffers from the current one to @newest; may be negative. */
static int64_t ahead_of(const struct rbmap_observer *o, uint64_t newest)
{
	uint64_t ahead = seq_add(o, newest, o->modulus - o->seq);

	return ahead < o->modulus / 2 ? (int64_t)ahead :
					(int64_t)(ahead - o->modulus);
}

static void go_to(struct rbmap_observer *o, uint64_t seq)
{
	o->seq = seq;
	o->have = 0;
	o->inside = false;
	o->counted = (struct rbmap_cursor){ 0 };
}

/* Go to the oldest sub-buffer that the ring can hold. */
static void go_to_oldest(struct rbmap_observer *o, uint64_t newest)
{
	go_to(o, seq_add(o, newest, o->modulus - (o->nr - 1)));
}

static uint64_t load_slot(const struct rbmap_table_slot *table_slot)
{
	return __atomic_load_n(&table_slot->slot, __ATOMIC_RELAXED);
}

/* Return true if the slot is unchanged, so that the values loaded before this are valid. */
static bool slot_unchanged(const struct rbmap_table_slot *table_slot, uint64_t slot)
{
	/* Pairs with the writer's barrier between slot->slot and slot->events. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return load_slot(table_slot) == slot;
}

/* Expect the first event of the current sub-buffer. Return false if that was overwritten. */
static bool expect_first(struct rbmap_observer *o)
{
	const struct rbmap_table_slot *table_slot = &o->slot_table->slot[o->seq % o->nr];
	uint64_t slot = load_slot(table_slot);
	uint64_t number = __atomic_load_n(&table_slot->events, __ATOMIC_RELAXED);

	if (slot != RBMAP_TABLE_SLOT(o->seq, RBMAP_TABLE_ID(slot)) || !slot_unchanged(table_slot, slot))
		return false;
	o->expected = number;
	o->exact = true;
	return true;
}

/* Skip the sub-buffers that a reset discarded: their events are not missed. */
static bool skip_forgotten(const struct rbmap_map *map, uint64_t newest)
{
	struct rbmap_observer *o = map->observer;
	uint64_t first = __atomic_load_n(&map->meta->first_seq,
					 __ATOMIC_RELAXED);

	if (first >= o->modulus ||
	    seq_add(o, newest, o->modulus - first) >= o->nr ||
	    ahead_of(o, first) <= 0)
		return false;
	go_to(o, first);
	/*
	 * If the writer has overwritten this sub-buffer by now, the discarded events count
	 * as missed, as they do for an observer that was lapped.
	 */
	expect_first(o);
	return true;
}

/* Begin with the first event of the oldest sub-buffer: none is missed before it. */
static void begin_at_oldest(const struct rbmap_map *map, uint64_t newest)
{
	struct rbmap_observer *o = map->observer;

	go_to_oldest(o, newest);
	skip_forgotten(map, newest);
	for (uint32_t i = 0; i < o->nr && !expect_first(o); i++)
		go_to(o, seq_add(o, o->seq, 1));
}

int rbmap_observer_new(struct rbmap_map *map)
{
	map->observer = calloc(1, sizeof(*map->observer));
	return map->observer ? 0 : -ENOMEM;
}

void rbmap_observer_free(struct rbmap_map *map)
{
	if (map->observer)
		free(map->observer->copy);
	free(map->observer);
}

size_t rbmap_observer_size(uint32_t nr_subbufs)
{
	return sizeof(struct rbmap_slot_table) +
	       (nr_subbufs - 1) * sizeof(struct rbmap_table_slot);
}

/* rbmap_observer_size() bytes of @table are mapped: the caller has checked it. */
int rbmap_observer_init(struct rbmap_map *map, const void *table)
{
	struct rbmap_observer *o = map->observer;
	uint32_t generation = META(map, generation);
	unsigned char *copy;
	uint64_t newest;

	/* Generations count from 1; o->generation is 0 before the first ring. */
	if (!generation)
		return RBMAP_ERR_CORRUPT;
	o->slot_table = table;
	/* The same ring once more: it is the last one. */
	o->ended = o->generation == generation;
	if (o->ended)
		return 0;
	copy = realloc(o->copy, map->subbuf_size);
	if (!copy)
		return -ENOMEM;
	o->copy = copy;
	o->nr = map->nr_subbufs - 1;
	o->modulus = o->slot_table->modulus;
	newest = newest_of(o);
	if (o->modulus < 2ULL * o->nr || o->modulus > 1ULL << 44 ||
	    newest >= o->modulus)
		return RBMAP_ERR_CORRUPT;
	if (!o->generation) {
		begin_at_oldest(map, newest);
	} else {
		/* Each ring numbers its events from 0. */
		go_to_oldest(o, newest);
		o->exact = true;
		o->expected = 0;
		o->unknown |= generation != o->generation + 1;
	}
	o->generation = generation;
	/* An observer does not skip the events that the reader has read. */
	map->skip = 0;
	return 0;
}

/* Events of earlier rings, which are freed, have no number here. */
void rbmap_observer_count_older(struct rbmap_map *map)
{
	struct rbmap_observer *o = map->observer;

	o->exact = true;
	o->expected = 0;
	o->unknown |= o->generation > 1;
}

enum look { NOTHING, FOUND, OVERWRITTEN };

/* The copy is valid: return the new part of it in *sb. */
static int found(struct rbmap_map *map, size_t size, uint64_t number,
		 uint32_t id, struct rbmap_subbuf *sb)
{
	struct rbmap_observer *o = map->observer;
	struct rbmap_subbuf_header *header = (void *)o->copy;
	struct rbmap_event ev;

	header->commit = size;
	*sb = (struct rbmap_subbuf) {
		.start		= o->copy,
		.size		= size,
		.offset		= o->have,
		.timestamp	= header->time_stamp,
		.id		= id,
	};
	if (!o->inside) {
		if (o->exact)
			sb->lost = number - o->expected;
		o->missed += sb->lost;
		if (o->unknown)
			sb->lost = RBMAP_LOST_UNKNOWN;
		map->reported = rbmap_lost_sum(map->reported, sb->lost);
		o->exact = true;
		o->unknown = false;
		o->expected = number;
		o->inside = true;
	}
	o->have = size;
	while (rbmap_decode_bytes(o->copy, size, &o->counted, &ev) == 1) {
		o->expected++;
		map->events++;
	}
	map->pieces++;
	return FOUND;
}

/* The steps of linux/rbmap.h for sub-buffer o->seq. */
static int copy_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb)
{
	struct rbmap_observer *o = map->observer;
	const struct rbmap_table_slot *table_slot = &o->slot_table->slot[o->seq % o->nr];
	uint64_t slot = load_slot(table_slot);
	uint32_t id = RBMAP_TABLE_ID(slot);
	const unsigned char *subbuf;
	uint64_t number;
	size_t size;
	bool sane;

	if (slot != RBMAP_TABLE_SLOT(o->seq, id))
		return OVERWRITTEN;
	if (id >= map->nr_subbufs)
		return RBMAP_ERR_CORRUPT;
	subbuf = map->data + id * map->subbuf_size;
	number = __atomic_load_n(&table_slot->events, __ATOMIC_RELAXED);
	size = rbmap_load_commit(subbuf) & RBMAP_COMMIT_MASK;
	if (size == o->have)
		return NOTHING;
	/* A reset emptied the sub-buffer; the writer adds no event to it. */
	if (!size)
		return OVERWRITTEN;
	sane = size > o->have &&
	       size <= map->subbuf_size - RBMAP_SUBBUF_HEADER_SIZE;
	/* The writer may overwrite these bytes now: slot_unchanged() finds that. */
	if (sane) {
		if (!o->have)
			memcpy(o->copy, subbuf, sizeof(uint64_t));
		memcpy(o->copy + RBMAP_SUBBUF_HEADER_SIZE + o->have,
		       subbuf + RBMAP_SUBBUF_HEADER_SIZE + o->have,
		       size - o->have);
	}
	if (!slot_unchanged(table_slot, slot))
		return OVERWRITTEN;
	return sane ? found(map, size, number, id, sb) : RBMAP_ERR_CORRUPT;
}

static int next_ring(struct rbmap_map *map)
{
	if (!map->transport->next_ring)
		return RBMAP_ERR_GONE;
	map->start = NULL;
	return map->transport->next_ring(map);
}

/* rbmap_next_subbuf() for observers. */
int rbmap_observe_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb)
{
	struct rbmap_observer *o = map->observer;

	/* The next ring could not be mapped the last time. */
	if (!map->meta) {
		int ret = next_ring(map);

		if (ret)
			return ret;
	}
	/* The bound ends the loop if the writer laps the observer again and again. */
	for (uint64_t turn = 0; turn < 4ULL * o->nr + 4; turn++) {
		bool retired = is_retired(map);
		uint64_t newest = newest_of(o);
		int64_t ahead;
		int ret;

		if (newest >= o->modulus)
			return RBMAP_ERR_CORRUPT;
		ahead = ahead_of(o, newest);
		if (ahead >= o->nr) {
			go_to_oldest(o, newest);
			ahead = o->nr - 1;
		}
		if (ahead > 0 && skip_forgotten(map, newest))
			continue;
		ret = ahead < 0 ? NOTHING : copy_subbuf(map, sb);
		if (ret < 0) {
			/* Skip the corrupt sub-buffer: the next one may be valid. */
			go_to(o, seq_add(o, o->seq, 1));
			o->exact = false;
			o->unknown = true;
			return ret;
		}
		if (ret == FOUND)
			return 1;
		if (ahead > 0 || ret == OVERWRITTEN) {
			go_to(o, seq_add(o, o->seq, 1));
			continue;
		}
		if (!retired)
			return 0;
		if (o->ended)
			return RBMAP_ERR_GONE;
		ret = next_ring(map);
		if (ret)
			return ret;
	}
	return 0;
}

RBMAP_API uint64_t rbmap_observer_number(const struct rbmap_map *map)
{
	return map->observer ? map->observer->expected : 0;
}

/* Return true if rbmap_observe_subbuf() would probably return something. */
bool rbmap_observe_pending(const struct rbmap_map *map)
{
	const struct rbmap_observer *o = map->observer;
	uint64_t slot;
	int64_t ahead;
	uint32_t id;

	if (!map->meta || is_retired(map))
		return true;
	ahead = ahead_of(o, newest_of(o));
	if (ahead)
		return ahead > 0;
	slot = load_slot(&o->slot_table->slot[o->seq % o->nr]);
	id = RBMAP_TABLE_ID(slot);
	if (slot != RBMAP_TABLE_SLOT(o->seq, id) || id >= map->nr_subbufs)
		return true;
	return (rbmap_load_commit(map->data + id * map->subbuf_size) &
		RBMAP_COMMIT_MASK) != o->have;
}

/* Return true if the writer is more than half the ring ahead. */
bool rbmap_observe_hurries(const struct rbmap_map *map)
{
	const struct rbmap_observer *o = map->observer;

	return map->meta && ahead_of(o, newest_of(o)) > o->nr / 2;
}

/* Wait until one of the maps has events: 1, or @wake_fd is readable: 0. */
int rbmap_observe_wait(struct rbmap_map *const *map, unsigned int nr,
		       int wake_fd, int timeout_ms)
{
	struct pollfd wake = { .fd = wake_fd, .events = POLLIN };

	for (;;) {
		int ms = timeout_ms < 0 || timeout_ms > LOOK_AGAIN_MS ?
			 LOOK_AGAIN_MS : timeout_ms;
		int ret;

		for (unsigned int i = 0; i < nr; i++)
			if (rbmap_observe_pending(map[i]))
				return 1;
		if (!timeout_ms)
			return 0;
		ret = poll(&wake, 1, ms);
		if (ret)
			return ret < 0 ? -errno : 0;
		if (timeout_ms > 0)
			timeout_ms -= ms;
	}
}

/* Events that an observer missed for any reason count as overwritten. */
void rbmap_observe_loss(const struct rbmap_map *map, struct rbmap_loss *loss)
{
	*loss = (struct rbmap_loss) {
		.overrun	= map->observer->missed,
		.total		= map->observer->missed,
		.reported		= map->reported,
	};
}
