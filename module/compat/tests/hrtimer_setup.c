// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function sets the handler of an hrtimer.  It was stored in the timer before.
 * Linux 6.13: 908a1d775422 ("hrtimers: Introduce hrtimer_setup() to replace
 * hrtimer_init()")
 */
#include <linux/hrtimer.h>

void hrtimer_setup_set_up(struct hrtimer *timer, enum hrtimer_restart (*handler)(struct hrtimer *));
void hrtimer_setup_set_up(struct hrtimer *timer, enum hrtimer_restart (*handler)(struct hrtimer *))
{
	hrtimer_setup(timer, handler, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}
