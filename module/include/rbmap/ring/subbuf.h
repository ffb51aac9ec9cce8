/* SPDX-License-Identifier: GPL-2.0-only */
/* Sub-buffer and event headers: linux/rbmap.h specifies them. */
#ifndef RBMAP_RING_SUBBUF_H
#define RBMAP_RING_SUBBUF_H

#include <linux/rbmap.h>
#include <rbmap/ring/platform.h>

#define RBMAP_EVENT_ALIGN	4U
#define RBMAP_EVENT_HEADER	4U	/* the word with type_len and delta */
#define RBMAP_EVENT_MIN		8U
#define RBMAP_STAMP_LEN		8U	/* a time extend or an absolute stamp */
#define RBMAP_SMALL_MAX		(RBMAP_TYPE_LEN_MAX * 4U)

#define RBMAP_DELTA_MAX		((1ULL << RBMAP_TS_SHIFT) - 1)
#define RBMAP_STAMP_BITS	59	/* bits of the time in an absolute stamp */

static __always_inline u8 *rbmap_subbuf_data(struct rbmap_subbuf_header *header)
{
	return (u8 *)header + RBMAP_SUBBUF_HEADER_SIZE;
}

static __always_inline u32 rbmap_event_word(u32 type_len, u32 delta)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return type_len << RBMAP_TS_SHIFT | delta;
#else
	return delta << 5 | type_len;
#endif
}

static __always_inline u32 rbmap_event_type_len(u32 word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return word >> RBMAP_TS_SHIFT;
#else
	return word & 31;
#endif
}

static __always_inline u32 rbmap_event_delta(u32 word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return word & RBMAP_DELTA_MAX;
#else
	return word >> 5;
#endif
}

/* Bytes of an event with a payload of `size` bytes, without a stamp before it. */
static __always_inline u32 rbmap_event_len(u32 size)
{
	u32 len = size ? size : 1;

	if (len > RBMAP_SMALL_MAX)
		len += 4;
	len = ALIGN(len + RBMAP_EVENT_HEADER, RBMAP_EVENT_ALIGN);
	/* As in ftrace's ring: 12 bytes cannot be split into a stamp and padding. */
	return len == RBMAP_STAMP_LEN + 4 ? len + 4 : len;
}

/*
 * Largest payload in a sub-buffer that holds `capacity` bytes of events.  The first
 * event of a sub-buffer needs no stamp.
 */
static __always_inline u32 rbmap_max_event(u32 capacity)
{
	return capacity - 2 * RBMAP_EVENT_HEADER;
}

/* Write the header of a data event of `len` bytes.  Return: its payload. */
static __always_inline void *rbmap_event_encode(u32 *event, u32 len, u32 delta)
{
	u32 payload = len - RBMAP_EVENT_HEADER;

	if (likely(payload <= RBMAP_SMALL_MAX)) {
		event[0] = rbmap_event_word((len >> 2) - (RBMAP_EVENT_HEADER >> 2), delta);
		return &event[1];
	}
	event[0] = rbmap_event_word(0, delta);
	event[1] = payload;
	return &event[2];
}

/* Write a time extend or an absolute stamp.  Return: position of the event. */
static inline u32 *rbmap_stamp_encode(u32 *event, u32 type, u64 time)
{
	event[0] = rbmap_event_word(type, time & RBMAP_DELTA_MAX);
	event[1] = time >> RBMAP_TS_SHIFT;
	return event + 2;
}

/*
 * Turn an event of `len` bytes into padding that adds the same delta.  Padding with
 * delta 0 would end the sub-buffer: an event with delta 0 has a multiple of 8 bytes
 * (see rbmap_ring_reserve()) and becomes time extends by 0.
 */
static inline void rbmap_event_skip(u32 *event, u32 len)
{
	u32 delta = rbmap_event_delta(event[0]);

	if (delta) {
		event[0] = rbmap_event_word(RBMAP_TYPE_PADDING, delta);
		event[1] = len - RBMAP_EVENT_HEADER;
		return;
	}
	for (; len >= RBMAP_STAMP_LEN; len -= RBMAP_STAMP_LEN)
		event = rbmap_stamp_encode(event, RBMAP_TYPE_TIME_EXTEND, 0);
}

/* Bytes of an event, stamp or padding that this kernel wrote. */
static inline u32 rbmap_record_len(const u32 *record)
{
	u32 type_len = rbmap_event_type_len(record[0]);

	if (type_len >= RBMAP_TYPE_TIME_EXTEND)
		return RBMAP_STAMP_LEN;
	if (type_len == RBMAP_TYPE_PADDING || !type_len)
		return RBMAP_EVENT_HEADER + record[1];
	return RBMAP_EVENT_HEADER + type_len * 4;
}

/*
 * The time of an event, stamp or padding that this kernel wrote.  @time: the time before it;
 * @begin: that of the sub-buffer, from which an absolute stamp has its top bits.
 */
static inline u64 rbmap_time_after(u64 time, u64 begin, const u32 *record)
{
	u32 type = rbmap_event_type_len(record[0]);
	u64 delta = rbmap_event_delta(record[0]);

	if (type != RBMAP_TYPE_TIME_EXTEND && type != RBMAP_TYPE_TIME_STAMP)
		return time + delta;
	delta += (u64)record[1] << RBMAP_TS_SHIFT;
	if (type == RBMAP_TYPE_TIME_EXTEND)
		return time + delta;
	return delta | (begin & ~((1ULL << RBMAP_STAMP_BITS) - 1));
}

/* Data events in bytes [from, to) of a sub-buffer that this kernel wrote. */
static inline u64 rbmap_count_events(struct rbmap_subbuf_header *header,
				     u32 from, u32 to)
{
	const u8 *data = rbmap_subbuf_data(header);
	u64 events = 0;

	while (from < to) {
		const u32 *record = (const u32 *)(data + from);

		events += rbmap_event_type_len(record[0]) <= RBMAP_TYPE_LEN_MAX;
		from += rbmap_record_len(record);
	}
	return events;
}

#endif /* RBMAP_RING_SUBBUF_H */
