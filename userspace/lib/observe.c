// SPDX-License-Identifier: LGPL-2.1
/*
 * A mapped ring that is only looked at: linux/rbmap.h, "Observe".
 *
 * What is new of a sub-buffer is copied, and given out if the sub-buffer turns
 * out not to have been overwritten meanwhile.  Nothing tells the kernel.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Nothing wakes an observer: how long it sleeps before it looks again. */
#define LOOK_AGAIN_MS	10

/**
 * struct rbmap_observer - how far a map has looked
 * @shown: what the kernel shows
 * @modulus: as it said at first; relied on
 * @nr: slots
 * @copy: the sub-buffer that is looked at, as far as it was found to be true
 * @seq: its number
 * @have: bytes of events in @copy
 * @inside: something of it was given out
 * @counted: goes through @copy and counts events
 * @exact: @expected is known
 * @expected: number of the event that comes next if none is missed
 * @unknown: rings went away between the last one and this one
 * @generation: of this ring
 * @ended: it is the last one
 * @missed: told, without those whose number is not known
 */
struct rbmap_observer {
	const struct rbmap_shown *shown;
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
	/* Pairs with the writer's release: header.commit is not of a lap ago. */
	return __atomic_load_n(&o->shown->newest, __ATOMIC_ACQUIRE);
}

static bool is_retired(const struct rbmap_map *map)
{
	/* Before newest: what was written last is there. */
	return __atomic_load_n(&map->meta->retired, __ATOMIC_ACQUIRE);
}

static uint64_t seq_add(const struct rbmap_observer *o, uint64_t seq,
			uint64_t n)
{
	return (seq + n) % o->modulus;
}

/* How many sub-buffers @newest is ahead of the one that is looked at. */
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

/* The oldest that can be there while @newest is the newest. */
static void go_to_oldest(struct rbmap_observer *o, uint64_t newest)
{
	go_to(o, seq_add(o, newest, o->modulus - (o->nr - 1)));
}

/* What a reset has made others forget is not missed. */
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
	o->exact = false;
	return true;
}

static uint64_t load_slot(const struct rbmap_shown_slot *shown)
{
	return __atomic_load_n(&shown->slot, __ATOMIC_RELAXED);
}

/* Was what was loaded before this true, when the slot said that? */
static bool still_says(const struct rbmap_shown_slot *shown, uint64_t slot)
{
	/* Pairs with the writer's barrier between its slot and its events. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return load_slot(shown) == slot;
}

/* The first event that is not missed is that of the oldest sub-buffer now. */
static void begin_at_oldest(const struct rbmap_map *map, uint64_t newest)
{
	struct rbmap_observer *o = map->observer;

	go_to_oldest(o, newest);
	skip_forgotten(map, newest);
	for (uint32_t i = 0; i < o->nr; i++) {
		const struct rbmap_shown_slot *shown =
			&o->shown->slot[o->seq % o->nr];
		uint64_t slot = load_slot(shown);

		o->expected = __atomic_load_n(&shown->events, __ATOMIC_RELAXED);
		o->exact = slot == RBMAP_SHOWN_SLOT(o->seq,
						    RBMAP_SHOWN_ID(slot)) &&
			   still_says(shown, slot);
		if (o->exact)
			return;
		go_to(o, seq_add(o, o->seq, 1));
	}
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
	return sizeof(struct rbmap_shown) +
	       (nr_subbufs - 1) * sizeof(struct rbmap_shown_slot);
}

/* The meta-page was checked: rbmap_observer_size() bytes of @shown are there. */
int rbmap_observer_init(struct rbmap_map *map, const void *shown)
{
	struct rbmap_observer *o = map->observer;
	uint32_t generation = map->meta->generation;
	unsigned char *copy;
	uint64_t newest;

	o->shown = shown;
	/* The same once more: there is no next one, nor will there be. */
	o->ended = o->generation == generation;
	if (o->ended)
		return 0;
	copy = realloc(o->copy, map->subbuf_size);
	if (!copy)
		return -ENOMEM;
	o->copy = copy;
	o->nr = map->nr_subbufs - 1;
	o->modulus = o->shown->modulus;
	newest = newest_of(o);
	if (o->modulus < 2ULL * o->nr || o->modulus > 1ULL << 44 ||
	    newest >= o->modulus)
		return RBMAP_ERR_CORRUPT;
	if (!o->generation) {
		begin_at_oldest(map, newest);
	} else {
		/* The numbers of a ring begin at 0. */
		go_to_oldest(o, newest);
		o->exact = true;
		o->expected = 0;
		o->unknown |= generation != o->generation + 1;
	}
	o->generation = generation;
	/* What the reader has read is nothing to us. */
	map->skip = 0;
	return 0;
}

enum look { NOTHING, FOUND, OVERWRITTEN };

/* What was copied is true: give it out. */
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
		map->told = rbmap_lost_sum(map->told, sb->lost);
		o->exact = true;
		o->unknown = false;
		o->expected = number;
		o->inside = true;
	}
	o->have = size;
	while (rbmap_decode_bytes(o->copy, size, &o->counted, &ev) == 1)
		o->expected++;
	map->pieces++;
	return FOUND;
}

/* The steps of linux/rbmap.h, for the sub-buffer numbered o->seq. */
static int look(struct rbmap_map *map, struct rbmap_subbuf *sb)
{
	struct rbmap_observer *o = map->observer;
	const struct rbmap_shown_slot *shown = &o->shown->slot[o->seq % o->nr];
	uint64_t slot = load_slot(shown);
	uint32_t id = RBMAP_SHOWN_ID(slot);
	const unsigned char *subbuf;
	uint64_t number;
	size_t size;
	bool sane;

	if (slot != RBMAP_SHOWN_SLOT(o->seq, id))
		return OVERWRITTEN;
	if (id >= map->nr_subbufs)
		return RBMAP_ERR_CORRUPT;
	subbuf = map->data + id * map->subbuf_size;
	number = __atomic_load_n(&shown->events, __ATOMIC_RELAXED);
	size = rbmap_load_commit(subbuf) & RBMAP_COMMIT_MASK;
	if (size == o->have)
		return NOTHING;
	/* A reset has emptied it: the writer does not come back to it. */
	if (!size)
		return OVERWRITTEN;
	sane = size > o->have &&
	       size <= map->subbuf_size - RBMAP_SUBBUF_HEADER_SIZE;
	/* The writer may be writing there: then it is not used. */
	if (sane) {
		if (!o->have)
			memcpy(o->copy, subbuf, sizeof(uint64_t));
		memcpy(o->copy + RBMAP_SUBBUF_HEADER_SIZE + o->have,
		       subbuf + RBMAP_SUBBUF_HEADER_SIZE + o->have,
		       size - o->have);
	}
	if (!still_says(shown, slot))
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

/* As rbmap_next_subbuf(). */
int rbmap_observe_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb)
{
	struct rbmap_observer *o = map->observer;

	/* A writer that laps us again and again: there is time to come back. */
	for (uint64_t turn = 0; map->meta && turn < 4ULL * o->nr + 4; turn++) {
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
		ret = ahead < 0 ? NOTHING : look(map, sb);
		if (ret < 0) {
			/* What comes after it may make sense. */
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
		if (!retired || o->ended)
			return 0;
		ret = next_ring(map);
		if (ret)
			return ret;
	}
	return map->meta ? 0 : RBMAP_ERR_GONE;
}

/* Is there something to look at, as far as that can be seen at a glance? */
bool rbmap_observe_pending(const struct rbmap_map *map)
{
	const struct rbmap_observer *o = map->observer;
	uint64_t slot;
	int64_t ahead;
	uint32_t id;

	if (!map->meta || (is_retired(map) && !o->ended))
		return true;
	ahead = ahead_of(o, newest_of(o));
	if (ahead)
		return ahead > 0;
	slot = load_slot(&o->shown->slot[o->seq % o->nr]);
	id = RBMAP_SHOWN_ID(slot);
	if (slot != RBMAP_SHOWN_SLOT(o->seq, id) || id >= map->nr_subbufs)
		return true;
	return (rbmap_load_commit(map->data + id * map->subbuf_size) &
		RBMAP_COMMIT_MASK) != o->have;
}

/* Has the writer gone half-way to where it will overwrite what comes next? */
bool rbmap_observe_hurries(const struct rbmap_map *map)
{
	const struct rbmap_observer *o = map->observer;

	return map->meta && ahead_of(o, newest_of(o)) > o->nr / 2;
}

/* Until one of the maps has something; 1: it has.  fds[0] may end it, too. */
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

/* All that it missed, for whatever reason, is as good as overwritten. */
void rbmap_observe_loss(const struct rbmap_map *map, struct rbmap_loss *loss)
{
	*loss = (struct rbmap_loss) {
		.overrun	= map->observer->missed,
		.total		= map->observer->missed,
		.told		= map->told,
	};
}
