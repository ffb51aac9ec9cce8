/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_LOCAL_CLOCK_H
#define RBMAP_LOCAL_CLOCK_H

#include <rbmap/ring/local_clock.h>

#ifdef RBMAP_HAS_TSC_SCALE
int rbmap_local_clock_init(void);
void rbmap_local_clock_exit(void);
void rbmap_local_clock_watch(void);
#else
static inline int rbmap_local_clock_init(void)
{
	return 0;
}

static inline void rbmap_local_clock_exit(void)
{
}

static inline void rbmap_local_clock_watch(void)
{
}
#endif

#endif /* RBMAP_LOCAL_CLOCK_H */
