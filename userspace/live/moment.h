/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the ring's clock together with the clocks of user space. */
#ifndef RBMAP_LIVE_MOMENT_H
#define RBMAP_LIVE_MOMENT_H

#include "recording/dat_times.h"

/* Return the buffer's clock, an enum rbmap_clock, or -1: it is not known. */
int moment_clock(void);

/*
 * Store the present moment. @clock is an enum rbmap_clock. If the ring's clock cannot be
 * read, the moment is not known.
 */
void moment_take(struct rbmap_moment *moment, int clock);

#endif /* RBMAP_LIVE_MOMENT_H */
