// SPDX-License-Identifier: GPL-2.0-only
#include "acts.h"

struct acts_state acts_state;

/* Bytes of events in a sub-buffer; an event with the largest payload fills it. */
static u32 room(void)
{
	return rig.ring->capacity;
}

static u32 largest(void)
{
	return rbmap_ring_max_event(rig.ring);
}

/* Payload size of an event that has so many bytes with its header. */
static u32 payload_of(u32 bytes)
{
	return bytes - (bytes > 116 ? 8 : 4);
}

/* Acts */

static void write_small(void)
{
	rig_write(4);
}

/* An interrupting act reads the clock after this one, and writes before it. */
static void write_early(void)
{
	rig.clock_early = true;
	rig_write(4);
	rig_write(0);
	rig_write(12);
	rig_write(200);
	rig.clock_early = false;
}

static void write_more(void)
{
	rig_write(payload_of(room() - 32));
}

static void write_whole(void)
{
	rig_write(largest());
}

static void write_too_large(void)
{
	rig_write(largest() + 1);
}

static void discard(u32 size)
{
	struct rig_event event;

	if (rig_begin(&event, size))
		rig_discard(&event);
}

static void discard_small(void)
{
	discard(4);
}

static void discard_more(void)
{
	discard(payload_of(room() - 32));
}

static void discard_inside(void)
{
	struct rig_event event;

	if (!rig_begin(&event, 8))
		return;
	rig_write(1);
	rig_discard(&event);
}

/* The small event stays in the open sub-buffer if that has room. */
static void lap(void)
{
	rig_write(4);
	rig_write_subbufs(rig.config.nr_slots + 1, largest());
}

static void take_and_read(void)
{
	if (acts_state.reading)
		return;
	acts_state.reading = true;
	rig_observe();
	rig_read();
	acts_state.reading = false;
}

static const struct act
	act_write = { "write", write_small },
	act_write_early = { "write, with the time read first", write_early },
	act_write_more = { "write more", write_more },
	act_write_whole = { "write a whole sub-buffer", write_whole },
	act_too_large = { "write too much", write_too_large },
	act_discard = { "discard", discard_small },
	act_discard_more = { "discard more", discard_more },
	act_discard_inside = { "discard with an event behind", discard_inside },
	act_lap = { "write more than the ring holds", lap },
	act_close = { "close", rig_ring_close },
	act_read = { "read", take_and_read };

const struct act *const outers[NR_OUTERS] = {
	&act_write, &act_write_early, &act_write_more, &act_discard, &act_discard_more,
	&act_close, &act_too_large, &act_read,
};

const struct act *const inners[NR_INNERS] = {
	&act_write, &act_write_whole, &act_discard, &act_close, &act_read,
	&act_lap, &act_discard_inside,
};

/* States of the ring */

static void open_some(u32 n)
{
	while (n--)
		if (rig_begin(&acts_state.open[acts_state.nr_open], 4))
			acts_state.nr_open++;
}

void place_leave(void)
{
	while (acts_state.nr_open)
		rig_commit(&acts_state.open[--acts_state.nr_open]);
}

static void at_start(void)
{
}

static void inside(void)
{
	rig_write(4);
	rig_write(8);
}

/* In a new sub-buffer. The event must be written if it fits, to the last byte. */
static void write_first(u32 bytes, u32 size)
{
	if (rig_write(size))
		rig_check(rbmap_tail_offset(rig.ring->tail) == bytes);
	else
		rig_check(rig.config.mode == RBMAP_MODE_DISCARD);
}

static void near_end(void)
{
	write_first(room() - 8, payload_of(room() - 8));
}

static void inside_read(void)
{
	rig_write(4);
	rig_read();
	rig_write(4);
}

static void near_end_read(void)
{
	rig_write(12);
	rig_read();
	rig_write(payload_of(room() - 24));
	rig_read();
}

static void all_read(void)
{
	rig_write(4);
	rig_ring_close();
	rig_drain();
}

static void fill(u32 subbufs)
{
	while (subbufs--)
		write_first(room(), largest());
}

static void full(void)
{
	fill(rig.config.nr_slots - 1);
	near_end();
}

static void lapped(void)
{
	fill(2 * rig.config.nr_slots);
	near_end();
}

static void lapped_reader(void)
{
	rig_write(4);
	rig_read();
	fill(rig.config.nr_slots + 1);
	near_end();
}

static void three_deep(void)
{
	open_some(3);
}

static void four_deep(void)
{
	open_some(4);
}

const struct place places[NR_PLACES] = {
	{ "first event of a sub-buffer", at_start },
	{ "inside a sub-buffer", inside },
	{ "inside the sub-buffer that the reader holds", inside_read },
	{ "8 bytes left", near_end },
	{ "8 bytes left, the reader holds the sub-buffer and has read all", near_end_read },
	{ "all closed and read", all_read },
	{ "full ring", full },
	{ "lapped ring", lapped },
	{ "lapped ring, a reader holds an old sub-buffer", lapped_reader },
	{ "inside three writers", three_deep },
	{ "inside four writers", four_deep },
};

/* Clocks */

static u32 tick(u32 bits)
{
	u32 ticks = acts_state.ticks;

	acts_state.ticks = ticks >> bits | ticks << (32 - bits);
	return ticks & ((1u << bits) - 1);
}

static u64 clock_fine(void)
{
	return ++acts_state.now;
}

static u64 clock_coarse(void)
{
	return acts_state.now += tick(1);
}

static u64 clock_back(void)
{
	return acts_state.now += (s64)tick(3) - 3;
}

/* Steps that exceed the bits of a delta and of an absolute stamp. */
static u64 clock_leaps(void)
{
	static const u64 leaps[] = { 1, 1 << 27, 1ULL << 59, (1 << 27) - 1 };

	return acts_state.now += leaps[tick(2)];
}

const struct clock clocks[NR_CLOCKS] = {
	{ .name = "fine", .read = clock_fine },
	{ .name = "coarse", .read = clock_coarse, .id = RBMAP_CLOCK_MONO },
	{ .name = "steps back", .read = clock_back, .steps_back = true },
	{ .name = "leaps", .read = clock_leaps, .id = RBMAP_CLOCK_X86_TSC },
};
