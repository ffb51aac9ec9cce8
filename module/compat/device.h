/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_COMPAT_DEVICE_H
#define RBMAP_COMPAT_DEVICE_H

#include <linux/device.h>

#include "compat.h"

static inline struct class *rbmap_class_create(const char *name)
{
#ifdef RBMAP_HAVE_CLASS_CREATE_NO_OWNER
	return class_create(name);
#else
	return class_create(THIS_MODULE, name);
#endif
}

/* The type of the argument of a class's devnode(). */
#ifdef RBMAP_HAVE_DEVNODE_CONST
typedef const struct device rbmap_devnode_device;
#else
typedef struct device rbmap_devnode_device;
#endif

#endif /* RBMAP_COMPAT_DEVICE_H */
