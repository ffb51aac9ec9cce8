/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers that call their handlers in hard interrupts. */
#ifndef RBMAP_COMPAT_TIMER_H
#define RBMAP_COMPAT_TIMER_H

#include <linux/hrtimer.h>

#include "compat.h"

typedef enum hrtimer_restart rbmap_hrtimer_fn(struct hrtimer *timer);

static inline void rbmap_hrtimer_setup(struct hrtimer *timer, rbmap_hrtimer_fn *handler)
{
#ifdef RBMAP_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, handler, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = handler;
#endif
}

#endif /* RBMAP_COMPAT_TIMER_H */
