/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_COMPAT_SYSFS_H
#define RBMAP_COMPAT_SYSFS_H

#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "compat.h"

/* The type of the attribute that callbacks of a binary attribute get. */
#ifdef RBMAP_HAVE_BIN_ATTRIBUTE_CONST
typedef const struct bin_attribute rbmap_bin_attribute;
#else
typedef struct bin_attribute rbmap_bin_attribute;
#endif

/* The type of the argument of get_ownership() of struct kobj_type. */
#ifdef RBMAP_HAVE_OWNED_KOBJECT_CONST
typedef const struct kobject rbmap_owned_kobject;
#else
typedef struct kobject rbmap_owned_kobject;
#endif

#endif /* RBMAP_COMPAT_SYSFS_H */
