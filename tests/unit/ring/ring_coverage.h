/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included first (-include).  Keeps the compiler from inlining the ring's functions,
 * so that each branch is in the program once and can be counted.
 */
#ifndef RING_COVERAGE_H
#define RING_COVERAGE_H

#include <rbmap/ring/platform.h>

#undef __always_inline
#define __always_inline	inline

#endif /* RING_COVERAGE_H */
