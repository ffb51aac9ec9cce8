/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels.  probe.sh finds out what the kernel's headers
 * offer: each tests/<name>.c that compiles defines RBMAP_HAVE_<NAME> in
 * rbmap_features.h.  Only files in this folder look at these macros.
 */
#ifndef RBMAP_COMPAT_H
#define RBMAP_COMPAT_H

#include <linux/compiler.h>

#include <rbmap_features.h>

#endif /* RBMAP_COMPAT_H */
