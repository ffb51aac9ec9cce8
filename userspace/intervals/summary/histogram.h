/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often each length occurred. Lengths that differ by less than 1/32 share a counter, so
 * that a histogram of any number of lengths has a bounded size.
 */
#ifndef RBMAP_INTERVALS_SUMMARY_HISTOGRAM_H
#define RBMAP_INTERVALS_SUMMARY_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_OCTAVES	60	/* the first one has the lengths 0 to 31 */

/**
 * struct histogram - the lengths that were added
 * @octave: counters for lengths between two powers of two; NULL: none was added
 */
struct histogram {
	uint64_t count;
	uint64_t total;
	uint64_t max;
	uint64_t *octave[HISTOGRAM_OCTAVES];
};

/* Return false if memory is lacking. */
bool histogram_add(struct histogram *h, uint64_t length);
void histogram_free(struct histogram *h);

/*
 * Return the smallest length that @share of all lengths do not exceed, for instance 0.99.
 * It may be wrong by 1/64.
 */
uint64_t histogram_quantile(const struct histogram *h, double share);

/* Return how many lengths are >= 2^@power and < 2^(@power + 1); with @power 0: 0 and 1. */
uint64_t histogram_power_count(const struct histogram *h, unsigned int power);

#endif /* RBMAP_INTERVALS_SUMMARY_HISTOGRAM_H */
