/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_COMPAT_SYSFS_H
#define RBMAP_COMPAT_SYSFS_H

#include <linux/sysfs.h>

#include "compat.h"

/* What the callbacks of a binary attribute are handed. */
#ifdef RBMAP_HAVE_BIN_ATTRIBUTE_CONST
typedef const struct bin_attribute rbmap_bin_attribute;
#else
typedef struct bin_attribute rbmap_bin_attribute;
#endif

#endif /* RBMAP_COMPAT_SYSFS_H */
