// SPDX-License-Identifier: GPL-2.0-only
/*
 * Go through the unread events of a CPU one by one.  A reader consumes each event that it
 * takes, and shares the ring with all other readers.  A passive walk leaves all events where
 * they are: it copies a record, and then tests whether the writer has overwritten it.
 *
 * The caller looks for the next item of each CPU, and takes the oldest one.  Others may read
 * the ring in between.  Then the item is another one, and the caller looks again.
 */
#include <linux/string.h>

#include "consume.h"
#include "cpu_buffer.h"
#include "file.h"
#include "meta_page.h"
#include "walk.h"

/* Attempts to find a place that is not overwritten.  The writer may be faster each time. */
#define RBMAP_WALK_TRIES	64

static bool rbmap_is_event(const u32 *record)
{
	return rbmap_event_type_len(record[0]) <= RBMAP_TYPE_LEN_MAX;
}

/* The payload of an event of @len bytes, header included. */
static void rbmap_item_set_payload(struct rbmap_item *item, const u32 *record, u32 at,
				   u32 len)
{
	u32 header = rbmap_event_type_len(record[0]) ? RBMAP_EVENT_HEADER :
						       2 * RBMAP_EVENT_HEADER;

	item->at = at + header;
	item->size = len - header;
}

/*
 * Find the first event in bytes [item->place.offset, size) of a sub-buffer.  The writer
 * may overwrite what a passive walk reads there, so that no length is believed.
 */
static void rbmap_item_find(struct rbmap_item *item, struct rbmap_subbuf_header *header,
			    u32 size)
{
	const u8 *data = rbmap_subbuf_data(header);
	u64 begin = READ_ONCE(header->time_stamp);
	u32 at = item->place.offset;

	item->time = at ? item->place.time : begin;
	item->size = 0;
	while (at + RBMAP_EVENT_MIN <= size) {
		const u32 *word = (const u32 *)(data + at);
		const u32 record[] = { READ_ONCE(word[0]), READ_ONCE(word[1]) };
		u32 len = rbmap_record_len(record);

		if (len < RBMAP_EVENT_MIN || len > size - at)
			break;
		item->time = rbmap_time_after(item->time, begin, record);
		if (rbmap_is_event(record)) {
			rbmap_item_set_payload(item, record, at, len);
			item->end = at + len;
			return;
		}
		at += len;
	}
	item->end = size;
}

/* ---- a reader, which consumes */

/* Get the place of the ring's reader.  Its time is known if the walk has moved the reader. */
static void rbmap_reader_place(const struct rbmap_walk *walk, const struct rbmap_gen *gen,
			       struct rbmap_place *place)
{
	const struct rbmap_reader *reader = &gen->ring.reader;
	const struct rbmap_place *known = &walk->place;

	*place = (struct rbmap_place) {
		.number	= gen->number,
		.seq	= reader->seq,
		.offset	= reader->offset,
	};
	if (known->number == place->number && known->seq == place->seq &&
	    known->offset == place->offset)
		place->time = known->time;
	else
		place->time = rbmap_time_at(gen->ring.subbuf[reader->id].header,
					    reader->offset);
}

/* Find a loss that no event follows, at the end of the ring. */
static bool rbmap_reader_find_loss(const struct rbmap_gen *gen, struct rbmap_item *item)
{
	*item = (struct rbmap_item) {
		.time	= rb_clock(gen->ring.clock),
		.lost	= rbmap_ring_unreported_drops(&gen->ring),
		.place	= { .number = gen->number },
	};
	return item->lost;
}

/*
 * Count what precedes an event as read: padding, or a sub-buffer without an event.  A loss
 * before it is reported with the next sub-buffer, by any reader.
 */
static void rbmap_reader_skip(struct rbmap_gen *gen, const struct rbmap_item *item)
{
	struct rbmap_reader *reader = &gen->ring.reader;

	if (!reader->offset) {
		rbmap_ring_carry(&gen->ring, reader->lost);
		reader->reported -= reader->lost;
		reader->lost = 0;
	}
	rbmap_ring_consume(&gen->ring, item->end);
}

static bool rbmap_reader_find(struct rbmap_walk *walk, struct rbmap_gen *gen,
			      struct rbmap_item *item)
{
	struct rbmap_ring *ring = &gen->ring;
	const struct rbmap_reader *reader = &ring->reader;
	enum rbmap_get got;

	lockdep_assert_held(&gen->reader_lock);
	for (;;) {
		got = rbmap_get_subbuf(ring);
		if (got == RBMAP_GET_EMPTY)
			return rbmap_reader_find_loss(gen, item);
		if (got == RBMAP_GET_BUSY)
			return false;
		*item = (struct rbmap_item) {};
		rbmap_reader_place(walk, gen, &item->place);
		rbmap_item_find(item, ring->subbuf[reader->id].header,
				reader->offset + rbmap_ring_unread(ring));
		if (item->size)
			break;
		rbmap_reader_skip(gen, item);
	}
	item->lost = reader->offset ? 0 : reader->lost;
	return true;
}

static void rbmap_reader_consume(struct rbmap_walk *walk, struct rbmap_gen *gen,
				 struct rbmap_item *item)
{
	if (!item->size) {
		item->lost = rbmap_ring_report_drops(&gen->ring);
		return;
	}
	rbmap_ring_consume(&gen->ring, item->end);
	walk->place = item->place;
	walk->place.offset = item->end;
	walk->place.time = item->time;
	if (gen->mapped)
		rbmap_meta_update(gen);
}

/* ---- a passive walk */

/**
 * rbmap_walk_begin - begin a passive walk at the oldest unread event
 * @walk: the walk, zeroed
 * @cpu_buf: the CPU's part, which has a ring.  The walk ends at the last event that is there
 *	now, because the writer may be faster
 *
 * Context: may sleep.
 */
void rbmap_walk_begin(struct rbmap_walk *walk, struct rbmap_cpu_buffer *cpu_buf)
{
	const struct rbmap_gen *gen;
	u64 commit;

	walk->cpu_buf = cpu_buf;
	walk->passive = true;
	mutex_lock(&cpu_buf->lock);
	gen = list_last_entry(&cpu_buf->generations, struct rbmap_gen, list);
	commit = smp_load_acquire(&gen->ring.commit);	/* litmus: commit-header */
	walk->last = (struct rbmap_place) {
		.number	= gen->number,
		.seq	= rbmap_commit_seq(commit),
		.offset	= rbmap_commit_offset(commit),
	};
	mutex_unlock(&cpu_buf->lock);
}

/**
 * rbmap_walk_ring - get the ring that a passive walk is in, or the next one
 * @walk: the walk
 *
 * The walk has no reference to a ring between two calls, so that it keeps no memory.
 *
 * Context: may sleep.
 * Return: the ring, with a reference for the caller; NULL at the end.
 */
struct rbmap_gen *rbmap_walk_ring(struct rbmap_walk *walk)
{
	struct rbmap_cpu_buffer *cpu_buf = walk->cpu_buf;
	struct rbmap_gen *gen, *found = NULL;

	mutex_lock(&cpu_buf->lock);
	list_for_each_entry(gen, &cpu_buf->generations, list) {
		cond_resched();
		if (!gen->queued || gen->number < walk->number ||
		    gen->number > walk->last.number)
			continue;
		walk->number = gen->number;
		kref_get(&gen->refs);	/* model: walk_get */
		found = gen;
		break;
	}
	mutex_unlock(&cpu_buf->lock);
	return found;
}

/* Go to the beginning of a sub-buffer.  Return the events that were lost before it. */
static u64 rbmap_place_enter(struct rbmap_place *place, const struct rbmap_gen *gen, u64 seq,
			     const struct rbmap_ring_subbuf *subbuf)
{
	u64 first = READ_ONCE(subbuf->first_event), drops = READ_ONCE(subbuf->drops_before);
	u64 lost = 0;

	/* Nothing counts as lost before the first event of the walk. */
	if (place->number == gen->number && first > place->event)
		lost += first - place->event;
	if (place->number == gen->number && drops > place->drops)
		lost += drops - place->drops;
	*place = (struct rbmap_place) {
		.number	= gen->number,
		.seq	= seq,
		.event	= first,
		.drops	= drops,
	};
	return lost;
}

/* Events that readers have consumed are not lost, and not there any more. */
static void rbmap_place_skip_read(struct rbmap_place *place, struct rbmap_gen *gen)
{
	const struct rbmap_reader *reader = &gen->ring.reader;
	bool known = place->number == gen->number;
	const struct rbmap_ring_subbuf *subbuf = &gen->ring.subbuf[reader->id];

	if (known && rbmap_seq_diff(place->seq, reader->next, gen->ring.modulus) >= 0)
		return;
	if (known && reader->holds && place->seq == reader->seq)
		return;
	*place = (struct rbmap_place) {
		.number	= known ? gen->number : 0,
		.seq	= reader->next,
		.event	= reader->expected,
		.drops	= reader->reported_drops,
	};
	if (!reader->holds)
		return;
	place->number = gen->number;
	place->seq = reader->seq;
	place->offset = reader->offset;
	place->drops = subbuf->drops_before;
	place->time = rbmap_time_at(subbuf->header, reader->offset);
}

/* Is a place at the end of the walk? */
static bool rbmap_place_is_last(const struct rbmap_walk *walk, const struct rbmap_gen *gen,
				const struct rbmap_place *place)
{
	s64 left;

	if (gen->number < walk->last.number)
		return false;
	left = rbmap_seq_diff(walk->last.seq, place->seq, gen->ring.modulus);
	return left < 0 || (left == 0 && place->offset >= walk->last.offset);
}

/**
 * struct rbmap_part - the part of a sub-buffer that can be read now
 * @subbuf: the sub-buffer, or NULL: the writer has overwritten it, or not come to it
 * @slot: its slot's word; 0 if the reader holds it, so that it is not overwritten
 * @next: number of the oldest sub-buffer that is there instead of an overwritten one
 * @size: number of bytes
 * @open: whether more bytes may follow
 */
struct rbmap_part {
	const struct rbmap_ring_subbuf	*subbuf;
	u64				slot;
	u64				next;
	u32				size;
	bool				open;
};

static struct rbmap_part rbmap_place_part(const struct rbmap_gen *gen,
					  const struct rbmap_place *place)
{
	const struct rbmap_ring *ring = &gen->ring;
	u64 commit = smp_load_acquire(&ring->commit);	/* litmus: commit-header */
	s64 ahead = rbmap_seq_diff(rbmap_commit_seq(commit), place->seq, ring->modulus);
	struct rbmap_part part = { .next = place->seq, .open = ahead <= 0 };
	u64 oldest, seq;

	if (ahead < 0)
		return part;
	if (ring->reader.holds && ring->reader.seq == place->seq) {
		part.subbuf = &ring->subbuf[ring->reader.id];
	} else {
		part.slot = READ_ONCE(ring->slot[rbmap_seq_index(place->seq, ring->nr_slots)]);
		seq = rbmap_slot_seq(part.slot);
		if (seq != place->seq) {
			part.next = rbmap_seq_sub(seq, ring->nr_slots - 1, ring->modulus);
			/* All slots up to the writer's are overwritten, too: skip them at once. */
			oldest = rbmap_seq_sub(rbmap_commit_seq(commit), ring->nr_slots - 1,
					       ring->modulus);
			if (rbmap_seq_diff(oldest, part.next, ring->modulus) > 0)
				part.next = oldest;
			return part;
		}
		part.subbuf = &ring->subbuf[rbmap_slot_id(part.slot)];
	}
	/* litmus: publish-open, commit-header */
	part.size = ahead ? smp_load_acquire(&part.subbuf->header->commit) & RBMAP_COMMIT_MASK :
			    rbmap_commit_offset(commit);
	/* The header may be that of a later lap. */
	part.size = min(part.size, ring->capacity);
	return part;
}

/* Test whether the writer has not overwritten the sub-buffer that was just read. */
static bool rbmap_place_unchanged(const struct rbmap_gen *gen, const struct rbmap_place *place,
				  u64 slot)
{
	const struct rbmap_ring *ring = &gen->ring;

	if (!slot)
		return true;
	/*
	 * The writer claims the slot, with a full barrier, before it writes to the memory.
	 * litmus: walk-overwrite
	 */
	smp_rmb();
	return READ_ONCE(ring->slot[rbmap_seq_index(place->seq, ring->nr_slots)]) == slot;
}

/*
 * Find the next item after a place, and go there.  Return 1 if there is one; 0 at the end;
 * -EAGAIN if the writer has overwritten the place.
 */
static int rbmap_passive_step(const struct rbmap_walk *walk, const struct rbmap_gen *gen,
			      struct rbmap_item *item)
{
	struct rbmap_place *place = &item->place, next;
	struct rbmap_part part;
	u64 lost;

	for (;;) {
		if (rbmap_place_is_last(walk, gen, place))
			return 0;
		part = rbmap_place_part(gen, place);
		if (!part.subbuf) {
			if (part.next == place->seq)
				return 0;
			place->seq = part.next;
			place->offset = 0;
			return -EAGAIN;
		}
		next = *place;
		lost = place->offset ? 0 :
		       rbmap_place_enter(&next, gen, place->seq, part.subbuf);
		rbmap_item_find(item, part.subbuf->header, part.size);
		if (!rbmap_place_unchanged(gen, place, part.slot))
			return -EAGAIN;
		item->lost += lost;
		*place = next;
		if (item->size)
			return 1;
		if (part.open)
			return 0;
		place->seq = rbmap_seq_add(place->seq, 1, gen->ring.modulus);
		place->offset = 0;
	}
}

static bool rbmap_passive_find(struct rbmap_walk *walk, struct rbmap_gen *gen,
			       struct rbmap_item *item)
{
	int tries = RBMAP_WALK_TRIES, found;

	lockdep_assert_held(&gen->reader_lock);
	*item = (struct rbmap_item) { .place = walk->place };
	rbmap_place_skip_read(&item->place, gen);
	do {
		found = rbmap_passive_step(walk, gen, item);
	} while (found == -EAGAIN && --tries);
	return found == 1;
}

/* ---- both */

static bool rbmap_walk_find(struct rbmap_walk *walk, struct rbmap_gen *gen,
			    struct rbmap_item *item)
{
	return walk->passive ? rbmap_passive_find(walk, gen, item) :
			       rbmap_reader_find(walk, gen, item);
}

/**
 * rbmap_walk_look - find the next item of a ring
 * @walk: the walk; its @item is set
 * @gen: the ring
 *
 * Context: may sleep.
 * Return: whether there is one.
 */
bool rbmap_walk_look(struct rbmap_walk *walk, struct rbmap_gen *gen)
{
	bool found;

	mutex_lock(&gen->reader_lock);
	found = rbmap_walk_find(walk, gen, &walk->item);
	mutex_unlock(&gen->reader_lock);
	return found;
}

/* A loss that no event follows may have grown. */
static bool rbmap_item_same(const struct rbmap_item *a, const struct rbmap_item *b)
{
	return a->place.number == b->place.number && a->place.seq == b->place.seq &&
	       a->end == b->end && a->size == b->size && (!a->size || a->lost == b->lost);
}

/* Copy the payload.  Return whether it is that of the item. */
static bool rbmap_item_copy(const struct rbmap_walk *walk, struct rbmap_gen *gen, void *to,
			    u32 size)
{
	const struct rbmap_item *item = &walk->item;
	struct rbmap_part part = { .subbuf = &gen->ring.subbuf[gen->ring.reader.id] };

	if (walk->passive)
		part = rbmap_place_part(gen, &item->place);
	if (!part.subbuf)
		return false;
	/* The writer may overwrite it now, which the test finds. */
	data_race(memcpy(to, rbmap_subbuf_data(part.subbuf->header) + item->at, size));
	return rbmap_place_unchanged(gen, &item->place, part.slot);
}

static int rbmap_walk_take_locked(struct rbmap_walk *walk, struct rbmap_gen *gen, void *to,
				  u32 room)
{
	struct rbmap_item *item = &walk->item, now;
	u32 size = min(item->size, room);

	if (!rbmap_walk_find(walk, gen, &now) || !rbmap_item_same(item, &now))
		return -EAGAIN;
	*item = now;
	if (size && !rbmap_item_copy(walk, gen, to, size))
		return -EAGAIN;
	if (!walk->passive) {
		rbmap_reader_consume(walk, gen, item);
		return size;
	}
	walk->place = item->place;
	walk->place.offset = item->end;
	walk->place.time = item->time;
	walk->place.event++;
	return size;
}

/**
 * rbmap_walk_take - get the item that was found, and go behind it
 * @walk: the walk
 * @gen: the ring in which it was found
 * @to: where to copy the payload
 * @room: bytes at @to.  The rest of a larger payload is left out
 *
 * Context: may sleep.
 * Return: the number of copied bytes, 0 for a loss alone; -EAGAIN if the item is not there
 * any more.
 */
int rbmap_walk_take(struct rbmap_walk *walk, struct rbmap_gen *gen, void *to, u32 room)
{
	int ret;

	mutex_lock(&gen->reader_lock);
	ret = rbmap_walk_take_locked(walk, gen, to, room);
	mutex_unlock(&gen->reader_lock);
	return ret;
}
