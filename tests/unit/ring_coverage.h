/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before all else (-include), this keeps the ring's functions from
 * being inlined: so each branch is there once, to be counted.
 */
#ifndef RING_COVERAGE_H
#define RING_COVERAGE_H

#include <rbmap/ring/platform.h>

#undef __always_inline
#define __always_inline	inline

#endif /* RING_COVERAGE_H */
