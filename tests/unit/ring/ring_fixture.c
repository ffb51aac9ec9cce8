// SPDX-License-Identifier: GPL-2.0-only
#include "ring_fixture.h"

#define OFFSET_BITS	22

struct rig rig;
void (*rig_on_failure)(const char *message);

void rig_fail(const char *format, ...)
{
	static char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	if (rig_on_failure)
		rig_on_failure(message);
	fail_msg("%s", message);
	abort();
}

u64 rig_random(void)
{
	u64 x = rig.random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	rig.random = x;
	return x * 0x2545f4914f6cdd1dULL;
}

u8 rig_pattern(u32 seed, u32 i)
{
	return (seed * 2654435761u + i * 40503u) >> 13;
}

u64 rb_clock(u32 clock)
{
	u64 now = rig.clock ? rig.clock() : rig.clock_max + 1;

	if (rig.clock_alone)
		return now;
	rig.clock_id = clock;
	if (now > rig.clock_max)
		rig.clock_max = now;
	rig.clock_said[rig.depth] = now;
	return now;
}

static void count_closed(struct rbmap_ring *ring)
{
	rig_check(ring == rig.ring);
	rig.closed++;
	if (rig.on_closed)
		rig.on_closed();
}

static const struct rbmap_ring_ops rig_ops = { .closed = count_closed };

static void *zeroed(size_t align, size_t size)
{
	void *p;

	size = ALIGN(size, align);
	p = aligned_alloc(align, size);
	if (!p)
		abort();
	memset(p, 0, size);
	return p;
}

void rig_open(u32 nr_slots, u32 subbuf_size, enum rbmap_mode mode,
	      u64 first_seq)
{
	const char *seed = getenv("RBMAP_TEST_SEED");
	u32 i;

	if (rig.ring)
		rig_close();	/* left open by a failed test */
	rig = (struct rig) {
		.random = seed ? strtoull(seed, NULL, 0) * 2 + 1 : 88172645463325252ULL,
		.config = {
			.nr_slots = nr_slots,
			.subbuf_size = subbuf_size,
			.mode = mode,
			.subbuf = zeroed(64, (nr_slots + 1ULL) *
					 sizeof(struct rbmap_ring_subbuf)),
			.slot = zeroed(64, nr_slots * sizeof(u64)),
			.slot_table = zeroed(64, rbmap_slot_table_size(nr_slots)),
			.ops = &rig_ops,
			.first_seq = first_seq,
		},
		.ring = zeroed(64, sizeof(struct rbmap_ring)),
		.copy = zeroed(64, subbuf_size),
		.kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
				      KBUFFER_ENDIAN_SAME_AS_HOST),
	};
	/* Separate allocations, so that sanitizers find writes beyond an end. */
	for (i = 0; i <= nr_slots; i++)
		rig.config.subbuf[i].header = zeroed(8, subbuf_size);
	rbmap_ring_init(rig.ring, &rig.config);
	rig_open_log(1 << 16);
}

void rig_again(enum rbmap_mode mode, u64 first_seq)
{
	struct rig was = rig;
	u32 i;

	for (i = 0; i <= was.config.nr_slots; i++) {
		struct rbmap_subbuf_header *header = was.config.subbuf[i].header;

		memset(header, 0, sizeof(*header));
		memset(&was.config.subbuf[i], 0, sizeof(was.config.subbuf[i]));
		was.config.subbuf[i].header = header;
	}
	rig = (struct rig) {
		.random = was.random,
		.config = was.config,
		.ring = was.ring,
		.copy = was.copy,
		.kbuf = was.kbuf,
		.log = was.log,
		.max_log = was.max_log,
		.clock = was.clock,
	};
	rig.config.mode = mode;
	rig.config.first_seq = first_seq;
	memset(rig.ring, 0, sizeof(*rig.ring));
	memset(rig.config.slot_table, 0, rbmap_slot_table_size(rig.config.nr_slots));
	rbmap_ring_init(rig.ring, &rig.config);
}

void rig_open_log(u32 events)
{
	rig.max_log = events;
	rig.log = realloc(rig.log, events * sizeof(*rig.log));
	if (!rig.log)
		abort();
}

void rig_close(void)
{
	u32 i;

	for (i = 0; i <= rig.config.nr_slots; i++)
		free(rig.config.subbuf[i].header);
	free(rig.config.subbuf);
	free(rig.config.slot);
	free(rig.config.slot_table);
	free(rig.ring);
	free(rig.copy);
	free(rig.log);
	kbuffer_free(rig.kbuf);
	memset(&rig, 0, sizeof(rig));
}

/* The model */

static u64 place_of(u64 seq, u32 offset)
{
	u64 subbufs = (seq - rig.config.first_seq) & RBMAP_TAIL_SEQ_MASK;

	return subbufs << OFFSET_BITS | offset;
}

/* Return: index of the first entry at or after place. */
static u32 log_find(u64 place)
{
	u32 low = 0, high = rig.nr_log;

	/* Most look-ups are near the end. */
	if (high && rig.log[high - 1].place < place)
		return high;
	while (low < high) {
		u32 middle = (low + high) / 2;

		if (rig.log[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct written *log_entry(u64 place)
{
	u32 i = log_find(place);

	rig_check(i < rig.nr_log && rig.log[i].place == place);
	return &rig.log[i];
}

static void log_add(const struct rig_event *event)
{
	u32 i = log_find(event->place);

	rig_check(rig.nr_log < rig.max_log);
	rig_check(i == rig.nr_log || rig.log[i].place != event->place);
	memmove(&rig.log[i + 1], &rig.log[i],
		(rig.nr_log - i) * sizeof(*rig.log));
	rig.nr_log++;
	rig.log[i] = (struct written) {
		.place = event->place,
		.clock = rig.clock_said[rig.depth],
		.clock_max = rig.clock_max,
		.size = event->size,
		.seed = event->seed,
	};
}

static void log_remove(u64 place)
{
	u32 i = log_entry(place) - rig.log;

	rig_check(rig.log[i].state == WRITING);
	rig.nr_log--;
	memmove(&rig.log[i], &rig.log[i + 1],
		(rig.nr_log - i) * sizeof(*rig.log));
}

/* The writer */

static void around(bool enter)
{
	if (rig.around)
		rig.around(enter);
}

bool rig_begin(struct rig_event *event, u32 size)
{
	enum rbmap_drop drop = RBMAP_NR_DROPS;
	u8 *payload;
	u32 i;

	rig.attempts++;
	rig.depth++;
	rig_check(rig.depth <= RIG_MAX_DEPTH);
	around(true);
	payload = rig.clock_early ?
		ring_call_reserve_known(rig.ring, size, &event->room, &drop) :
		ring_call_reserve(rig.ring, size, &event->room, &drop);
	around(false);
	if (!payload) {
		rig_check(drop < RBMAP_NR_DROPS);
		rig.depth--;
		return false;
	}
	event->seed = ++rig.next_seed;
	event->size = size;
	event->place = place_of(rbmap_tail_seq(event->room.next),
				event->room.end - (event->room.words << 2) +
				event->room.stamp_len);
	log_add(event);
	for (i = 0; i < size; i++)
		payload[i] = rig_pattern(event->seed, i);
	return true;
}

void rig_commit(struct rig_event *event)
{
	log_entry(event->place)->state = COMMITTED;
	around(true);
	ring_call_commit(rig.ring, &event->room);
	around(false);
	rig.depth--;
}

void rig_discard(struct rig_event *event)
{
	log_remove(event->place);
	rig.discarded++;
	around(true);
	ring_call_discard(rig.ring, &event->room);
	around(false);
	rig.depth--;
}

bool rig_write(u32 size)
{
	struct rig_event event;

	if (!rig_begin(&event, size))
		return false;
	rig_commit(&event);
	return true;
}

void rig_ring_close(void)
{
	u64 seq = rbmap_commit_seq(rig.ring->commit);

	around(true);
	rbmap_ring_close(rig.ring, seq);
	around(false);
}

void rig_fill(void)
{
	const u64 tail = rig.ring->tail;

	while (rbmap_tail_seq(rig.ring->tail) == rbmap_tail_seq(tail)) {
		u32 left = rig.ring->capacity -
			   rbmap_tail_offset(rig.ring->tail);

		if (left < RBMAP_EVENT_MIN || !rig_write(0))
			return;
	}
}

void rig_write_subbufs(u32 n, u32 size)
{
	while (n--) {
		u32 seq = rbmap_tail_seq(rig.ring->tail);

		while (rbmap_tail_seq(rig.ring->tail) == seq)
			if (!rig_write(size))
				return;
	}
}

/* The decoders */

static u32 get_u32(const u8 *p)
{
	u32 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

u32 rig_decode_in_place(const struct rbmap_subbuf_header *header, u32 size,
			struct decoded *events, u32 max)
{
	const u8 *data = (const u8 *)header + 16;
	u64 time = header->time_stamp;
	u32 at = 0, n = 0;

	while (at < size) {
		u32 word = get_u32(data + at);
		u32 type_len = word & 31, delta = word >> 5;
		struct decoded *event = &events[n];
		u32 len;

		rig_check(size - at >= 8);
		switch (type_len) {
		case 29:
			if (!delta)
				return n;
			time += delta;
			len = 4 + get_u32(data + at + 4);
			break;
		case 30:
			time += delta + ((u64)get_u32(data + at + 4) << 27);
			len = 8;
			break;
		case 31:
			time = delta + ((u64)get_u32(data + at + 4) << 27);
			time |= header->time_stamp >> 59 << 59;
			len = 8;
			break;
		default:
			time += delta;
			rig_check(n < max);
			n++;
			event->offset = at;
			event->time = time;
			if (type_len) {
				event->data = data + at + 4;
				event->size = type_len * 4;
				len = 4 + event->size;
			} else {
				event->data = data + at + 8;
				event->size = get_u32(data + at + 4) - 4;
				len = 8 + event->size;
			}
		}
		rig_check(len % 4 == 0 && len <= size - at);
		at += len;
	}
	return n;
}

u32 rig_decode(const struct rbmap_subbuf_header *header, u32 size,
	       struct decoded *events, u32 max)
{
	struct rbmap_subbuf_header *copy = (void *)rig.copy;
	const u8 *data = rig.copy + 16;
	unsigned long long time;
	u32 n, i = 0;
	void *record;

	rig_check(size <= rig.config.subbuf_size - 16);
	rig.held = 0;
	/* The writer may change header.commit meanwhile: do not copy it. */
	copy->time_stamp = header->time_stamp;
	copy->commit = size;
	memcpy(copy + 1, header + 1, size);
	n = rig_decode_in_place(copy, size, events, max);

	rig_check(kbuffer_load_subbuffer(rig.kbuf, copy) == 0);
	for (record = kbuffer_read_event(rig.kbuf, &time); record;
	     record = kbuffer_next_event(rig.kbuf, &time)) {
		rig_check(i < n);
		rig_check((const u8 *)record == events[i].data);
		rig_check((u32)kbuffer_event_size(rig.kbuf) == events[i].size);
		if (time != events[i].time)
			rig_fail("libtraceevent: time %llx, not %llx, at %u",
				 time, (unsigned long long)events[i].time,
				 (u32)((const u8 *)record - data));
		i++;
	}
	rig_check(i == n);
	return n;
}

/* The reader */

/*
 * Payloads are rounded up to 4 bytes, and 8 bytes to 12.  If the event's delta is 0,
 * its whole length is rounded up to 8 bytes.
 */
bool rig_size_is_right(u32 written, u32 decoded)
{
	u32 least = ALIGN(written ? written : 1, 4);

	if (least == 8)
		return decoded == 12;
	if (least < 112 ? least % 8 == 0 : least > 112 && least % 8 == 4)
		return decoded == least || decoded == least + 4;
	return decoded == least;
}

/* Return: index of the event that was written at that place. */
static u32 find_event(u64 seq, const struct decoded *event)
{
	u64 place = place_of(seq, event->offset);
	u32 at = log_find(place);

	if (at == rig.nr_log || rig.log[at].place != place)
		rig_fail("no event was committed at place %llx",
			 (unsigned long long)place);
	return at;
}

static void check_payload(u32 at, const struct decoded *event)
{
	const struct written *written = &rig.log[at];
	u32 i;

	if (!rig_size_is_right(written->size, event->size))
		rig_fail("%u bytes read, %u written", event->size,
			 written->size);
	for (i = 0; i < written->size; i++)
		if (event->data[i] != rig_pattern(written->seed, i))
			rig_fail("event %u: byte %u of %u is wrong", at, i,
				 written->size);
}

static void check_event(const struct decoded *event)
{
	u64 place = place_of(rig.ring->reader.seq, event->offset);
	u32 at = find_event(rig.ring->reader.seq, event);
	struct written *written = &rig.log[at];

	rig_check(written->state == COMMITTED);
	written->state = READ;
	rig_check(rig.read == 0 || place > rig.last_place);
	rig.last_place = place;

	/* All earlier events were read or lost. */
	if (rig.read + rig.lost_events != at)
		rig_fail("event %u comes after %llu read and %llu lost", at,
			 (unsigned long long)rig.read,
			 (unsigned long long)rig.lost_events);
	rig.read++;

	check_payload(at, event);

	/* Compare signed: the time may start anywhere and wrap. */
	if (rig.read > 1 && (s64)(event->time - rig.last_time) < 0)
		rig_fail("event %u: the time steps back, %llx after %llx", at,
			 (unsigned long long)event->time,
			 (unsigned long long)rig.last_time);
	rig.last_time = event->time;
	if (event->time != written->clock &&
	    (!rig.clock_steps_back || written->clock == written->clock_max ||
	     event->time < written->clock || event->time > written->clock_max))
		rig_fail("event %u: time %llx, but the clock returned %llx, at most %llx", at,
			 (unsigned long long)event->time,
			 (unsigned long long)written->clock,
			 (unsigned long long)written->clock_max);
}

static void begin_subbuf(u64 reported_drops_before)
{
	const struct rbmap_reader *reader = &rig.ring->reader;
	u64 drops = reader->reported_drops - reported_drops_before;

	rig_check(reader->lost >= drops);
	rig_check(reader->offset == 0);
	rig.takes++;
	rig.lost_drops += drops;
	rig.lost_events += reader->lost - drops;
}

/* No writer may change bytes that the reader has seen in its sub-buffer. */
static void check_held(void)
{
	const struct rbmap_reader *reader = &rig.ring->reader;

	if (!rig.held || !reader->holds || reader->seq != rig.held_seq)
		return;
	rig_check(!memcmp(rig.copy + 16,
			  rig.ring->subbuf[reader->id].header + 1, rig.held));
}

enum rbmap_get rig_read_bytes(u32 max)
{
	static struct decoded events[(4 << 20) / 8];
	struct rbmap_ring *ring = rig.ring;
	const struct rbmap_reader *reader = &ring->reader;
	u64 reported_drops = reader->reported_drops;
	enum rbmap_get result;
	u32 from, to, i, n;

	check_held();
	around(true);
	result = rbmap_ring_get(ring);
	around(false);
	if (result == RBMAP_GET_NEXT)
		begin_subbuf(reported_drops);
	if (result != RBMAP_GET_NEXT && result != RBMAP_GET_MORE)
		return result;

	from = reader->offset;
	to = from + rbmap_ring_unread(ring);
	rig_check(result == RBMAP_GET_NEXT || to > from);
	n = rig_decode(ring->subbuf[reader->id].header, to, events,
		       sizeof(events) / sizeof(events[0]));
	for (i = 0; i < n; i++) {
		if (events[i].offset < from)
			continue;
		if (events[i].offset - from >= max && events[i].offset > from) {
			to = events[i].offset;
			break;
		}
		check_event(&events[i]);
	}
	rig.held = to;
	rig.held_seq = reader->seq;
	around(true);
	rbmap_ring_consume(ring, to);
	around(false);
	rig_check(reader->read == rig.read);
	return result;
}

enum rbmap_get rig_read(void)
{
	return rig_read_bytes(~0u);
}

u64 rig_drain(void)
{
	const u64 read = rig.read;
	enum rbmap_get result;

	do {
		result = rig_read();
		rig_check(result != RBMAP_GET_BUSY);
	} while (result != RBMAP_GET_EMPTY);
	rig_check(!rbmap_ring_has_event(rig.ring));
	return rig.read - read;
}

void rig_skip(void)
{
	const struct rbmap_reader *reader = &rig.ring->reader;
	u64 reported = reader->reported, reported_drops = reader->reported_drops;
	u64 expected = reader->expected;
	const u64 first = rig.read + rig.lost_events;
	u64 lost, i;

	rbmap_ring_skip(rig.ring);
	rig.lost_drops += reader->reported_drops - reported_drops;
	lost = reader->reported - reported - (reader->reported_drops - reported_drops);
	/* The model does not know which events were lost and which skipped. */
	for (i = first; i < first + reader->expected - expected; i++) {
		rig_check(rig.log[i].state == COMMITTED);
		rig.log[i].state = READ;
		rig.last_place = rig.log[i].place;
	}
	rig.lost_events += lost;
	rig.read = reader->read;
	rig_check(rig.read + rig.lost_events == i);
}

bool rig_exchange(void)
{
	const struct rbmap_reader *reader = &rig.ring->reader;
	struct rbmap_subbuf_header *had, *fresh;

	if (!reader->holds || rbmap_ring_reader_at_writer(rig.ring) ||
	    rbmap_ring_unread(rig.ring))
		return false;
	/* The memory has bytes of other events, as that which a pipe has released. */
	fresh = zeroed(8, rig.config.subbuf_size);
	memset(fresh, 0xa5, rig.config.subbuf_size);
	around(true);
	had = rbmap_ring_exchange(rig.ring, fresh);
	around(false);
	rig_check(rig.ring->subbuf[reader->id].header == fresh);
	rig_check(!READ_ONCE(fresh->commit));
	rig_check(!rbmap_ring_unread(rig.ring));
	/* The address sanitizer finds later accesses. */
	free(had);
	return true;
}

void rig_report_drops(void)
{
	rig.lost_drops += rbmap_ring_report_drops(rig.ring);
}

void rig_play(u32 steps, void (*each)(void))
{
	struct rig_event event[RBMAP_MAX_NEST];
	const u32 max = rbmap_ring_max_event(rig.ring);
	u32 size, nest = 0;

	while (steps--) {
		if (each)
			each();
		rig.clock_early = !rig_below(4);
		size = rig_below(rig_below(4) ? 24 : max + 1);
		if (size > max)
			size = max;
		switch (rig_below(12)) {
		case 0: case 1: case 2:
			if (nest < RBMAP_MAX_NEST &&
			    rig_begin(&event[nest], size))
				nest++;
			break;
		case 3: case 4:
			if (nest)
				rig_commit(&event[--nest]);
			break;
		case 5:
			if (nest)
				rig_discard(&event[--nest]);
			break;
		case 6: case 7: case 8:
			rig_write(size);
			break;
		case 9:
			rig_read_bytes(rig_below(rig.config.subbuf_size));
			break;
		case 10:
			rig_read();
			break;
		case 11:
			if (!rig_below(8))
				rig_ring_close();
			else if (!rig_below(20))
				rig_skip();
			else if (!rig_below(10))
				rig_report_drops();
			else if (rig_below(2))
				rig_exchange();
			break;
		}
	}
	while (nest)
		rig_commit(&event[--nest]);
	rig.clock_early = false;
}

u64 rig_committed(void)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < rig.nr_log; i++)
		n += rig.log[i].state == COMMITTED;
	return n;
}

void rig_check_ids(void)
{
	static u8 seen[RBMAP_MAX_SLOTS + 1];
	const struct rbmap_ring *ring = rig.ring;
	u32 i;

	memset(seen, 0, ring->nr_slots + 1);
	seen[ring->reader.id]++;
	for (i = 0; i < ring->nr_slots; i++) {
		rig_check(rbmap_slot_id(ring->slot[i]) <= ring->nr_slots);
		seen[rbmap_slot_id(ring->slot[i])]++;
	}
	for (i = 0; i <= ring->nr_slots; i++)
		if (seen[i] != 1)
			rig_fail("id %u is in %u places", i, seen[i]);
}

void rig_observe(void)
{
	static struct decoded events[(4 << 20) / 8];
	const struct rbmap_ring *ring = rig.ring;
	const struct rbmap_slot_table *table = rig.config.slot_table;
	u64 seq = table->newest;
	u32 n, nr, i, at;

	rig_check(table->modulus == ring->modulus);
	for (n = 0; n < ring->nr_slots; n++) {
		const struct rbmap_table_slot *slot =
			&table->slot[seq % ring->nr_slots];
		const struct rbmap_subbuf_header *header =
			ring->subbuf[(slot->slot >> 4) & 0xffff].header;

		if (slot->slot >> 20 == seq && !(slot->slot & 1)) {
			nr = rig_decode_in_place(header, header->commit &
						 RBMAP_COMMIT_MASK, events,
						 sizeof(events) /
						 sizeof(events[0]));
			for (i = 0; i < nr; i++) {
				at = find_event(seq, &events[i]);
				rig_check(rig.log[at].state != WRITING);
				rig_check(slot->events - (at - i) <=
					  rbmap_ring_dropped(ring));
				check_payload(at, &events[i]);
			}
		}
		seq = rbmap_seq_sub(seq, 1, ring->modulus);
	}
}

/* Observers read from the slot table how many events they missed: see linux/rbmap.h. */
static void check_slot_table(void)
{
	const struct rbmap_ring *ring = rig.ring;
	u64 seq = rbmap_commit_seq(ring->commit);
	const struct rbmap_table_slot *slot = rbmap_ring_table_slot(ring, seq);
	const struct rbmap_ring_subbuf *subbuf = &ring->subbuf[ring->commit_id];

	rig_check(rig.config.slot_table->newest == seq);
	rig_check(slot->slot == rbmap_slot(seq, ring->commit_id, false));
	rig_check(slot->events == subbuf->first_event + subbuf->drops_before);
	/* Tests that check events themselves have an empty log. */
	if (rig.nr_log)
		rig_observe();
}

void rig_check_published(void)
{
	const struct rbmap_ring *ring = rig.ring;
	u32 id = rbmap_tail_id(ring->tail);

	rig_check(rig.depth == 0);
	rig_check(ring->nest == 0);
	rig_check(rbmap_tail_offset(ring->tail) ==
		  rbmap_commit_offset(ring->commit));
	rig_check(rbmap_tail_seq(ring->tail) ==
		  (rbmap_commit_seq(ring->commit) & RBMAP_TAIL_SEQ_MASK));
	rig_check(id == ring->commit_id);
	rig_check(ring->tail_header == ring->subbuf[id].header);
	rig_check(ring->subbuf[id].header->commit ==
		  rbmap_tail_offset(ring->tail));
	check_slot_table();
}

void rig_check_accounts(void)
{
	const struct rbmap_ring *ring = rig.ring;
	u64 overrun = local_read(&ring->overrun);
	u64 dropped = rbmap_ring_dropped(ring);
	u64 entries = rbmap_ring_entries(ring);

	rig_check_published();
	rig_check(rig.attempts == rig.discarded + entries + dropped);
	rig_check(entries == rig.nr_log);
	rig_check(rig.lost_drops + rbmap_ring_unreported_drops(ring) == dropped);
	rig_check(ring->reader.reported == rig.lost_events + rig.lost_drops);
	rig_check(rig.lost_events <= overrun);
	if (!rbmap_ring_has_event(ring)) {
		rig_check(rig.read + overrun == entries);
		rig_check(rig.lost_events == overrun);
	}
	rig_check_ids();
}

void rig_finish(void)
{
	rig_write(4);
	rig_write(8);
	rig_drain();
	rig_write(4);
	rig_ring_close();
	rig_drain();
	rig_report_drops();
	rig_check_accounts();
}
