// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "levels.h"
#include "pack.h"

#define SLICES_OF_STEP	8	/* A page with a finer level would be larger, and not faster. */
#define FULL_SHARE	255

unsigned int levels_bits(unsigned int level)
{
	return FIRST_LEVEL + 2 * level;
}

unsigned int levels_finest(uint64_t time, unsigned int count)
{
	unsigned int level = 0;

	while (level < NR_LEVELS - 1 && (time >> levels_bits(level)) > count / SLICES_OF_STEP)
		level++;
	return level;
}

/* Add the time of a value to those of a step. If there are too many, drop the shortest one. */
static void add_value(struct step *step, uint64_t value, uint64_t time)
{
	unsigned int least = 0;

	for (unsigned int i = 0; i < STEP_VALUES; i++) {
		if (step->time[i] && step->value[i] == value) {
			step->time[i] += time;
			return;
		}
		if (step->time[i] < step->time[least])
			least = i;
	}
	if (step->time[least] >= time)
		return;
	step->value[least] = value;
	step->time[least] = time;
}

/* A sum that would be too large stays the largest number. */
static void add_area(struct step *step, uint64_t area)
{
	if (__builtin_add_overflow(step->time[0], area, &step->time[0]))
		step->time[0] = UINT64_MAX;
}

static void add_depth(struct step *step, uint64_t value, uint64_t time)
{
	uint64_t area;

	if (value > step->value[0])
		step->value[0] = value;
	if (__builtin_mul_overflow(value, time, &area))
		area = UINT64_MAX;
	add_area(step, area);
}

static void add_time(struct step *step, enum track_mode mode, uint64_t value, uint64_t time)
{
	if (mode == TRACK_STATES) {
		step->time[value & (NR_STATES - 1)] += time;
	} else if (mode == TRACK_DEPTH) {
		add_depth(step, value, time);
	} else {
		add_value(step, value, time);
	}
	step->filled += time;
}

static void merge(struct step *to, enum track_mode mode, const struct step *from)
{
	to->mark |= from->mark;
	to->filled += from->filled;
	if (mode == TRACK_DEPTH) {
		if (from->value[0] > to->value[0])
			to->value[0] = from->value[0];
		add_area(to, from->time[0]);
		return;
	}
	if (mode == TRACK_EVENTS && from->time[0])
		to->value[0] = from->value[0];
	for (unsigned int i = 0; i < STEP_VALUES; i++) {
		if (!from->time[i])
			continue;
		if (mode == TRACK_NAMES)
			add_value(to, from->value[i], from->time[i]);
		else
			to->time[i] += from->time[i];
	}
}

/* Round the share of a time up to 1, unless the time is 0. */
static unsigned int share_of(uint64_t time, unsigned int level)
{
	unsigned __int128 share = (unsigned __int128)time * FULL_SHARE >> levels_bits(level);

	return share > FULL_SHARE ? FULL_SHARE : !share && time ? 1 : share;
}

/* The names of a step: how many, and each with its share. The browser sorts them. */
static void pack_names(struct buf *values, const struct step *step, unsigned int level)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < STEP_VALUES; i++)
		nr += step->time[i] != 0;
	pack_number(values, nr);
	for (unsigned int i = 0; i < STEP_VALUES; i++) {
		if (!step->time[i])
			continue;
		pack_number(values, step->value[i]);
		pack_number(values, share_of(step->time[i], level));
	}
}

static void pack_values(struct buf *values, const struct step *step, enum track_mode mode,
			unsigned int level)
{
	switch (mode) {
	case TRACK_STATES:
		pack_number(values, share_of(step->time[STATE_RUNNABLE], level) |
				    share_of(step->time[STATE_BLOCKED], level) << 8 |
				    share_of(step->time[STATE_SLEEPS], level) << 16);
		break;
	case TRACK_DEPTH:
		pack_number(values, step->value[0]);
		break;
	case TRACK_EVENTS:
		/* The number, or for a single event its type. */
		pack_number(values, step->time[0] == 1 ? step->value[0] << 1 | 1 :
							 step->time[0] << 1);
		break;
	default:
		pack_names(values, step, level);
	}
}

/* The mean as a share of the largest value */
static unsigned int mean_of(const struct step *step, unsigned int level)
{
	return step->value[0] ? share_of(step->time[0] / step->value[0], level) : 0;
}

static unsigned int byte_of(const struct step *step, enum track_mode mode, unsigned int level)
{
	switch (mode) {
	case TRACK_STATES:
		return share_of(step->time[STATE_RUNS], level);
	case TRACK_DEPTH:
		return mean_of(step, level);
	case TRACK_EVENTS:
		return step->mark;
	default:
		return share_of(step->filled, level);
	}
}

static void write_step(struct level *level, enum track_mode mode, unsigned int number)
{
	const struct step *step = &level->open;
	unsigned char share = byte_of(step, mode, number);

	if (!level->count++)
		level->first = level->last = step->index;
	pack_number(&level->indexes, step->index - level->last);
	level->last = step->index;
	level->mark |= step->mark;
	pack_values(&level->values, step, mode, number);
	buf_add(&level->shares, &share, 1);
}

/* Open the step of this index on the level @number. */
static struct step *open_step(struct levels *l, unsigned int number, uint64_t index);

static void close_step(struct levels *l, unsigned int number)
{
	struct level *level = &l->level[number];

	if (!level->open.used)
		return;
	write_step(level, l->mode, number);
	if (number + 1 < NR_LEVELS)
		merge(open_step(l, number + 1, level->open.index >> 2), l->mode, &level->open);
	level->open.used = false;
}

static struct step *open_step(struct levels *l, unsigned int number, uint64_t index)
{
	struct step *step = &l->level[number].open;

	if (step->used && step->index != index)
		close_step(l, number);
	if (!step->used) {
		memset(step, 0, sizeof(*step));
		step->used = true;
		step->index = index;
	}
	return step;
}

void levels_close(struct levels *l, unsigned int finest)
{
	for (unsigned int i = 0; i < finest; i++)
		close_step(l, i);
}

void levels_add(struct levels *l, unsigned int finest, uint64_t begin, uint64_t end,
		uint64_t value)
{
	unsigned int bits = levels_bits(finest);

	do {
		uint64_t index = begin >> bits, next = (index + 1) << bits;
		uint64_t to = end < next ? end : next;

		/* A slice without a length is there, too. */
		add_time(open_step(l, finest, index), l->mode, value,
			 to > begin ? to - begin : 1);
		begin = to;
	} while (begin < end);
}

void levels_add_event(struct levels *l, unsigned int finest, uint64_t ts, uint32_t type)
{
	struct step *step = open_step(l, finest, ts >> levels_bits(finest));

	step->mark |= !type;
	if (!type)
		return;
	step->value[0] = type;
	step->time[0]++;
}

void levels_free(struct levels *l)
{
	for (unsigned int i = 0; i < NR_LEVELS; i++) {
		buf_free(&l->level[i].indexes);
		buf_free(&l->level[i].values);
		buf_free(&l->level[i].shares);
	}
}
