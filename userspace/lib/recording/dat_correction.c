// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dat.h"
#include "dat_correction.h"
#include "dat_read.h"

#define USEC		1000	/* ns */
#define INTERPOLATE	1u	/* flag of the option TIME_SHIFT */

/* The bytes of an option that were not read yet. */
struct rest {
	const char *at;
	size_t size;
};

static bool take(struct rest *rest, void *value, size_t size)
{
	if (rest->size < size)
		return false;
	memcpy(value, rest->at, size);
	rest->at += size;
	rest->size -= size;
	return true;
}

/* The text has a 0 behind its end. */
static uint64_t parse_offset(const struct dat_text *t)
{
	return strtoll(t->text, NULL, 0);
}

static int add_tsc(struct dat_correction *c, const struct dat_text *t)
{
	struct rest rest = { t->text, t->size };
	uint32_t mult, shift;
	uint64_t offset;	/* trace-cmd does not use it */

	if (!take(&rest, &mult, sizeof(mult)) || !take(&rest, &shift, sizeof(shift)) ||
	    !take(&rest, &offset, sizeof(offset)))
		return 0;
	if (shift > 63)
		return RBMAP_ERR_BROKEN;
	c->mult = mult;
	c->mult_shift = shift;
	return 0;
}

static int compare_samples(const void *a, const void *b)
{
	const struct dat_sample *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Samples of one time are one sample. */
static void sort_samples(struct dat_shift *shift)
{
	uint32_t nr = 0;

	if (shift->nr)
		qsort(shift->sample, shift->nr, sizeof(*shift->sample), compare_samples);
	for (uint32_t i = 0; i < shift->nr; i++)
		if (!nr || shift->sample[nr - 1].time != shift->sample[i].time)
			shift->sample[nr++] = shift->sample[i];
	shift->nr = nr;
}

/* The members of all samples follow each other: first all times, then all offsets. */
static int take_samples(struct rest *rest, struct dat_shift *shift)
{
	uint32_t nr;

	if (!take(rest, &nr, sizeof(nr)))
		return RBMAP_ERR_BROKEN;
	if (nr > rest->size / (3 * sizeof(uint64_t)))
		return RBMAP_ERR_BROKEN;
	shift->sample = calloc((size_t)nr + 1, sizeof(*shift->sample));
	if (!shift->sample)
		return -ENOMEM;
	shift->nr = nr;
	for (uint32_t i = 0; i < nr; i++)
		take(rest, &shift->sample[i].time, sizeof(uint64_t));
	for (uint32_t i = 0; i < nr; i++)
		take(rest, &shift->sample[i].offset, sizeof(uint64_t));
	for (uint32_t i = 0; i < nr; i++)
		take(rest, &shift->sample[i].scaling, sizeof(uint64_t));
	return 0;
}

/* Recorders before 3.0 do not write the fractions. */
static int take_fractions(struct rest *rest, struct dat_correction *c)
{
	for (uint32_t cpu = 0; rest->size && cpu < c->nr_shifts; cpu++) {
		struct dat_shift *shift = &c->shift[cpu];

		for (uint32_t i = 0; i < shift->nr; i++)
			if (!take(rest, &shift->sample[i].fraction, sizeof(uint64_t)) ||
			    shift->sample[i].fraction > 63)
				return RBMAP_ERR_BROKEN;
	}
	return 0;
}

static int add_shifts(struct dat_correction *c, const struct dat_text *t)
{
	struct rest rest = { t->text, t->size };
	uint32_t flags, nr;
	uint64_t trace_id;
	int ret = 0;

	if (c->shift || !take(&rest, &trace_id, sizeof(trace_id)) ||
	    !take(&rest, &flags, sizeof(flags)) || !take(&rest, &nr, sizeof(nr)))
		return 0;
	if (nr > rest.size / sizeof(uint32_t))
		return RBMAP_ERR_BROKEN;
	c->interpolate = flags & INTERPOLATE;
	c->shift = calloc((size_t)nr + 1, sizeof(*c->shift));
	if (!c->shift)
		return -ENOMEM;
	c->nr_shifts = nr;
	for (uint32_t cpu = 0; cpu < nr && !ret; cpu++)
		ret = take_samples(&rest, &c->shift[cpu]);
	if (!ret)
		ret = take_fractions(&rest, c);
	for (uint32_t cpu = 0; cpu < nr && !ret; cpu++)
		sort_samples(&c->shift[cpu]);
	return ret;
}

int dat_correction_add(struct dat_correction *c, uint16_t option, const struct dat_text *t)
{
	switch (option) {
	case DAT_OPTION_DATE:
		c->offset += parse_offset(t) * USEC;
		c->is_dated = true;
		return 0;
	case DAT_OPTION_OFFSET:
		c->offset += parse_offset(t);
		return 0;
	case DAT_OPTION_TSC2NSEC:
		return add_tsc(c, t);
	case DAT_OPTION_TIME_SHIFT:
		return add_shifts(c, t);
	}
	return 0;
}

void dat_correction_free(struct dat_correction *c)
{
	for (uint32_t i = 0; i < c->nr_shifts; i++)
		free(c->shift[i].sample);
	free(c->shift);
}

static uint64_t scale(const struct dat_sample *s, uint64_t ts)
{
	return (unsigned __int128)ts * s->scaling >> s->fraction;
}

/* @s has the sample that follows behind it. */
static uint64_t apply_pair(const struct dat_correction *c, const struct dat_sample *s,
			   uint64_t ts)
{
	__int128 offset = s[0].offset, delta = (__int128)s[1].time - s[0].time;

	if (c->interpolate)
		offset += (((__int128)ts - s[0].time) *
			   ((__int128)s[1].offset - s[0].offset) + delta / 2) / delta;
	return scale(s, ts) + (uint64_t)offset;
}

static uint64_t apply_shift(const struct dat_correction *c, const struct dat_shift *shift,
			    uint64_t ts)
{
	uint32_t low = 0, high;

	if (shift->nr < 2)
		return shift->nr ? ts + shift->sample[0].offset : ts;
	/* Find the last sample that is not later, but the last one of all. */
	high = shift->nr - 2;
	while (low < high) {
		uint32_t middle = high - (high - low) / 2;

		if (shift->sample[middle].time <= (int64_t)ts)
			low = middle;
		else
			high = middle - 1;
	}
	return apply_pair(c, &shift->sample[low], ts);
}

uint64_t dat_correct(const struct dat_correction *c, unsigned int cpu, uint64_t ts)
{
	if (cpu < c->nr_shifts)
		ts = apply_shift(c, &c->shift[cpu], ts);
	if (c->mult)
		ts = (unsigned __int128)ts * c->mult >> c->mult_shift;
	return ts + c->offset;
}
