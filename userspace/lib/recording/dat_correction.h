/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Corrections of times that the recorder has written: times become those of the host, or of
 * the wall clock. trace-cmd report applies the same.
 */
#ifndef RBMAP_DAT_CORRECTION_H
#define RBMAP_DAT_CORRECTION_H

#include <stdbool.h>
#include <stdint.h>

struct dat_text;

/**
 * struct dat_sample - the clock of a guest compared with that of its host
 * @time: the guest's time
 * @offset: to be added from that time on
 * @scaling: a factor of times, which are shifted by @fraction behind it
 */
struct dat_sample {
	int64_t time;
	int64_t offset;
	uint64_t scaling;
	uint64_t fraction;
};

struct dat_shift {
	struct dat_sample *sample;	/* sorted by time */
	uint32_t nr;
};

/**
 * struct dat_correction - what is done with each time, in this order
 * @shift: by CPU: from a guest's clock to the host's
 * @interpolate: between two samples
 * @mult, @mult_shift: from cycles to ns; 0: not
 * @offset: is added
 * @is_dated: with it, times are those of CLOCK_REALTIME
 */
struct dat_correction {
	struct dat_shift *shift;
	uint32_t nr_shifts;
	bool interpolate;
	uint32_t mult, mult_shift;
	uint64_t offset;
	bool is_dated;
};

/*
 * Take what an option of the file says; other options are ignored. Return 0, -ENOMEM or
 * RBMAP_ERR_BROKEN.
 */
int dat_correction_add(struct dat_correction *c, uint16_t option, const struct dat_text *t);
void dat_correction_free(struct dat_correction *c);

/* Does the correction change any time? */
static inline bool dat_correction_is_any(const struct dat_correction *c)
{
	return c->nr_shifts || c->mult || c->offset;
}

/* Return the correct time of an event. */
uint64_t dat_correct(const struct dat_correction *c, unsigned int cpu, uint64_t ts);

#endif /* RBMAP_DAT_CORRECTION_H */
