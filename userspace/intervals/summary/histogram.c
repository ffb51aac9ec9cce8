// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>

#include "histogram.h"

#define STEP_BITS	5
#define STEPS		(1 << STEP_BITS)	/* counters of an octave */

/* Lengths below STEPS are counted exactly, in octave 0. */
static unsigned int octave_of(uint64_t length)
{
	return length < STEPS ? 0 : 64 - __builtin_clzll(length) - STEP_BITS;
}

static unsigned int step_of(uint64_t length, unsigned int octave)
{
	return octave ? length >> (octave - 1) & (STEPS - 1) : length;
}

/* Return the length in the middle of those that share a counter. */
static uint64_t length_of(unsigned int octave, unsigned int step)
{
	uint64_t from;

	if (!octave)
		return step;
	from = (uint64_t)(STEPS + step) << (octave - 1);
	return from + ((1ULL << (octave - 1)) - 1) / 2;
}

bool histogram_add(struct histogram *h, uint64_t length)
{
	unsigned int octave = octave_of(length);

	if (!h->octave[octave]) {
		h->octave[octave] = calloc(STEPS, sizeof(uint64_t));
		if (!h->octave[octave])
			return false;
	}
	h->octave[octave][step_of(length, octave)]++;
	h->count++;
	h->total += length;
	if (length > h->max)
		h->max = length;
	return true;
}

void histogram_free(struct histogram *h)
{
	for (unsigned int i = 0; i < HISTOGRAM_OCTAVES; i++)
		free(h->octave[i]);
}

uint64_t histogram_quantile(const struct histogram *h, double share)
{
	uint64_t wanted = ceil(share * h->count), seen = 0, length;

	if (wanted >= h->count)
		return h->max;
	for (unsigned int i = 0; i < HISTOGRAM_OCTAVES; i++) {
		for (unsigned int j = 0; h->octave[i] && j < STEPS; j++) {
			seen += h->octave[i][j];
			if (!h->octave[i][j] || seen < wanted)
				continue;
			length = length_of(i, j);
			return length < h->max ? length : h->max;
		}
	}
	return h->max;
}

uint64_t histogram_power_count(const struct histogram *h, unsigned int power)
{
	/* From STEPS on, the lengths of a power are those of an octave. */
	bool is_octave = power >= STEP_BITS;
	const uint64_t *octave = h->octave[is_octave ? power - STEP_BITS + 1 : 0];
	unsigned int from = is_octave || !power ? 0 : 1u << power;
	unsigned int to = is_octave ? STEPS : 2u << power;
	uint64_t count = 0;

	for (unsigned int i = from; octave && i < to; i++)
		count += octave[i];
	return count;
}
